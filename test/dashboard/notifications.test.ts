import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import type { Visitor } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';
import type { Json } from '../support/service.ts';

describe('mentions and notifications', () => {
  let on: InboxStage;
  /** Clara, who administrates. */
  let page: Page;
  let call: InboxStage['stage']['service']['call'];
  let ana: { id: string; email: string; jwt: string };
  let anas: Visitor;

  before(async () => {
    on = await startInbox(startDashboard);
    ({ page } = on);
    ({ call } = on.stage.service);
    ana = await on.stage.service.createUser('operator');
    await call('PATCH', `/users/${ana.id}`, { body: { name: 'Ana Sousa' } });
    const other = await on.stage.service.createUser('operator');
    await call('PATCH', `/users/${other.id}`, { body: { name: 'Andrei Popa' } });
    anas = await on.stage.open(ana);
    await anas.page.getByRole('button', { name: 'Notifications' }).waitFor();
  });
  after(() => on.stage.close());

  const told = (who: Page) => who.getByRole('dialog', { name: 'Notifications' }).getByRole('listitem');

  it('@ offers colleagues, the note shows a chip, and the colleague is told and led there', async () => {
    const id = await on.begin('Mention Mia');
    await on.open(id);
    await page.getByRole('log').focus();
    await page.keyboard.press('n');
    await page.keyboard.type('Please call back, @an');
    const list = page.getByRole('listbox', { name: 'Colleagues' });
    await list.waitFor();
    assert.equal(await list.getByRole('option').count(), 2);
    await page.keyboard.type('a');
    await page.keyboard.press('Enter');
    const note = page.getByRole('textbox', { name: 'Note' });
    assert.equal(await note.inputValue(), 'Please call back, @Ana Sousa ');
    await note.press('Enter');
    const shown = page.getByRole('region', { name: /^Note/ });
    await shown.getByText('@Ana Sousa', { exact: true }).waitFor();
    const stored = (await on.messages(id)).find((one) => one.isNote)!;
    assert.deepEqual(stored.mentions, [{ id: ana.id, name: 'Ana Sousa' }]);
    assert.equal(stored.content, 'Please call back, @Ana Sousa');

    const edge = anas.page.getByRole('region', { name: 'Messages' });
    await edge.getByText('Clara Nunes · Mention Mia').waitFor();
    await anas.page.getByRole('button', { name: /Notifications.*1 unread/ }).click();
    await told(anas.page).first().getByText('Please call back').waitFor();
    await told(anas.page).first().getByRole('button').click();
    await anas.page.waitForURL(`**/app/inbox/${id}`);
    await eventually(async () => {
      const { body } = await call('GET', '/notifications', { token: ana.jwt });
      return body.unread === 0;
    });
    await anas.page.getByRole('region', { name: /^Note/ }).getByText('@Ana Sousa', { exact: true }).waitFor();
    assert.deepEqual(on.visitor.errors(), []);
    assert.deepEqual(anas.errors(), []);
  });

  it('in a reply to the customer, @ is just a sign', async () => {
    const id = await on.begin('Plain Paul');
    await on.open(id);
    await page.keyboard.press('r');
    await page.keyboard.type('@an');
    assert.equal(await page.getByRole('listbox', { name: 'Colleagues' }).count(), 0);
    await page.getByRole('textbox', { name: 'Reply' }).fill('');
  });

  it('all can be marked as read, and reading the chat marks what was told of it', async () => {
    await anas.page.goto(`${on.stage.base}/app/boards/sales`);
    const ids = [await on.begin('Wait Walter'), await on.begin('Wait Wilma')];
    for (const id of ids) {
      await call('PATCH', `/sessions/${id}/ai-paused`, { body: { aiPaused: true } });
      await on.inbox.customerSays(id, { content: 'Anyone?' });
    }
    const unreadOf = async (id: string) =>
      (await call('GET', '/notifications?unread=true&limit=100', { token: ana.jwt })).body.items.filter(
        (one: Json) => one.sessionId === id,
      ).length;
    for (const id of ids) await eventually(async () => (await unreadOf(id)) === 1);
    await on.inbox.customerSays(ids[1]!, { content: 'Hello?' });
    await anas.page.goto(`${on.stage.base}/app/inbox/${ids[0]}`);
    await eventually(async () => (await unreadOf(ids[0]!)) === 0);
    assert.equal(await unreadOf(ids[1]!), 1);
    await anas.page.getByRole('button', { name: /Notifications.*unread/ }).click();
    await told(anas.page)
      .filter({ hasText: 'Wait Wilma' })
      .getByText(/^[23] in total$/)
      .waitFor();
    await anas.page.getByRole('button', { name: 'Mark all as read' }).click();
    await eventually(async () => (await call('GET', '/notifications', { token: ana.jwt })).body.unread === 0);
    await anas.page.keyboard.press('Escape');
    assert.equal(await anas.page.getByRole('button', { name: /Notifications.*unread/ }).count(), 0);
    anas.errors();
  });

  it('one that arrives while the list is read is shown', async () => {
    const id = await on.begin('Late Lena');
    await call('PATCH', `/sessions/${id}/ai-paused`, { body: { aiPaused: true } });
    const read = Promise.withResolvers<void>();
    const isShown = Promise.withResolvers<void>();
    const answerLate = async (route: Route) => {
      const response = await route.fetch();
      read.resolve();
      await isShown.promise;
      await route.fulfill({ response });
    };
    await anas.page.route('**/notifications?*', answerLate, { times: 1 });
    await anas.page.goto(`${on.stage.base}/app/boards/sales`);
    await read.promise;
    await on.inbox.customerSays(id, { content: 'Anyone?' });
    await anas.page.getByRole('region', { name: 'Messages' }).getByText('Late Lena').first().waitFor();
    isShown.resolve();
    await anas.page.getByRole('button', { name: /Notifications.*unread/ }).click();
    await told(anas.page).filter({ hasText: 'Late Lena' }).waitFor();
    await anas.page.keyboard.press('Escape');
    anas.errors();
  });

  it('each person chooses topics, ways and quiet hours; what is turned off is not told', async () => {
    await anas.page.goto(`${on.stage.base}/app/settings/notifications`);
    const box = (name: string) => anas.page.getByRole('checkbox', { name, exact: true });
    await box('Mentions: Page').waitFor();
    assert.equal(await box('Disabled webhooks: Page').count(), 0, 'is the administrators’ affair');
    assert.equal(await box('All other messages: Page').isChecked(), false);
    await box('Mentions: Page').click();
    await box('Mentions: Push').click();
    assert.equal(await box('Mentions: Sound').isChecked(), false, 'nothing to sound in');
    await anas.page.getByRole('switch', { name: 'Mute during these hours' }).click();
    await anas.page.getByLabel('From').fill('21:30');
    await anas.page.getByLabel('From').press('Enter');
    const read = async (): Promise<Json> =>
      (await call('GET', '/notifications/settings', { token: ana.jwt })).body;
    await eventually(async () => (await read()).quietHours.from === '21:30');
    const { topics, quietHours } = await read();
    assert.deepEqual(topics.mention, { page: false, push: false, sound: false });
    assert.equal(quietHours.enabled, true);
    assert.notEqual(quietHours.timeZone, '');
    await anas.page.reload();
    await box('Mentions: Page').waitFor();
    assert.equal(await box('Mentions: Page').isChecked(), false);

    const id = await on.begin('Silent Sam');
    await on.inbox.operatorSays(id, { content: 'Hello', isNote: true, mentionedUserIds: [ana.id] });
    await call('PATCH', `/sessions/${id}`, { body: { needsAttention: true } });
    // The later one was told, so the earlier one was not.
    await anas.page.getByRole('button', { name: /Notifications.*unread/ }).click();
    const aboutSam = told(anas.page).filter({ hasText: 'Silent Sam' });
    await aboutSam.getByText('needs a person').waitFor();
    assert.equal(await aboutSam.filter({ hasText: 'Clara Nunes' }).count(), 0);
    assert.deepEqual(anas.errors(), []);
  });

  it('a conversation that waits for a person offers to be taken over', async () => {
    const id = await on.begin('Waiting Wendy');
    await call('PATCH', `/sessions/${id}/ai-paused`, { body: { aiPaused: true } });
    await call('PATCH', `/sessions/${id}`, { body: { needsAttention: true } });
    await on.open(id);
    await page.getByText('Waiting for a person').first().waitFor();
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByText('a teammate is replying').first().waitFor();
    await page.getByRole('button', { name: 'Hand back' }).waitFor();
    await eventually(async () => {
      const { body } = await call('GET', `/sessions/${id}`);
      return body.aiPaused && !body.needsAttention;
    });
  });

  it('an answer of the AI is shown as the customer sees it, and nothing in it runs', async () => {
    const id = await on.begin('Markdown Mo');
    await on.open(id);
    const held = await on.inbox.hold(
      id,
      'We have **two** kinds:\n\n- *Filter*\n- Espresso\n\nSee [our page](https://harbour.example/a) or [this](javascript:alert(1)) <img src=x onerror=alert(1)>',
    );
    await call('POST', `/sessions/${id}/messages/${held}/release`);
    await page.reload();
    const said = page.locator(`[data-message="${held}"]`);
    await said.getByText('two', { exact: true }).waitFor();
    assert.equal(await said.locator('strong').textContent(), 'two');
    assert.deepEqual(await said.getByRole('listitem').allTextContents(), ['Filter', 'Espresso']);
    assert.deepEqual(
      await said.getByRole('link').evaluateAll((all) => all.map((one) => (one as { href: string }).href)),
      ['https://harbour.example/a'],
    );
    assert.equal(await said.locator('img').count(), 0);
    await said.getByText('<img src=x').waitFor();
  });

  it('nobody is called by a machine’s id, and a block by a colleague is seen at once', async () => {
    const sessionId = '0197b2f0-8f0e-7cc1-9d2e-5a1b2c3dbeef';
    await on.inbox.customerSays(sessionId, { content: 'Hello' });
    await on.open(sessionId);
    await page.getByRole('heading', { level: 2, name: 'Visitor BEEF' }).waitFor();
    await call('POST', `/blocked-contacts/${sessionId}`, { token: ana.jwt, body: {} });
    await page.getByText('This customer is blocked').waitFor();
    await call('DELETE', `/blocked-contacts/${sessionId}`, { token: ana.jwt });
    await page.getByText('This customer is blocked').waitFor({ state: 'detached' });
  });
});
