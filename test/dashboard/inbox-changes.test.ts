import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Page, Request, Route } from 'playwright-core';
import { undo } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';
import type { Json } from '../support/service.ts';

describe('changes in the inbox', () => {
  let on: InboxStage;
  let page: Page;
  let call: InboxStage['stage']['service']['call'];

  before(async () => {
    on = await startInbox(startDashboard);
    ({ page } = on);
    ({ call } = on.stage.service);
  });
  after(() => on.stage.close());
  afterEach(() => page.unrouteAll({ behavior: 'wait' }));

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name });
  const sessionOf = async (id: string): Promise<Json> => (await call('GET', `/sessions/${id}`)).body;
  const rename = (id: string, sessionName: string) =>
    call('PATCH', `/sessions/${id}`, { body: { sessionName } });
  const kept = () =>
    page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('talkboard.change.')).length");
  /** Requests with this method wait until `go` is called; with a status they are refused then. */
  const hold = async (path: string, method: string, status?: number) => {
    const held = Promise.withResolvers<void>();
    const sent: Request[] = [];
    await page.route(path, async (route: Route) => {
      if (route.request().method() !== method) return route.continue();
      sent.push(route.request());
      await held.promise;
      if (status) await route.fulfill({ status, body: '{}' });
      else await route.continue();
    });
    return { sent, go: () => held.resolve() };
  };

  it('a change is shown at once and stays, whatever is heard from before it', async () => {
    const id = await on.begin('Early Emma');
    await on.open(id);
    const taking = await hold(`**/sessions/${id}/ai-paused`, 'PATCH');
    await button('Take over').click();
    await button('Hand back').waitFor();
    await rename(id, 'Later Emma');
    await heading('Later Emma').waitFor();
    assert.equal((await sessionOf(id)).aiPaused, false);
    assert.ok(await button('Hand back').isVisible());
    taking.go();
    await page.getByRole('log').getByText('You took over').waitFor();
    assert.ok(await button('Hand back').isVisible());
    assert.deepEqual(
      [(await sessionOf(id)).aiPaused, (await sessionOf(id)).assignedUserId],
      [true, on.stage.service.admin.userId],
    );
    await undo(page, 'You took over. The AI is paused.');
    await button('Take over').waitFor();
    await eventually(async () => {
      const { aiPaused, assignedUserId } = await sessionOf(id);
      return !aiPaused && assignedUserId === null;
    });
    assert.deepEqual(on.visitor.errors(), []);
  });

  it('a rejected one is taken back, without what others changed meanwhile; Retry sends it again', async () => {
    const id = await on.begin('Refused Rosa');
    await on.open(id);
    const taking = await hold(`**/sessions/${id}/ai-paused`, 'PATCH', 503);
    await button('Take over').click();
    await button('Hand back').waitFor();
    await rename(id, 'Renamed Rosa');
    await heading('Renamed Rosa').waitFor();
    taking.go();
    await button('Take over').waitFor();
    assert.ok(await heading('Renamed Rosa').isVisible());
    assert.equal(await kept(), 0);
    await page.unrouteAll({ behavior: 'wait' });
    await button('Retry').click();
    await button('Hand back').waitFor();
    await eventually(async () => (await sessionOf(id)).aiPaused);
    on.visitor.errors(/503/);
  });

  it('a request for a person is taken by the first who takes it', async () => {
    const id = await on.begin('Wanted Wanda');
    await call('PATCH', `/sessions/${id}/ai-paused`, { body: { aiPaused: true } });
    await call('PATCH', `/sessions/${id}`, { body: { needsAttention: true } });
    await on.open(id);
    const taking = await hold(`**/sessions/${id}/ai-paused`, 'PATCH');
    await button('Take over').click();
    await eventually(() => taking.sent.length === 1);
    const other = await on.stage.service.createUser('admin');
    await call('PATCH', `/sessions/${id}`, { body: { assignedUserId: other.id } });
    taking.go();
    await eventually(async () => !(await sessionOf(id)).needsAttention);
    assert.equal((await sessionOf(id)).assignedUserId, other.id);
    assert.deepEqual(on.visitor.errors(), []);
  });

  it('changes of one conversation are sent one after the other', async () => {
    const id = await on.begin('Ordered Olaf');
    await on.open(id);
    await eventually(async () => (await sessionOf(id)).unread === 0);
    const assigning = await hold(`**/sessions/${id}`, 'PATCH');
    const taking = await hold(`**/sessions/${id}/ai-paused`, 'PATCH');
    await page.getByRole('log').focus();
    await page.keyboard.press('a');
    await eventually(() => assigning.sent.length === 1);
    await button('Take over').click();
    await button('Hand back').waitFor();
    assert.equal(taking.sent.length, 0);
    assigning.go();
    await eventually(() => taking.sent.length === 1);
    taking.go();
    await eventually(async () => (await sessionOf(id)).aiPaused);
    await eventually(async () => (await kept()) === 0);
  });

  it('one whose answer was lost with the page is sent again after the reload, as the same change', async () => {
    const id = await on.begin('Lost Lena');
    await on.open(id);
    await eventually(async () => (await sessionOf(id)).unread === 0);
    await eventually(async () => (await kept()) === 0);
    const sent: Request[] = [];
    const isCarriedOut = Promise.withResolvers<void>();
    await page.route(`**/sessions/${id}`, async (route: Route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      sent.push(route.request());
      if (sent.length > 1) return route.continue();
      await route.fetch();
      isCarriedOut.resolve();
    });
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Mark as needing attention' }).click();
    await isCarriedOut.promise;
    assert.equal(await kept(), 1);
    await page.reload();
    await page.getByRole('link', { name: /^Lost Lena.*Needs attention/ }).waitFor();
    await eventually(async () => (await kept()) === 0);
    const keys = sent.map((request) => request.headers()['idempotency-key']);
    assert.deepEqual([keys.length, keys[0]], [2, keys[1]]);
    assert.equal((await sessionOf(id)).needsAttention, true);
  });

  it('a reaction that is rejected leaves what the message has become meanwhile', async () => {
    const id = await on.begin('Reacting Rita');
    const { message } = await on.inbox.operatorSays(id, { content: 'Is it fine now?' });
    await on.goTo(id);
    const mine = page.getByRole('article', { name: /^You,/ });
    const reacting = await hold('**/reactions', 'POST', 409);
    await mine.getByRole('button', { name: 'Message actions' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'React with 👍' }).click();
    const reaction = mine.getByRole('img', { name: 'Reactions: 👍' });
    await reaction.waitFor();
    await on.inbox.receipt(id, message.id, 'read');
    await mine.getByRole('img', { name: /^Read, / }).waitFor();
    assert.ok(await reaction.isVisible());
    reacting.go();
    await reaction.waitFor({ state: 'detached' });
    assert.ok(await mine.getByRole('img', { name: /^Read, / }).isVisible());
    on.visitor.errors(/409/);
  });

  it('a deleted note that is brought back is as it was last changed', async () => {
    const id = await on.begin('Noted Nils');
    const { messageId, channelId } = await on.inbox.operatorSays(id, { content: 'First', isNote: true });
    await on.goTo(id);
    const note = page.getByRole('region', { name: /^Note,/ });
    await note.getByText('First').waitFor();
    await note.getByRole('button', { name: 'Delete the note' }).click();
    await note.waitFor({ state: 'detached' });
    await call('PATCH', `/channels/${channelId}/sessions/${id}/notes/${messageId}`, {
      body: { content: 'Second' },
    });
    await on.inbox.customerSays(id, { content: 'Heard after it' });
    await page.getByRole('log').getByText('Heard after it').waitFor();
    assert.equal(await note.count(), 0);
    await button('Undo').click();
    await note.getByText('Second').waitFor();
    assert.deepEqual(on.visitor.errors(), []);
  });
});
