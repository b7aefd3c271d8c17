import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { hearLive, settled, type Visitor } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';
import { scriptPayloads } from '../support/script-payloads.ts';

/** What a script of a stranger's would leave behind. */
const traces = `({
  pwned: window.pwned,
  links: [...document.querySelectorAll('a[href]')].map((link) => new URL(link.href).protocol),
  strange: document.querySelectorAll('main script, main iframe, main object, main embed, main marquee').length,
  handlers: [...document.querySelectorAll('*')].filter((element) =>
    element.getAttributeNames().some((name) => name.startsWith('on'))).length,
})`;

describe('the inbox as others change it', () => {
  let on: InboxStage;
  let page: Page;
  let other: Visitor;

  before(async () => {
    on = await startInbox();
    ({ page } = on);
    const operator = await on.stage.service.createUser('operator');
    await on.stage.service.call('PATCH', `/users/${operator.id}`, { body: { name: 'Otto Weber' } });
    other = await on.stage.open(operator);
  });
  after(() => on.stage.close());

  const said = (text: string | RegExp, who = page) => who.getByRole('log').getByText(text);
  const reply = (who = page) => who.getByRole('textbox', { name: 'Reply' });
  const fill = async (id: string, count: number) => {
    for (let n = 0; n < count; n++) await on.inbox.customerSays(id, { content: `Line ${n}\nof several` });
  };

  it('two operators see each other: who looks, who writes, what is sent', async () => {
    const id = await on.begin('Shared Sue');
    const chat = page.getByRole('region', { name: 'Shared Sue' });
    await on.open(id);
    await on.open(id, other.page);
    await chat.getByText('Otto Weber is reading this').waitFor();
    await reply(other.page).pressSequentially('I am on it');
    await chat.getByText('Otto Weber is replying').waitFor();
    // Enter alone would take over.
    await reply(other.page).press('Alt+Enter');
    await said('I am on it').waitFor();
    await chat.getByText('Otto Weber is replying').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Take over' }).click();
    await other.page.getByRole('button', { name: 'Hand back' }).waitFor();
    await on.inbox.customerSays(id, { content: 'Good to know' });
    await said('Good to know').waitFor();
    await said('Good to know', other.page).waitFor();
    await eventually(async () => (await on.stage.service.call('GET', `/sessions/${id}`)).body.unread === 0);
    assert.deepEqual([...on.visitor.errors(), ...other.errors()], []);
  });

  it('a new message does not move what is being read, and is told below', async () => {
    const id = await on.begin('Long Lou');
    await fill(id, 70);
    await on.open(id);
    await said('Line 69').waitFor();
    const log = page.getByRole('log');
    await log.hover();
    await page.mouse.wheel(0, -900);
    await page.getByRole('button', { name: 'Go to the newest message' }).waitFor();
    const place = () =>
      log.evaluate((box) => {
        const top = box.getBoundingClientRect().top;
        const first = [...box.querySelectorAll('[data-message]')].find(
          (one) => one.getBoundingClientRect().top >= top,
        );
        return { id: first?.getAttribute('data-message'), top: first?.getBoundingClientRect().top ?? 0 };
      });
    const before = await place();
    await on.inbox.customerSays(id, { content: 'Are you there?' });
    await page.getByRole('button', { name: '1 new message' }).waitFor();
    assert.deepEqual(await place(), before);
    assert.equal((await on.stage.service.call('GET', `/sessions/${id}`)).body.unread, 1, 'not seen yet');
    await page.getByRole('button', { name: '1 new message' }).click();
    await eventually(async () => (await on.stage.service.call('GET', `/sessions/${id}`)).body.unread === 0);

    // Older messages come before what is read, and leave it where it is.
    for (let tries = 0; tries < 30 && !(await said('Start of the conversation').isVisible()); tries++) {
      await page.mouse.wheel(0, -600);
      const here = await place();
      await settled(page);
      const there = await place();
      if (here.id === there.id)
        assert.ok(Math.abs(here.top - there.top) < 2, JSON.stringify({ here, there }));
    }
    await said('Hello from Long Lou').waitFor();
    assert.deepEqual(on.visitor.errors(), []);
  });

  it('after a lost connection nothing is missing, nothing twice, and the list is right', async () => {
    const id = await on.begin('Back Bob');
    await on.open(id);
    await said('Hello from Back Bob').waitFor();
    await page.context().setOffline(true);
    await page.getByText('You are offline').waitFor();
    for (const content of ['while away 1', 'while away 2', 'while away 3']) {
      await on.inbox.customerSays(id, { content });
    }
    const fresh = await on.begin('Fresh Fred');
    await page.context().setOffline(false);
    await said('while away 3').waitFor();
    assert.equal(await said(/while away/).count(), 3);
    await page.getByRole('link', { name: /^Fresh Fred/ }).waitFor();
    const order = await page
      .locator('[data-session]')
      .evaluateAll((rows) => rows.slice(0, 2).map((one) => one.getAttribute('data-session')));
    assert.deepEqual(order, [fresh, id]);
    on.visitor.errors();
  });

  it('what changes while a conversation is being opened is shown', async () => {
    const id = await on.begin('Hasty Hugo');
    const hears = hearLive(page);
    await page.goto(`${on.stage.base}/app/inbox`);
    await hears('"hello"');
    const mayAnswer = Promise.withResolvers<void>();
    /** Answers the first request late; the returned promise waits until the service has answered it. */
    const answerLate = async (path: string) => {
      const isAnswered = Promise.withResolvers<void>();
      const hold = async (route: Route) => {
        const response = await route.fetch();
        isAnswered.resolve();
        await mayAnswer.promise;
        await route.fulfill({ response });
      };
      await page.route(path, hold, { times: 1 });
      return () => isAnswered.promise;
    };
    const sessionIsRead = await answerLate(`**/inbox/sessions/${id}`);
    const messagesAreRead = await answerLate(`**/sessions/${id}/messages*`);
    await page.getByRole('link', { name: /^Hasty Hugo/ }).click();
    await sessionIsRead();
    await messagesAreRead();
    const { body } = await on.stage.service.call('GET', `/sessions/${id}`);
    await on.inbox.customerSays(id, { content: 'One more thing' });
    const path = `/blocked-contacts/${encodeURIComponent(body.externalUserId)}`;
    await on.stage.service.call('POST', path, { body: {} });
    await hears('One more thing');
    await hears('contacts.updated');
    mayAnswer.resolve();
    await said('One more thing').waitFor();
    await page.getByText('This customer is blocked').waitFor();
  });

  it('a conversation that moves to a closed board leaves the list of who may not see it', async () => {
    const { call, admin } = on.stage.service;
    const closed = (await call('POST', '/kanbans', { body: { name: 'Closed' } })).body;
    await call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds: [admin.userId] } });
    const id = await on.begin('Leaving Lea');
    await on.open(id, other.page);
    await call('POST', `/sessions/${id}/transfer`, { body: { kanbanId: closed.id } });
    await other.page.getByText('Conversation not found').waitFor();
    await other.page.getByRole('link', { name: /^Leaving Lea/ }).waitFor({ state: 'detached' });
    other.errors();
  });

  it('nothing that strangers write is run: names, messages, files, links, transcripts', async () => {
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const id = await on.begin('Plain');
    for (const payload of scriptPayloads) {
      await on.inbox.customerSays(id, { content: payload, sessionName: payload.slice(0, 255) });
    }
    for (const [index, payload] of scriptPayloads.entries()) {
      if (index % 6 !== 0) continue;
      const file = await on.inbox.upload(payload, 'text/plain', Buffer.from('text'));
      const { userMessage } = await on.inbox.customerSays(id, { content: '', attachments: [file] });
      await on.inbox.transcribe(userMessage.id, { text: payload, language: payload, engine: payload });
      await on.inbox.operatorSays(id, { content: payload, isNote: true });
      await on.inbox.customerSays(`name-${index}`, {
        sessionName: payload.slice(0, 255),
        externalUserId: payload,
      });
    }
    await on.inbox.hold(id, scriptPayloads[6]!);
    await on.open(id);
    await page.getByRole('region', { name: /^Held back/ }).waitFor();
    await settled(page);
    const seen = (await page.evaluate(traces)) as { [name: string]: unknown; links: string[] };
    assert.equal(seen.pwned, undefined);
    assert.deepEqual(
      [...new Set(seen.links)].filter((protocol) => !/^https?:$/.test(protocol)),
      [],
    );
    assert.equal(seen.strange, 0);
    assert.equal(seen.handlers, 0);
    assert.deepEqual(dialogs, []);
    for (const payload of scriptPayloads.slice(-12)) {
      assert.ok(
        await page.getByRole('log').evaluate((log, text) => log.textContent?.includes(text), payload),
        payload,
      );
    }
    assert.deepEqual(on.visitor.errors(), []);
  });
});
