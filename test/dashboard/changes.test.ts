import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page, Request, Route } from 'playwright-core';
import { type DashboardStage, drawn, settled, signIn, type Visitor } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { inboxOf } from '../support/inbox.ts';
import { type Json, password } from '../support/service.ts';

const hour = 3_600_000;

describe('changes that are not answered', () => {
  let stage: DashboardStage;
  let visitor: Visitor;
  let page: Page;
  let board: Json;
  const call: DashboardStage['service']['call'] = (...args) => stage.service.call(...args);
  const records = async (): Promise<Json[]> =>
    (await call('GET', `/crm/records?kanbanId=${board.id}`)).body.items;
  const add = async (title: string): Promise<string> =>
    (await call('POST', `/crm/records?kanbanId=${board.id}`, { body: { title } })).body.recordId;
  const card = (title: string) => page.getByRole('group', { name: new RegExp(`^${title}`) });
  const kept = async (): Promise<[string, Json][]> =>
    page.evaluate(
      "Object.entries(localStorage).filter(([key]) => key.startsWith('talkboard.change.')).map(([key, value]) => [key, JSON.parse(value)])",
    );
  const store = (key: string, change: Json) =>
    page.evaluate(([name, text]) => localStorage.setItem(name!, text!), [key, JSON.stringify(change)]);
  const dialog = () => page.getByRole('dialog', { name: '1 change is not sent yet' });
  const signOut = async () => {
    await page.getByRole('button', { name: 'Account and theme' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
  };
  const enter = async (email: string) => {
    await page.waitForURL(/\/login/);
    await signIn(page, email, password);
    await page.waitForURL((url) => !url.pathname.endsWith('/login'));
  };
  const openBoard = () => page.goto(`${stage.base}/app/boards/${board.slug}`);

  before(async () => {
    stage = await startDashboard();
    visitor = await stage.open(stage.service.admin);
    ({ page } = visitor);
    board = (
      await call('POST', '/kanbans', {
        body: {
          name: 'Work',
          statuses: [
            { value: 'new', label: 'New', color: '#5660d6' },
            { value: 'done', label: 'Done', color: '#8b8f9a' },
          ],
        },
      })
    ).body;
  });
  after(() => stage.close());

  it('a card whose answer was lost with the page is shown after the reload, and is created once', async () => {
    await openBoard();
    const sent: Request[] = [];
    const isSent = Promise.withResolvers<void>();
    await page.route('**/crm/records?**', async (route: Route) => {
      if (route.request().method() !== 'POST') return route.continue();
      sent.push(route.request());
      // The service has it, the page never hears of it.
      if (sent.length === 1) {
        await route.fetch();
        return isSent.resolve();
      }
      await route.continue();
    });
    await page.getByRole('button', { name: 'Add card' }).first().click();
    const field = page.getByRole('textbox', { name: 'Title, then Enter' });
    await field.fill('Lost answer');
    await field.press('Enter');
    await isSent.promise;
    assert.equal((await kept()).length, 1);
    await page.reload();
    await card('Lost answer').waitFor();
    await eventually(async () => (await kept()).length === 0);
    const keys = sent.map((request) => request.headers()['idempotency-key']);
    assert.equal(keys.length, 2);
    assert.equal(keys[0], keys[1]);
    assert.equal(sent[0]!.postDataJSON().clientId, keys[0]);
    assert.equal((await records()).filter(({ title }) => title === 'Lost answer').length, 1);
    await settled(page);
    assert.equal(await card('Lost answer').count(), 1);
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('a card that could not be sent is the same change when it is tried again', async () => {
    await openBoard();
    const sent: Request[] = [];
    await page.route('**/crm/records?**', async (route: Route) => {
      if (route.request().method() !== 'POST') return route.continue();
      sent.push(route.request());
      return sent.length === 1 ? route.abort() : route.continue();
    });
    await page.getByRole('button', { name: 'Add card' }).first().click();
    const field = page.getByRole('textbox', { name: 'Title, then Enter' });
    await field.fill('Tried again');
    await field.press('Enter');
    await page.getByRole('button', { name: 'Retry' }).click();
    await eventually(async () => (await records()).some(({ title }) => title === 'Tried again'));
    const keys = sent.map((request) => request.headers()['idempotency-key']);
    assert.equal(keys.length, 2);
    assert.equal(keys[0], keys[1]);
    await page.unrouteAll({ behavior: 'wait' });
    visitor.errors();
  });

  it('a deletion whose window was closed before its time to undo was over is carried out, and shown as such', async () => {
    const recordId = await add('Deleted Dan');
    const other = await visitor.context.newPage();
    await other.goto(`${stage.base}/app/boards/${board.slug}/records/${recordId}`);
    const panel = other.getByRole('complementary', { name: 'Deleted Dan' });
    await panel.getByRole('button', { name: 'More' }).click();
    await other.getByRole('menuitem', { name: /Delete/ }).click();
    await other.getByRole('button', { name: 'Undo' }).waitFor();
    assert.equal((await call('GET', `/crm/records/${recordId}`)).status, 200);
    const [[key, change]] = (await kept()) as [[string, Json]];
    // As if the browser had been ended: the window sends nothing any more. Without locks it counts as gone after a minute.
    await other.close();
    await store(key, { ...change, keptAt: change.keptAt - 2 * 60_000 });
    await openBoard();
    await eventually(async () => (await call('GET', `/crm/records/${recordId}`)).status === 404);
    await eventually(async () => (await kept()).length === 0);
    assert.equal(await card('Deleted Dan').count(), 0);
    visitor.errors();
  });

  it('a reply written offline still waits after a reload, and is sent once', async () => {
    const sessionId = 'offline-olaf';
    await inboxOf(stage.service).customerSays(sessionId, { content: 'Hello?', sessionName: 'Offline Olaf' });
    await page.goto(`${stage.base}/app/inbox/${sessionId}`);
    const reply = page.getByRole('textbox', { name: 'Reply' });
    await reply.fill('Sent after all');
    await visitor.context.setOffline(true);
    await reply.press('Enter');
    await page.getByText('Waiting. Sent when you are back online.').waitFor();
    const [[key, change]] = (await kept()) as [[string, Json]];
    await visitor.context.setOffline(false);
    // Sent by the page itself; the next one finds the change as if the answer had been lost.
    await eventually(async () => (await kept()).length === 0);
    await store(key, { ...change, page: 'closed', keptAt: change.keptAt - 2 * 60_000 });
    await page.reload();
    await eventually(async () => (await kept()).length === 0);
    await settled(page);
    assert.equal(await page.getByRole('log').getByText('Sent after all').count(), 1);
    const { body } = await call('GET', `/sessions/${sessionId}/messages`);
    const said = body.items.filter((one: Json) => one.content === 'Sent after all');
    assert.deepEqual(
      said.map((one: Json) => one.clientId),
      [change.id],
    );
    assert.equal(await reply.inputValue(), '');
    visitor.errors();
  });

  it('changes of one card are sent one after the other', async () => {
    const recordId = await add('Ordered Ora');
    await page.goto(`${stage.base}/app/boards/${board.slug}/records/${recordId}`);
    const panel = page.getByRole('complementary');
    const title = panel.getByRole('textbox', { name: 'Title' });
    await title.waitFor();
    await settled(page);
    const held = Promise.withResolvers<void>();
    const bodies: Json[] = [];
    await page.route(`**/crm/records/${recordId}`, async (route: Route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      bodies.push(route.request().postDataJSON());
      if (bodies.length === 1) await held.promise;
      await route.continue();
    });
    for (const text of ['Ordered Orb', 'Ordered Orc']) {
      await title.fill(text);
      await title.press('Enter');
    }
    await eventually(async () => (await kept()).length === 2);
    await drawn(page);
    assert.deepEqual(bodies, [{ title: 'Ordered Orb' }]);
    held.resolve();
    await eventually(
      async () => (await call('GET', `/crm/records/${recordId}`)).body.title === 'Ordered Orc',
    );
    assert.deepEqual(bodies, [{ title: 'Ordered Orb' }, { title: 'Ordered Orc' }]);
    await page.unrouteAll({ behavior: 'wait' });
  });

  describe('of a person whose browser another one has signed in to', () => {
    let other: { id: string; email: string };
    /** In another window. */
    const signInElsewhere = async (email: string) => {
      const { headers } = await call('POST', '/auth/login', { token: null, body: { email, password } });
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(headers['set-cookie'] ?? '') ?? [];
      await visitor.context.addCookies([{ name, value, path: '/auth' }] as never);
    };
    before(async () => {
      other = await stage.service.createUser('operator');
    });

    it('are not sent with the rights of the other one, and are sent when their person is back', async () => {
      const recordId = await add('Owned Otto');
      await page.goto(`${stage.base}/app/boards/${board.slug}/records/${recordId}`);
      const title = page.getByRole('complementary').getByRole('textbox', { name: 'Title' });
      await title.waitFor();
      await settled(page);
      const tokens: string[] = [];
      await page.route(`**/crm/records/${recordId}`, async (route: Route) => {
        if (route.request().method() !== 'PUT') return route.continue();
        tokens.push(route.request().headers().authorization ?? '');
        // As if the token had expired.
        if (tokens.length === 1) return route.fulfill({ status: 401, json: { code: 'UNAUTHORIZED' } });
        await route.continue();
      });
      await signInElsewhere(other.email);
      const isLoaded = page.waitForEvent('load');
      await title.fill('Owned Otta');
      await title.press('Enter');
      await isLoaded;
      await settled(page);
      assert.equal((await call('GET', `/crm/records/${recordId}`)).body.title, 'Owned Otto');
      const [[key, change]] = (await kept()) as [[string, Json]];
      assert.match(key, new RegExp(stage.service.admin.userId));
      assert.equal(tokens.length, 1);

      await signInElsewhere(stage.service.admin.email);
      // Without locks its page counts as gone after a minute.
      await store(key, { ...change, keptAt: change.keptAt - 2 * 60_000 });
      await page.reload();
      await eventually(async () => {
        const { body } = await call('GET', `/crm/records/${recordId}`);
        return body.title === 'Owned Otta' && body.updatedBy === stage.service.admin.userId;
      });
      await eventually(async () => (await kept()).length === 0);
      await page.unrouteAll({ behavior: 'wait' });
      visitor.errors();
    });
  });

  describe('when their person signs out before they are answered', () => {
    let other: { email: string };
    /** Taking over is two changes, one after the other: the first is held, and the person signs out and keeps it. */
    const takeOverAndSignOut = async (sessionId: string) => {
      await inboxOf(stage.service).customerSays(sessionId, { content: 'Hello?', sessionName: sessionId });
      await call('PATCH', `/sessions/${sessionId}/ai-paused`, { body: { aiPaused: true } });
      await call('PATCH', `/sessions/${sessionId}`, { body: { needsAttention: true } });
      await page.goto(`${stage.base}/app/inbox/${sessionId}`);
      await page.getByRole('textbox', { name: 'Reply' }).waitFor();
      await settled(page);
      const held = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<void>();
      const second: Request[] = [];
      await page.route(`**/sessions/${sessionId}/ai-paused`, async (route: Route) => {
        await held.promise;
        await route.continue();
        answered.resolve();
      });
      await page.route(`**/sessions/${sessionId}`, async (route: Route) => {
        if (route.request().method() === 'PATCH') second.push(route.request());
        await route.continue();
      });
      await page.getByRole('button', { name: 'Take over', exact: true }).click();
      await eventually(async () => (await kept()).length === 1);
      await signOut();
      await dialog().getByRole('button', { name: 'Sign out and keep' }).click();
      await page.waitForURL(/\/login/);
      const answer = async () => {
        held.resolve();
        await answered.promise;
        await settled(page);
      };
      return { answer, second };
    };
    const backAsAdmin = async () => {
      await page.unrouteAll({ behavior: 'wait' });
      await enter(stage.service.admin.email);
      await eventually(async () => (await kept()).length === 0);
      visitor.errors();
    };
    before(async () => {
      other = await stage.service.createUser('admin');
    });

    it('none is started while nobody is signed in', async () => {
      const { answer, second } = await takeOverAndSignOut('nobody-nora');
      await answer();
      assert.equal(second.length, 0);
      await backAsAdmin();
    });

    it('none of them starts another one as the next person', async () => {
      const { answer, second } = await takeOverAndSignOut('next-nina');
      await enter(other.email);
      await answer();
      assert.equal(second.length, 0);
      await signOut();
      await backAsAdmin();
    });
  });

  describe('when their person signs out without a network', () => {
    const reply = () => page.getByRole('textbox', { name: 'Reply' });
    const said = async (sessionId: string): Promise<Json[]> =>
      (await call('GET', `/sessions/${sessionId}/messages`)).body.items.filter(
        ({ role }: Json) => role === 'operator',
      );
    const writeOffline = async (sessionId: string, text: string) => {
      await inboxOf(stage.service).customerSays(sessionId, { content: 'Hello?', sessionName: sessionId });
      await page.goto(`${stage.base}/app/inbox/${sessionId}`);
      await reply().fill(text);
      await visitor.context.setOffline(true);
      await reply().press('Enter');
      await page.getByText('Waiting. Sent when you are back online.').waitFor();
    };

    it('are sent after all if signing out is cancelled', async () => {
      await writeOffline('cancelled-carl', 'Still here');
      await signOut();
      await dialog().getByText('Still here').waitFor();
      assert.equal(await dialog().getByRole('button', { name: 'Send and sign out' }).count(), 0);
      await visitor.context.setOffline(false);
      await dialog().getByRole('button', { name: 'Close' }).click();
      await dialog().waitFor({ state: 'detached' });
      await eventually(async () => (await said('cancelled-carl')).length === 1);
      await eventually(async () => (await kept()).length === 0);
      visitor.errors();
    });

    it('stay for their next sign-in, also when another person signs in before', async () => {
      const other = await stage.service.createUser('operator');
      await writeOffline('kept-kim', 'Kept for me');
      await signOut();
      await dialog().getByRole('button', { name: 'Sign out and keep' }).click();
      await page.waitForURL(/\/login/);
      await visitor.context.setOffline(false);
      await enter(other.email);
      await settled(page);
      assert.deepEqual([(await kept()).length, await said('kept-kim')], [1, []]);
      await signOut();
      await enter(stage.service.admin.email);
      await eventually(async () => (await kept()).length === 0);
      const [message, ...more] = await said('kept-kim');
      assert.deepEqual([message?.operator.id, more], [stage.service.admin.userId, []]);
      visitor.errors();
    });

    it('are sent if the network is back, or discarded', async () => {
      await writeOffline('discarded-dora', 'Never said');
      await signOut();
      await dialog().getByRole('button', { name: 'Discard and sign out' }).click();
      await page.waitForURL(/\/login/);
      await visitor.context.setOffline(false);
      assert.equal((await kept()).length, 0);
      await enter(stage.service.admin.email);
      await settled(page);
      assert.deepEqual(await said('discarded-dora'), []);

      const recordId = await add('Slow Sam');
      await page.goto(`${stage.base}/app/boards/${board.slug}/records/${recordId}`);
      const title = page.getByRole('complementary').getByRole('textbox', { name: 'Title' });
      await title.waitFor();
      await settled(page);
      const held = Promise.withResolvers<void>();
      await page.route(`**/crm/records/${recordId}`, async (route: Route) => {
        if (route.request().method() === 'PUT') await held.promise;
        await route.continue();
      });
      await title.fill('Slow Samuel');
      await title.press('Enter');
      await eventually(async () => (await kept()).length === 1);
      await signOut();
      await dialog().getByRole('button', { name: 'Send and sign out' }).click();
      held.resolve();
      await page.waitForURL(/\/login/);
      assert.equal((await call('GET', `/crm/records/${recordId}`)).body.title, 'Slow Samuel');
      await page.unrouteAll({ behavior: 'wait' });
      await enter(stage.service.admin.email);
      visitor.errors();
    });
  });

  describe('of a page that is left', () => {
    /** As a browser that keeps the page: it cuts off its requests, and may show it again. */
    const leave = () => page.evaluate("window.dispatchEvent(new Event('pagehide'))");
    const comeBack = () =>
      page.evaluate(
        "window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })), window.dispatchEvent(new Event('online'))",
      );
    const openTitle = async (recordId: string) => {
      await page.goto(`${stage.base}/app/boards/${board.slug}/records/${recordId}`);
      const title = page.getByRole('complementary').getByRole('textbox', { name: 'Title' });
      await title.waitFor();
      await settled(page);
      return title;
    };

    it('are sent again when it is shown again', async () => {
      const recordId = await add('Left Lea');
      const title = await openTitle(recordId);
      const cutOff: Route[] = [];
      let sent = 0;
      await page.route(`**/crm/records/${recordId}`, async (route: Route) => {
        if (route.request().method() !== 'PUT') return route.continue();
        if (sent++ === 0) cutOff.push(route);
        else await route.continue();
      });
      await title.fill('Left Leah');
      await title.press('Enter');
      await eventually(() => cutOff.length === 1);
      await leave();
      await cutOff[0]!.abort();
      await drawn(page);
      assert.deepEqual([sent, (await kept()).length], [1, 1]);
      await comeBack();
      await eventually(async () => (await kept()).length === 0);
      assert.deepEqual([sent, await title.inputValue()], [2, 'Left Leah']);
      assert.equal((await call('GET', `/crm/records/${recordId}`)).body.title, 'Left Leah');
      await page.unrouteAll({ behavior: 'wait' });
      visitor.errors(/Failed to load resource/);
      assert.deepEqual(visitor.errors(), []);
    });

    it('are not sent again when another page has sent them meanwhile', async () => {
      const recordId = await add('Taken Tom');
      const title = await openTitle(recordId);
      const cutOff: Route[] = [];
      await page.route(`**/crm/records/${recordId}`, async (route: Route) => {
        if (route.request().method() !== 'PUT') return route.continue();
        cutOff.push(route);
      });
      await title.fill('Taken Tomas');
      await title.press('Enter');
      await eventually(() => cutOff.length === 1);
      const [[key, change]] = (await kept()) as [[string, Json]];
      await leave();
      // Without locks a page counts as gone after a minute.
      await store(key, { ...change, keptAt: change.keptAt - 2 * 60_000 });
      const other = await visitor.context.newPage();
      await other.goto(`${stage.base}/app/boards/${board.slug}`);
      await eventually(async () => (await kept()).length === 0);
      assert.equal((await call('GET', `/crm/records/${recordId}`)).body.title, 'Taken Tomas');
      await call('PUT', `/crm/records/${recordId}`, { body: { title: 'Changed since' } });
      await cutOff[0]!.abort();
      await comeBack();
      await eventually(async () => (await title.inputValue()) === 'Changed since');
      await settled(page);
      assert.equal(cutOff.length, 1);
      assert.equal(await page.getByRole('button', { name: 'Retry' }).count(), 0);
      await other.close();
      await page.unrouteAll({ behavior: 'wait' });
      visitor.errors(/Failed to load resource/);
    });

    it('are sent by one of the pages that are still open', async () => {
      const recordId = await add('Closed Cleo');
      await openBoard();
      const second = await visitor.context.newPage();
      await second.goto(`${stage.base}/app/boards/${board.slug}`);
      const sent: Request[] = [];
      for (const one of [page, second]) {
        await one.route(`**/crm/records/${recordId}`, async (route: Route) => {
          sent.push(route.request());
          await route.continue();
        });
      }
      const { accountId, userId } = stage.service.admin;
      await store(`talkboard.change.${accountId}.${userId}.of-a-closed-one`, {
        id: 'of-a-closed-one',
        at: Date.now() - 2 * 60_000,
        request: { method: 'PUT', path: `/crm/records/${recordId}`, body: { title: 'Closed Clea' } },
        edits: [{ kind: 'record', id: recordId, update: { title: 'Closed Clea' } }],
        order: `record ${recordId}`,
        failed: 'The change could not be saved',
        page: 'closed',
      });
      for (const one of [page, second]) await one.evaluate("window.dispatchEvent(new Event('online'))");
      await eventually(async () => (await kept()).length === 0);
      await settled(page);
      await drawn(second);
      assert.equal(sent.length, 1);
      await second.close();
      await page.unrouteAll({ behavior: 'wait' });
      assert.deepEqual(visitor.errors(), []);
    });
  });

  it('a page that slept for days does not send what waited: the person decides', async (test) => {
    const sessionId = 'sleeping-sue';
    await inboxOf(stage.service).customerSays(sessionId, { content: 'Hello?', sessionName: 'Sleeping Sue' });
    await page.goto(`${stage.base}/app/inbox/${sessionId}`);
    const reply = page.getByRole('textbox', { name: 'Reply' });
    await reply.fill('Said two days ago');
    await visitor.context.setOffline(true);
    await reply.press('Enter');
    await page.getByText('Waiting. Sent when you are back online.').waitFor();
    const said = async () =>
      (await call('GET', `/sessions/${sessionId}/messages`)).body.items.filter(
        ({ content }: Json) => content === 'Said two days ago',
      ).length;
    const messages = async () => (await kept()).filter(([, change]) => change.outgoing);
    // Files of the same process have this clock too: it is set back when the test ends.
    const { now } = Date;
    test.mock.method(Date, 'now', () => now() + 49 * hour);
    await visitor.context.setOffline(false);
    const dialog = page.getByRole('dialog', { name: 'Changes that were not sent' });
    await dialog.getByText('Said two days ago').waitFor();
    assert.deepEqual([await said(), (await messages()).length], [0, 1]);
    await dialog.getByRole('button', { name: 'Send' }).click();
    await eventually(async () => (await said()) === 1);
    await eventually(async () => (await messages()).length === 0);
    // Others, such as that the conversation was read, were made by the wrong clock.
    await page.evaluate(
      "for (const key of Object.keys(localStorage)) if (key.startsWith('talkboard.change.')) localStorage.removeItem(key)",
    );
    visitor.errors();
  });

  it('a change older than 48 hours is never sent by itself: the person decides', async () => {
    const recordId = await add('Old Olga');
    await openBoard();
    const { accountId, userId } = stage.service.admin;
    const keep = (id: string, title: string, age: number) =>
      store(`talkboard.change.${accountId}.${userId}.${id}`, {
        id,
        at: Date.now() - age,
        request: { method: 'PUT', path: `/crm/records/${recordId}`, body: { title } },
        edits: [{ kind: 'record', id: recordId, update: { title } }],
        order: `record ${recordId}`,
        failed: 'The change could not be saved',
        page: 'closed',
      });
    const titleNow = async () => (await call('GET', `/crm/records/${recordId}`)).body.title;

    // Nothing was stored when the page was loaded.
    await keep('left', 'Left Olga', 47 * hour);
    await page.evaluate("window.dispatchEvent(new Event('online'))");
    await eventually(async () => (await titleNow()) === 'Left Olga');
    await eventually(async () => (await kept()).length === 0);

    await keep('young', 'Younger Olga', 47 * hour);
    await page.reload();
    await eventually(async () => (await titleNow()) === 'Younger Olga');

    await keep('old', 'Older Olga', 49 * hour);
    await page.reload();
    const dialog = page.getByRole('dialog', { name: 'Changes that were not sent' });
    await dialog.getByText('The change could not be saved').waitFor();
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual([(await kept()).length, await titleNow()], [0, 'Younger Olga']);

    await keep('again', 'Sent Olga', 49 * hour);
    await page.reload();
    await dialog.getByRole('button', { name: 'Send' }).click();
    await eventually(async () => (await titleNow()) === 'Sent Olga');
    await eventually(async () => (await kept()).length === 0);
    assert.deepEqual(visitor.errors(), []);
  });
});
