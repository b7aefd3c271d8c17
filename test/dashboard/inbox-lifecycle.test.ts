import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { endSnoozes } from '../../server/features/sessions/sessions.jobs.ts';
import { pressInTurn, undo } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';
import type { Json } from '../support/service.ts';

describe('the lifecycle of conversations in the inbox', () => {
  let on: InboxStage;
  let page: Page;

  before(async () => {
    on = await startInbox(startDashboard);
    ({ page } = on);
  });
  after(() => on.stage.close());

  const row = (name: string) => page.getByRole('link', { name: new RegExp(`^${name}`) });
  const gone = (name: string) => row(name).waitFor({ state: 'detached' });
  const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` });
  const chat = () => page.getByRole('log');
  const show = async (status: string) => {
    await page.getByRole('button', { name: /^Status:/ }).click();
    await page.getByRole('menuitemcheckbox', { name: status }).click();
  };
  const sessionOf = async (id: string): Promise<Json> =>
    (await on.stage.service.call('GET', `/sessions/${id}`)).body;
  const becomes = (id: string, status: string) =>
    eventually(async () => (await sessionOf(id)).status === status);

  it('resolved by a key: the next one opens, the chat says so, and a message opens it again', async () => {
    const [first, second] = [await on.begin('Rosa Resolved'), await on.begin('Nils Next')];
    await on.open(second);
    await row('Rosa Resolved').waitFor();
    await page.keyboard.press('e');
    await page.getByRole('heading', { name: 'Rosa Resolved' }).waitFor();
    await gone('Nils Next');
    await becomes(second, 'resolved');
    await undo(page, '1 conversation resolved');
    await row('Nils Next').waitFor();
    await becomes(second, 'open');
    await page.getByRole('button', { name: 'Resolve', exact: true }).click();
    await page.getByRole('heading', { name: 'Nils Next' }).waitFor();
    await becomes(first, 'resolved');
    await show('Resolved');
    await row('Rosa Resolved').click();
    await chat().getByText('You resolved this').waitFor();
    await on.inbox.customerSays(first, { content: 'One more question' });
    await gone('Rosa Resolved');
    await page.getByText('Nothing resolved yet').waitFor();
    await chat().getByText('Reopened: the customer wrote').waitFor();
    await show('Open');
    await row('Rosa Resolved').waitFor();
  });

  it('a sentence that is typed where no field has the focus changes nothing', async () => {
    const [first, second] = [await on.begin('Tom Typed'), await on.begin('Tess Typed')];
    await on.open(second);
    await row('Tom Typed').waitFor();
    const changed = async () => {
      const both = [await sessionOf(first), await sessionOf(second)];
      return both.filter((one) => one.status !== 'open' || one.aiPaused || one.assignedUserId !== null);
    };
    // The first letter of each is a key that changes the conversation.
    for (const sentence of ['eu quero', 'pagar', 'a sua', 'used']) {
      await pressInTurn(page, [...sentence].map((key) => (key === ' ' ? 'Space' : key)).join(' '));
      await on.open(second);
    }
    await pressInTurn(page, 's e e');
    await row('Tom Typed').waitFor();
    assert.deepEqual(await changed(), []);
    // Keys that move in the list are not typing: what was pressed between them is done. A key that is no letter ends a
    // sentence.
    await page.keyboard.press('End');
    await page.keyboard.press('k');
    await page.keyboard.press('e');
    await page.keyboard.press('j');
    await eventually(async () => (await changed()).length === 1);
    await undo(page, '1 conversation resolved');
  });

  it('snoozed by keyboard until a time, and reopened when it has come', async () => {
    const id = await on.begin('Sina Snoozed');
    await on.open(id);
    await row('Sina Snoozed').waitFor();
    await page.keyboard.press('h');
    const dialog = page.getByRole('dialog', { name: 'Snooze this conversation' });
    await dialog.getByRole('button', { name: 'Until the customer writes' }).waitFor();
    await eventually(() => page.evaluate("document.activeElement?.tagName === 'BUTTON'"));
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await gone('Sina Snoozed');
    await becomes(id, 'snoozed');
    const { snoozedUntil } = await sessionOf(id);
    assert.equal(new Date(snoozedUntil).getHours(), 9);
    await show('Snoozed');
    await page.getByRole('link', { name: /^Sina Snoozed.*Snoozed until/ }).click();
    await chat()
      .getByText(/^You snoozed this until/)
      .waitFor();
    await endSnoozes(on.stage.service.context, snoozedUntil);
    await chat().getByText('Reopened: the snooze ended').waitFor();
    await page.getByText('Nothing snoozed').waitFor();
    await show('Open');
    await row('Sina Snoozed').waitFor();
  });

  it('many at once by keys and by range; undo restores each, a failure is put back', async () => {
    const names = ['Bulk Ana', 'Bulk Ben', 'Bulk Cleo', 'Bulk Dora'];
    const ids: string[] = [];
    for (const name of names) ids.push(await on.begin(name));
    await on.inbox.customerSays(ids[0]!, { content: 'A second message' });
    await page.goto(`${on.stage.base}/app/inbox`);
    await row('Bulk Cleo').focus();
    await page.keyboard.press('x');
    await page.getByRole('toolbar', { name: '1 selected' }).waitFor();
    await row('Bulk Ben').click({ modifiers: ['Shift'] });
    await page.getByRole('toolbar', { name: '2 selected' }).waitFor();
    await box('Bulk Ana').click();
    const bar = page.getByRole('toolbar', { name: '3 selected' });
    await bar.getByRole('button', { name: 'Resolve' }).click();
    for (const name of names.slice(0, 3)) await gone(name);
    await page.getByText('3 conversations resolved').waitFor();
    assert.equal((await sessionOf(ids[0]!)).unread, 0);
    await undo(page, '3 conversations resolved');
    for (const name of names) await row(name).waitFor();
    await eventually(async () => (await sessionOf(ids[0]!)).unread === 2);
    assert.equal((await sessionOf(ids[1]!)).unread, 1);

    await page.route('**/sessions/bulk', (route) => route.fulfill({ status: 503, body: '{}' }));
    await row('Bulk Dora').focus();
    await page.keyboard.press('e');
    await page.getByText('The conversations could not be changed').waitFor();
    await row('Bulk Dora').waitFor();
    await page.unroute('**/sessions/bulk');
    on.visitor.errors(/503/);

    // A row that leaves the list is no longer selected. Escape clears the selection before it leaves the conversation.
    for (const name of names.slice(0, 2)) {
      await row(name).focus();
      await page.keyboard.press('x');
    }
    await row('Bulk Cleo').click();
    await page.getByRole('heading', { name: 'Bulk Cleo' }).waitFor();
    await page.getByRole('toolbar', { name: '2 selected' }).waitFor();
    const change = { status: 'resolved' };
    await on.stage.service.call('POST', '/sessions/bulk', { body: { sessionIds: [ids[1]!], change } });
    const one = page.getByRole('toolbar', { name: '1 selected' });
    await one.waitFor();
    await page.keyboard.press('Escape');
    await one.waitFor({ state: 'detached' });
    assert.ok(await page.getByRole('heading', { name: 'Bulk Cleo' }).isVisible());
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Bulk Cleo' }).waitFor({ state: 'detached' });
  });

  it('on a phone: resolve in the header, snooze in the menu, select by the picture', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    const id = await on.begin('Paula Phone');
    await on.open(id);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Snooze…' }).click();
    await page.getByRole('button', { name: 'Until the customer writes' }).click();
    await becomes(id, 'snoozed');
    await page.goto(`${on.stage.base}/app/inbox`);
    await box('Bulk Dora').click();
    await page
      .getByRole('toolbar', { name: '1 selected' })
      .getByRole('button', { name: 'Mark as read' })
      .click();
    await page.getByText('1 conversation marked as read').waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    assert.deepEqual(on.visitor.errors(), []);
  });
});
