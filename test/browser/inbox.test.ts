import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { violationsInBothThemes } from '../support/accessibility.ts';
import { clip } from '../support/audio.ts';
import { drawn } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { picture, voice } from '../support/inbox.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';
import { sampleFiles } from '../support/sample-files.ts';

describe('files and long values in the inbox', () => {
  let on: InboxStage;
  let page: Page;
  let call: InboxStage['stage']['service']['call'];

  before(async () => {
    on = await startInbox();
    ({ page } = on);
    ({ call } = on.stage.service);
  });
  after(() => on.stage.close());
  afterEach(() => assert.deepEqual(on.visitor.errors(), []));

  const said = (text: string | RegExp, who = page) => who.getByRole('log').getByText(text);
  const bothThemes = async (who = page) => {
    assert.deepEqual(await violationsInBothThemes(who), []);
  };

  it('pictures open large, voice plays with its transcript, files can be fetched', async () => {
    const id = await on.begin('File Fay', {
      attachments: [
        await on.inbox.upload('hills.png', 'image/png', await picture()),
        await on.inbox.upload('terms.pdf', 'application/pdf', sampleFiles['application/pdf']!()),
      ],
    });
    const { userMessage } = await on.inbox.customerSays(id, {
      content: '',
      attachments: [await on.inbox.upload('hum.wav', 'audio/wav', voice(2))],
    });
    await on.inbox.transcribe(userMessage.id, { text: 'Two coffees please', language: 'en', engine: 'test' });
    await on.goTo(id);
    await said('“Two coffees please”').waitFor();
    const log = page.getByRole('log');
    const heights = () =>
      log.evaluate(
        (box) =>
          new Set([...box.querySelectorAll('[style*=height]')].map((one) => one.getAttribute('style'))).size,
      );
    await eventually(async () => (await heights()) > 5);
    await log.getByRole('button', { name: 'Speed 1×' }).click();
    await log.getByRole('button', { name: 'Speed 1.5×' }).waitFor();
    await log.getByRole('button', { name: 'Play' }).click();
    await log.getByRole('button', { name: 'Pause' }).waitFor();
    await log.getByRole('button', { name: 'Play' }).waitFor();
    const link = log.getByRole('link', { name: /^Download terms.pdf/ });
    const file = await page.request.get((await link.getAttribute('href')) ?? '');
    assert.equal(file.status(), 200);
    await bothThemes();
    await log.getByRole('button', { name: 'Open the picture hills.png' }).click();
    const large = page.getByRole('dialog', { name: 'hills.png' }).getByRole('img');
    await eventually(() =>
      large.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth === 800),
    );
    await page.keyboard.press('Escape');
    await large.waitFor({ state: 'detached' });
  });

  it('a message that is only a recording has no empty line, and shows how long the recording is', async () => {
    // As a browser records it: the file does not say how long it is.
    const recording = clip('order.webm');
    const at = recording.indexOf(Buffer.from([0x44, 0x89, 0x88]));
    assert.ok(at > 0);
    recording.set([0xec, 0x89], at);
    const id = await on.begin('Voice Vic', {
      content: '',
      attachments: [await on.inbox.upload('voice.webm', 'audio/webm', recording)],
    });
    await on.goTo(id);
    const message = page.getByRole('log').getByRole('article').first();
    await message.getByText('0:03').waitFor();
    const player = (await message.locator('.w-80').boundingBox())!;
    const time = (await message.locator('time').boundingBox())!;
    assert.ok(time.y - (player.y + player.height) < 8, `${time.y} below ${player.y + player.height}`);
    // The menu is beside it.
    const menu = (await message.getByRole('button', { name: 'Message actions' }).boundingBox())!;
    assert.ok(menu.x >= player.x + player.width && menu.y < player.y + player.height);
  });

  it('on a phone long values can be read whole, and the head of a note keeps its order', async () => {
    const externalUserId = `customer-${'0123456789'.repeat(12)}`;
    const id = await on.begin('Long Lena', { externalUserId });
    const { channelId } = (await call('GET', `/sessions/${id}`)).body;
    const content = 'Prefers to be called in the morning.';
    const made = await call('POST', `/channels/${channelId}/sessions/${id}/agent-messages`, {
      token: on.stage.service.admin.jwt,
      body: { content, isNote: true },
    });
    assert.equal(made.status, 201, made.text);
    const visitor = await on.stage.open(on.stage.service.admin, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      path: `/inbox/${id}`,
    });
    const phone = visitor.page;
    await phone.getByRole('log').waitFor();
    const note = phone.locator('[data-message]').filter({ hasText: content });
    await note.waitFor();
    const top = async (text: string | RegExp) => (await note.getByText(text).first().boundingBox())!.y;
    const [title, time, who] = [await top('Note'), await top(/\d:\d\d/), await top('You')];
    assert.ok(Math.abs(title - time) < 6 && Math.abs(title - who) < 6, `${title} ${time} ${who}`);
    assert.ok((await top('not visible to the customer')) > title + 6);
    await phone.getByRole('button', { name: 'More actions' }).click();
    await phone.getByRole('menuitem', { name: 'Show the customer' }).click();
    const pane = phone.getByRole('complementary', { name: 'Customer' });
    // The identifiers of the contact, which come later, have it once more.
    const value = pane.getByText(externalUserId).and(phone.locator(':not([title])'));
    await value.scrollIntoViewIfNeeded();
    const isCut = await value.evaluate((one) => one.scrollWidth > one.clientWidth + 1);
    assert.equal(isCut, false);
    assert.ok((await pane.boundingBox())!.width <= 390);
    await bothThemes(phone);
    await visitor.close();
  });

  it('the header keeps name, state and actions readable beside the customer, in every language', async () => {
    const names = ['Alexandra Thompson', 'Bartholomew Jones', 'Christiane Müller'];
    const talks = await Promise.all(names.map((name) => on.begin(name)));
    const team = await call('POST', '/teams', { body: { name: 'Customer support', memberIds: [] } });
    assert.equal(team.status, 201, team.text);
    const owned = { assignedUserId: on.stage.service.admin.userId, teamId: team.body.id };
    for (const id of talks.slice(1)) {
      await call('PATCH', `/sessions/${id}/ai-paused`, { body: { aiPaused: true } });
      const { body } = await call('PATCH', `/sessions/${id}`, {
        body: { ...owned, needsAttention: id === talks[2] },
      });
      assert.equal(body.aiPaused, true);
    }
    const cut: string[] = [];
    for (const [at, id] of talks.entries()) {
      await on.goTo(id);
      const header = page.getByRole('region', { name: names[at]! }).locator('header');
      for (const language of ['en', 'es', 'pt']) {
        await page.evaluate(`localStorage.setItem('talkboard.language', '"${language}"');
          dispatchEvent(new StorageEvent('storage', { key: 'talkboard.language' }))`);
        await page.locator(`html[lang^="${language}"]`).waitFor({ state: 'attached' });
        for (const width of [1024, 1280, 1366, 1440]) {
          await page.setViewportSize({ width, height: 900 });
          // Below 1100 px the customer's pane goes, and the page draws itself once more.
          await drawn(page);
          const problems = await header.evaluate((box) => {
            const wider = (one: { scrollWidth: number; clientWidth: number }) =>
              one.scrollWidth > one.clientWidth + 1;
            const title = box.querySelector('h2')!;
            // Beside the title is what is due next.
            const state = title.parentElement!.nextElementSibling!;
            const text = state.querySelector('span')!;
            return [
              wider(box) && 'the header is wider than its place',
              wider(title) && `the name has ${title.clientWidth} px`,
              wider(text) && `"${text.textContent}" has ${text.clientWidth} px`,
            ].filter(Boolean);
          });
          cut.push(...problems.map((problem) => `${names[at]} ${language} ${width}: ${problem}`));
        }
      }
    }
    assert.deepEqual(cut, []);
  });
});
