import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { drawn, settled, signIn } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/inbox.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';
import { type Json, password } from '../support/service.ts';

const hour = 3_600_000;

describe('signing out', () => {
  let on: InboxStage;
  let page: Page;
  const call: InboxStage['stage']['service']['call'] = (...args) => on.stage.service.call(...args);
  const reply = () => page.getByRole('textbox', { name: 'Reply' });
  const log = () => page.getByRole('log');
  const say = async (text: string) => {
    await reply().fill(text);
    await reply().press('Enter');
  };
  const said = async (id: string): Promise<string[]> =>
    (await on.messages(id)).filter(({ role }) => role === 'operator').map(({ content }) => content);
  const kept = async (): Promise<[string, Json][]> =>
    page.evaluate(
      "Object.entries(localStorage).filter(([key]) => key.startsWith('talkboard.change.')).map(([key, value]) => [key, JSON.parse(value)])",
    );
  const store = (id: string, change: Json) => {
    const { accountId, userId } = on.stage.service.admin;
    const key = `talkboard.change.${accountId}.${userId}.${id}`;
    return page.evaluate(([name, text]) => localStorage.setItem(name!, text!), [key, JSON.stringify(change)]);
  };
  const undoSend = async (undoSendSeconds: number) => {
    const { jwt } = on.stage.service.admin;
    await call('PATCH', '/auth/me', { token: jwt, body: { undoSendSeconds } });
  };
  const signOut = async () => {
    await page
      .getByRole('button', { name: /Clara Nunes/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
  };
  const isOut = () => page.waitForURL(/\/login/);
  const comeBack = async () => {
    await signIn(page, on.stage.service.admin.email, password);
    await page.waitForURL((url) => !url.pathname.endsWith('/login'));
  };
  const stays = () => page.getByText('A message is not sent, so you are still signed in').first().waitFor();
  const keep = (count: string) =>
    page
      .getByRole('dialog', { name: `${count} not sent yet` })
      .getByRole('button', { name: 'Sign out and keep' })
      .click();
  /** Each request waits until its route is answered. */
  const hold = async (path: string, method: string): Promise<Route[]> => {
    const routes: Route[] = [];
    await page.route(path, async (route: Route) => {
      if (route.request().method() === method) routes.push(route);
      else await route.continue();
    });
    return routes;
  };

  before(async () => {
    on = await startInbox(startDashboard);
    ({ page } = on);
  });
  after(() => on.stage.close());
  afterEach(() => page.unrouteAll({ behavior: 'wait' }));

  it('waits for a reply whose file is still being uploaded, and stops if that takes long', async () => {
    const id = await on.begin('Slow Sina');
    await on.open(id);
    const uploads = await hold('**/files/**', 'PUT');
    await page
      .locator('input[type=file]')
      .setInputFiles([{ name: 'plan.png', mimeType: 'image/png', buffer: await picture() }]);
    await page.getByRole('button', { name: 'Remove plan.png' }).waitFor();
    await say('The plan');
    await eventually(() => uploads.length === 1);
    await signOut();
    await stays();
    assert.deepEqual(await said(id), []);
    await uploads[0]!.continue();
    await eventually(async () => (await said(id)).length === 1);
    await eventually(async () => (await kept()).length === 0);
    await signOut();
    await isOut();
    await comeBack();
  });

  it('stops for a reply that could still be undone and is rejected then; the next time the person knows', async () => {
    await undoSend(20);
    const id = await on.begin('Rejected Rita');
    await on.open(id);
    await page.route('**/agent-messages', (route) =>
      route.fulfill({ status: 422, json: { code: 'VALIDATION', message: 'not today' } }),
    );
    await say('Not today');
    await page.getByText(/^Sending in/).waitFor();
    await signOut();
    await stays();
    await log().getByRole('button', { name: 'Retry' }).waitFor();
    await signOut();
    await isOut();
    await undoSend(0);
    await comeBack();
    assert.deepEqual(await said(id), []);
  });

  it('sends a stored message if the person says so, also where no conversation was opened', async () => {
    const id = await on.begin('Stored Stan');
    const at = Date.now() - 49 * hour;
    await store('of-an-earlier-visit', {
      id: 'of-an-earlier-visit',
      at,
      request: {
        method: 'POST',
        path: `/channels/${on.channel.id}/sessions/${id}/agent-messages`,
        body: { content: 'After all', clientId: 'of-an-earlier-visit' },
      },
      edits: [],
      order: `messages of ${id}`,
      failed: 'After all',
      page: 'closed',
      outgoing: {
        sessionId: id,
        channelId: on.channel.id,
        at,
        content: 'After all',
        attachments: [],
        isNote: false,
        isNoteVisibleToAi: false,
        mentionedUserIds: [],
        replyToMessageId: null,
        pauseAi: true,
        resolves: false,
        seenUntil: at,
      },
    });
    await page.goto(`${on.stage.base}/app/contacts`);
    const old = page.getByRole('dialog', { name: 'Changes that were not sent' });
    await old.getByRole('button', { name: 'Close' }).click();
    await old.waitFor({ state: 'detached' });
    await signOut();
    await page.getByRole('button', { name: 'Send and sign out' }).click();
    await isOut();
    assert.deepEqual([await said(id), await kept()], [['After all'], []]);
    await comeBack();
  });

  it('asks nothing if what is stored cannot be read', async () => {
    await page.goto(`${on.stage.base}/app/contacts`);
    await settled(page);
    await store('broken', {});
    await signOut();
    await isOut();
    assert.deepEqual(await kept(), []);
    await comeBack();
  });

  describe('while requests are under way', () => {
    let id: string;
    let routes: Route[];
    const keys = () => routes.map((route) => route.request().headers()['idempotency-key']);
    const isWaiting = (text: string) => log().locator('article', { hasText: text });
    const backInChat = async () => {
      await comeBack();
      // Without waiting for requests: they are held.
      await page.evaluate(`history.pushState({}, '', '/app/inbox/${id}')`);
      await log().waitFor();
    };
    /** Both are stored; the second waits for the first. */
    const sayTwo = async (name: string) => {
      id = await on.begin(name);
      await on.open(id);
      routes = await hold('**/agent-messages', 'POST');
      await say('First');
      await eventually(() => routes.length === 1);
      // The service has the first, the page has no answer yet.
      const response = await routes[0]!.fetch();
      await say('Second');
      await eventually(async () => (await kept()).length === 2);
      await signOut();
      await keep('2 changes are');
      await isOut();
      return response;
    };

    it('does not keep the next sign-in from sending what is stored', async () => {
      await sayTwo('Twice Tilda');
      await backInChat();
      await eventually(() => routes.length === 2);
      await routes[1]!.continue();
      await eventually(() => routes.length === 3);
      await routes[2]!.continue();
      await eventually(async () => (await kept()).length === 0);
      const [first, again, second] = keys();
      assert.equal(first, again);
      assert.notEqual(first, second);
      assert.deepEqual(await said(id), ['First', 'Second']);
      // What is left of the earlier sign-in does not hold up this one.
      await signOut();
      await isOut();
      await routes[0]!.abort();
      await comeBack();
      on.visitor.errors(/Failed to load resource/);
    });

    it('and what is left of the earlier sign-in does not touch what was resumed', async () => {
      const response = await sayTwo('Again Anna');
      await backInChat();
      await eventually(() => routes.length === 2);
      await isWaiting('Second').waitFor();
      await routes[0]!.fulfill({ response });
      await drawn(page);
      assert.deepEqual(
        (await kept()).map(([, change]) => change.failed).sort(),
        ['First', 'Second'],
        'stored until the resumed ones are answered',
      );
      assert.equal(await isWaiting('Second').count(), 1);
      await routes[1]!.continue();
      await eventually(() => routes.length === 3);
      await routes[2]!.continue();
      await eventually(async () => (await kept()).length === 0);
      assert.deepEqual(await said(id), ['First', 'Second']);
      assert.deepEqual(on.visitor.errors(), []);
    });
  });
});
