/** The widget's service: set up in the dashboard, used by a visitor on a phone, seen by the team. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { buildWidget } from '../../scripts/build-widget.ts';
import { seriousViolations, violationsInBothThemes } from '../support/accessibility.ts';
import { type BrowserStage, startDashboard } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/service.ts';
import { type SmtpServer, startSmtpServer } from '../support/smtp-server.ts';

describe("the widget's service", () => {
  let stage: BrowserStage;
  let channelId: string;
  let smtp: SmtpServer;
  before(async () => {
    await buildWidget();
    smtp = await startSmtpServer();
    stage = await startDashboard({ SMTP_URL: smtp.url, MAIL_FROM: 'shop@example.com' });
    const { items } = (await stage.service.call('GET', '/channels')).body;
    channelId = items.find(({ type }: Json) => type === 'web').id;
  });
  after(async () => {
    await stage.close();
    await smtp.close();
  });

  const settings = async (): Promise<Json> =>
    (await stage.service.call('GET', `/channels/${channelId}/widget`)).body;

  it('is set up in the settings: buttons, questions, and hours that are checked', async () => {
    const { page, errors, close } = await stage.open(stage.service.admin, {
      path: '/settings/widget',
      viewport: { width: 360, height: 760 },
    });
    await page.getByRole('switch', { name: '“Talk to a person” button' }).press('Space');
    await page.getByRole('switch', { name: 'Ask for a rating' }).press('Space');
    await page.getByRole('switch', { name: 'Let visitors have the chat sent by e-mail' }).press('Space');
    await page.getByLabel('Ask for name and e-mail').click();
    await page.getByRole('option', { name: 'Before the first message' }).click();
    await page.goto(`${stage.base}/app/settings/business-hours`);
    await page.getByRole('button', { name: 'New hours' }).click();
    const dialog = page.getByRole('dialog', { name: 'New hours' });
    await dialog.getByLabel('Name', { exact: true }).fill('Shop hours');
    await page.getByRole('button', { name: 'Add hours on Monday' }).press('Enter');
    const from = page.getByLabel('Monday, from').last();
    await from.fill('16:00');
    await page.getByText('These hours overlap others of the same day.').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Create' }).isDisabled(), true);
    await from.fill('18:00');
    await page.getByLabel('Monday, to').last().fill('15:00');
    await page.getByText('The end must be after the start.').waitFor();
    await page.getByLabel('Monday, to').last().fill('19:30');
    await page.getByLabel('Date', { exact: true }).fill('2027-12-25');
    await page.getByRole('button', { name: 'Add date' }).press('Enter');
    assert.deepEqual(await violationsInBothThemes(page), []);
    if (process.env.SCREENSHOTS) await page.screenshot({ path: '/tmp/widget-settings.png' });
    await dialog.getByRole('button', { name: 'Create' }).press('Enter');
    await page.getByText(/1 closed day/).waitFor();
    await page.goto(`${stage.base}/app/settings/widget`);
    await page.getByLabel('Business hours').click();
    await page.getByRole('option', { name: 'Shop hours' }).click();
    await eventually(async () => (await settings()).hours?.closedDates.length === 1);
    await page.getByLabel('Away message').fill('Write anyway, we answer in the morning.');
    await page.getByLabel('Away message').press('Tab');
    await eventually(async () => (await settings()).awayMessage !== '');
    const { hours, ...saved } = await settings();
    assert.deepEqual(hours.week.slice(0, 2), [
      { day: 1, from: '09:00', to: '17:00' },
      { day: 1, from: '18:00', to: '19:30' },
    ]);
    assert.deepEqual(
      [saved.talkToPerson, saved.askRating, saved.offerTranscript, saved.askFor],
      [true, true, true, 'first_message'],
    );
    await page.getByLabel('Business hours').click();
    await page.getByRole('option', { name: 'No opening hours' }).click();
    await eventually(async () => (await settings()).hours === null);
    const wide = await page.evaluate('document.documentElement.scrollWidth');
    assert.equal(wide, 360);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('a visitor says who they are, asks for a person, reads when the team is back, rates, and has the chat sent', async () => {
    // Closed for years but for one minute on Mondays.
    const body = {
      hours: { timeZone: 'UTC', week: [{ day: 1, from: '03:00', to: '03:01' }], closedDates: [] },
    };
    await stage.service.call('PATCH', `/channels/${channelId}/widget`, {
      body: {
        ...body,
        talkToPerson: true,
        askRating: true,
        offerTranscript: true,
        askFor: 'first_message',
        awayMessage: 'Write anyway.',
      },
    });
    const context = await stage.browser.newContext({
      viewport: { width: 360, height: 700 },
      locale: 'en-GB',
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const heard: string[] = [];
    page.on('pageerror', (error) => heard.push(String(error)));
    await page.goto(`${stage.base}/widget/preview?channel=${channelId}`);
    await page.getByRole('button', { name: 'Open chat' }).click();
    const chat = page.frameLocator('iframe');
    // The chat is a page of its own, in a frame.
    const isFine = async () => {
      const frame = page.frames().find((one) => one.url().includes('/widget/frame'));
      for (const theme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: theme });
        assert.deepEqual(await seriousViolations(frame as unknown as Page), [], theme);
      }
    };
    const shoot = async (name: string) => {
      if (process.env.SCREENSHOTS) await page.screenshot({ path: `/tmp/widget-${name}.png` });
    };
    await chat.getByText(/^We're away; back .+ at \d/).waitFor();
    await chat.getByText('Write anyway.').waitFor();

    await chat.getByLabel('Name (optional)').fill('Ada Lovelace');
    await page.keyboard.press('Enter');
    await chat.getByText('Enter an e-mail address such as name@example.com.').waitFor();
    await isFine();
    await shoot('ask');
    await page.keyboard.type('ada@example.com');
    await page.keyboard.press('Enter');

    await chat.getByRole('textbox', { name: 'Write a message' }).waitFor();
    await shoot('person');
    await chat.getByRole('button', { name: 'Talk to a person' }).press('Enter');
    await chat.getByText('I would like to talk to a person.').waitFor();
    await chat.getByText("We've told the team. A person will reply here.").waitFor();
    await isFine();
    await shoot('asked');

    const { items } = (await stage.service.call('GET', '/sessions?q=ada@example.com')).body;
    const [{ sessionId, aiPaused, sessionName }] = items;
    assert.deepEqual([aiPaused, sessionName], [true, 'Ada Lovelace']);
    const team = await stage.open(stage.service.admin, { path: `/inbox/${sessionId}` });
    await team.page.getByRole('log').getByText('The customer asked for a person').waitFor();
    await team.page.getByRole('link', { name: 'ada@example.com' }).waitFor();
    // What was stored before arrives after another choice, and does not replace it.
    const chosen = Promise.withResolvers<void>();
    await context.route('**/widget/rating', async (route) => {
      if (route.request().method() !== 'GET') return route.fallback();
      await chosen.promise;
      await route.fulfill({ json: { score: 3, comment: '' } });
    });
    await team.page.getByRole('button', { name: 'Resolve', exact: true }).click();

    const faces = chat.getByRole('radiogroup', { name: 'How did we do?' });
    await faces.getByRole('radio', { name: 'Okay' }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowRight');
    await chat.getByText('Thank you for your rating.').waitFor();
    const late = page.waitForResponse(
      (response) => response.url().endsWith('/widget/rating') && response.request().method() === 'GET',
    );
    chosen.resolve();
    await (await late).finished();
    await context.unroute('**/widget/rating');
    const comment = chat.getByRole('textbox', { name: /Anything to add/ });
    await comment.fill('Quick answer');
    await isFine();
    await shoot('rating');
    // What was written stays while another form is open.
    const line = chat.getByRole('textbox', { name: 'Write a message' });
    await line.fill('And one more');
    await chat.getByRole('button', { name: 'Send this chat by e-mail' }).press('Enter');
    await chat.getByRole('textbox', { name: 'E-mail' }).waitFor();
    await chat.getByRole('button', { name: 'Hide' }).press('Enter');
    assert.equal(await comment.inputValue(), 'Quick answer');
    assert.equal(await line.inputValue(), 'And one more');
    await chat.locator('footer textarea:focus').waitFor();
    await line.fill('');
    await chat.getByRole('button', { name: 'Send comment' }).press('Enter');
    await comment.waitFor({ state: 'detached' });
    await chat.locator('[role=status]:focus', { hasText: 'Thank you for your rating.' }).waitFor();
    const changed = (await stage.service.call('GET', `/sessions/${sessionId}/changes`)).body.items;
    const stored = (field: string) =>
      changed.flatMap(({ changes }: Json) => changes).find((one: Json) => one.field === field)?.newValue;
    assert.deepEqual([stored('rating'), stored('ratingComment')], [4, 'Quick answer']);
    await team.page.goto(`${stage.base}/app/inbox/${sessionId}`);
    await team.page.getByText(/“Quick answer”/).waitFor();
    assert.deepEqual(await seriousViolations(team.page), []);
    if (process.env.SCREENSHOTS) await team.page.screenshot({ path: '/tmp/widget-inbox.png' });
    await team.page.getByRole('button', { name: 'More actions' }).last().click();
    await team.page.getByRole('menuitem', { name: 'Send by e-mail…' }).click();
    const dialog = team.page.getByRole('dialog', { name: 'Send the conversation by e-mail' });
    const colleague = stage.service.admin.email;
    await dialog.getByLabel('E-mail').fill(colleague);
    assert.deepEqual(await seriousViolations(team.page), []);
    await dialog.getByLabel('E-mail').press('Enter');
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(team.errors(), []);
    await team.close();

    await chat.getByRole('button', { name: 'Send this chat by e-mail' }).press('Enter');
    await chat.getByRole('textbox', { name: 'E-mail' }).press('Enter');
    await chat.getByText('The chat is on its way to ada@example.com.').waitFor();
    await isFine();
    await shoot('transcript');
    await chat.getByRole('button', { name: 'Hide' }).press('Enter');
    await eventually(() => smtp.mails.length === 2);
    assert.deepEqual(smtp.mails.map(({ to }) => to[0]).sort(), ['ada@example.com', colleague].sort());

    // Not asked again: not who they are, and not for a rating that was hidden.
    await chat.getByRole('button', { name: 'Hide' }).press('Enter');
    // The frame tells its page, which stores it.
    await page.waitForFunction(`Object.values(localStorage).some((kept) => kept.includes('"rated"'))`);
    await page.reload();
    await page.getByRole('button', { name: 'Open chat' }).click();
    await chat.getByRole('textbox', { name: 'Write a message' }).waitFor();
    assert.equal(await chat.getByRole('radiogroup').count(), 0);

    // While the service cannot be reached, a request for a person is repeated with a pause.
    await stage.service.call('PATCH', `/sessions/${sessionId}/ai-paused`, { body: { aiPaused: false } });
    let requests = 0;
    await context.route('**/widget/person', (route) => {
      requests++;
      return route.abort();
    });
    await chat.getByRole('button', { name: 'Talk to a person' }).press('Enter');
    await eventually(() => requests > 0);
    await isFine();
    assert.ok(requests < 5, `${requests} requests`);
    await context.unroute('**/widget/person');
    await eventually(
      async () => (await stage.service.call('GET', `/sessions/${sessionId}`)).body.aiPaused === true,
    );
    assert.deepEqual(heard, []);
    await context.close();
  });
});
