import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type DashboardStage, pressInTurn, type Visitor } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/service.ts';

const hour = 3_600_000;

describe('tasks and comments', () => {
  let stage: DashboardStage;
  let visitor: Visitor;
  let page: Page;
  let ana: { id: string; email: string; jwt: string };
  let recordId: string;
  const call: DashboardStage['service']['call'] = (...args) => stage.service.call(...args);
  const createRecord = async (title: string): Promise<string> =>
    (await call('POST', '/crm/records', { body: { title } })).body.recordId;
  const tasksOf = async (id: string): Promise<Json[]> =>
    (await call('GET', `/crm/records/${id}/tasks`)).body.items;
  const commentsOf = async (id: string): Promise<Json[]> =>
    (await call('GET', `/crm/records/${id}/comments`)).body.items;
  const addTask = async (id: string, body: object): Promise<Json> =>
    (await call('POST', `/crm/records/${id}/tasks`, { token: ana.jwt, body })).body;

  before(async () => {
    stage = await startDashboard();
    ana = await stage.service.createUser('operator');
    const { admin } = stage.service;
    await call('PATCH', `/users/${admin.userId}`, { token: admin.jwt, body: { name: 'Clara Nunes' } });
    await call('PATCH', `/users/${ana.id}`, { token: admin.jwt, body: { name: 'Ana Lima' } });
    recordId = await createRecord('Ada Lovelace');
    // By its id alone, as a push message leads to it.
    visitor = await stage.open(admin, { path: `/records/${recordId}` });
    ({ page } = visitor);
    await page.getByRole('complementary', { name: 'Ada Lovelace' }).waitFor();
  });
  after(() => stage.close());

  it('adds a task with Enter, sets its due date, reminder and assignee, and completes it with undo', async () => {
    const section = page.getByRole('region', { name: 'Tasks' });
    await section.getByRole('textbox', { name: 'Add a task' }).fill('Send the offer');
    await page.keyboard.press('Enter');
    const row = section.getByRole('listitem');
    await eventually(async () => (await tasksOf(recordId)).length === 1);
    await row.getByRole('button', { name: 'Set a due date' }).click();
    await page
      .getByRole('dialog', { name: 'Due date' })
      .getByRole('button', { name: /^Tomorrow/ })
      .click();
    await row.getByRole('button', { name: 'Due: Tomorrow' }).waitFor();
    await row.getByRole('button', { name: 'Set a reminder' }).click();
    await page
      .getByRole('dialog', { name: 'Reminder' })
      .getByRole('button', { name: /^When it is due/ })
      .click();
    await row.getByRole('button', { name: 'Assigned to Clara Nunes' }).click();
    await page.getByRole('combobox', { name: 'Assigned to' }).fill('Ana');
    await page.keyboard.press('Enter');
    await eventually(async () => (await tasksOf(recordId))[0]?.assignedUserId === ana.id);
    const [task] = (await tasksOf(recordId)) as [Json];
    assert.equal(new Date(task.remindAt).toDateString(), new Date(task.dueAt).toDateString());
    await row.getByRole('checkbox', { name: 'Complete Send the offer' }).click();
    await section.getByRole('button', { name: 'Completed (1)' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await row.getByRole('checkbox', { name: 'Complete Send the offer' }).waitFor();
    await eventually(async () => (await tasksOf(recordId))[0]?.doneAt === null);
    // The history has it.
    await page.getByText('added the task Send the offer').waitFor();
  });

  it('Escape leaves the title as it was; a change on its way is not taken back by an older one', async () => {
    const section = page.getByRole('region', { name: 'Tasks' });
    const [{ taskId }] = (await tasksOf(recordId)) as [Json];
    const title = section
      .locator(`[data-task="${taskId}"]`)
      .getByRole('textbox', { name: 'Task', exact: true });
    await title.fill('Typed in error');
    await title.press('Escape');
    await eventually(async () => (await title.inputValue()) === 'Send the offer');
    const change = Promise.withResolvers<void>();
    await page.route(`**/tasks/${taskId}`, async (route) => {
      await change.promise;
      await route.continue();
    });
    await title.fill('Send the new offer');
    await title.press('Enter');
    await call('PATCH', `/tasks/${taskId}`, { token: ana.jwt, body: { dueAt: null } });
    // Live changes arrive in their order.
    await addTask(recordId, { title: 'After it' });
    await section.getByRole('checkbox', { name: 'Complete After it' }).waitFor();
    assert.equal(await title.inputValue(), 'Send the new offer');
    change.resolve();
    await eventually(async () => (await tasksOf(recordId)).some((one) => one.title === 'Send the new offer'));
    assert.ok((await tasksOf(recordId)).every((one) => one.title !== 'Typed in error'));
    await page.unroute(`**/tasks/${taskId}`);
  });

  it('comments with a mention, edits, and sees what others write at once', async () => {
    const section = page.getByRole('region', { name: 'Comments' });
    const field = section.getByRole('textbox', { name: 'Comment', exact: true });
    await field.pressSequentially('Look @an');
    await page.getByRole('option', { name: /Ana Lima/ }).waitFor();
    await page.keyboard.press('Enter');
    await field.pressSequentially('please');
    await page.keyboard.press('Control+Enter');
    await eventually(async () => (await commentsOf(recordId))[0]?.mentions[0]?.id === ana.id);
    await section.getByText('@Ana Lima').waitFor();
    assert.equal(await field.inputValue(), '');
    const item = section.getByRole('listitem').first();
    await item.getByRole('button', { name: 'Edit comment' }).click();
    await item.getByRole('textbox', { name: 'Edit comment' }).fill('Look @Ana Lima, today');
    await page.keyboard.press('Control+Enter');
    await item.getByText('edited').waitFor();
    await call('POST', `/crm/records/${recordId}/comments`, { token: ana.jwt, body: { content: 'On it' } });
    const other = section.getByRole('listitem').nth(1);
    await other.getByText('On it').waitFor();
    // An administrator deletes others' comments, but does not edit them.
    assert.equal(await other.getByRole('button', { name: 'Edit comment' }).count(), 0);
    await other.getByRole('button', { name: 'Delete comment' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await other.getByText('On it').waitFor();
    await addTask(recordId, { title: 'Added by Ana' });
    await page.getByRole('checkbox', { name: 'Complete Added by Ana' }).waitFor();
    assert.deepEqual(visitor.errors(), []);
  });

  it('a card shows its open tasks, with a mark when one is overdue', async () => {
    const late = await createRecord('Late Larry');
    const card = page.locator(`[data-card="${late}"]`);
    await card.waitFor();
    await addTask(late, { title: 'Too late', dueAt: Date.now() - hour });
    await card.locator('[data-overdue]').waitFor();
    await card.getByTitle('1 open task').waitFor();
  });

  it('My tasks: groups by due date; j, x and Enter; live; reminders; on a phone', async () => {
    const mine = await createRecord('Grace Hopper');
    const assignedUserId = ana.id;
    for (const [title, dueAt] of [
      ['Overdue one', Date.now() - 48 * hour],
      ['Later one', Date.now() + 30 * 24 * hour],
      ['Undated one', null],
    ] as const) {
      await addTask(mine, { title, dueAt, assignedUserId });
    }
    const own = await stage.open(ana, {
      path: '/tasks',
      theme: 'dark',
      viewport: { width: 360, height: 740 },
    });
    const list = own.page;
    await list.getByRole('heading', { name: /^Overdue/ }).waitFor();
    await list.setViewportSize({ width: 1200, height: 800 });
    await addTask(mine, { title: 'Live one', dueAt: Date.now() - 72 * hour, assignedUserId });
    await list.getByText('Live one').waitFor();
    await list.keyboard.press('j');
    await list.keyboard.press('j');
    await list.keyboard.press('x');
    await eventually(async () =>
      (await tasksOf(mine)).some((task) => task.title === 'Overdue one' && task.doneAt !== null),
    );
    await list.getByRole('button', { name: 'Done' }).click();
    await list.getByRole('checkbox', { name: 'Reopen Overdue one' }).waitFor();
    // A reminder arrives while the page is open.
    await addTask(mine, { title: 'Ring ring', assignedUserId, remindAt: Date.now() + 1_000 });
    await list.getByText('Reminder: Ring ring').waitFor();
    await list.keyboard.press('k');
    await list.keyboard.press('Enter');
    await list.getByRole('complementary', { name: /Grace Hopper|Ada Lovelace/ }).waitFor();
    await pressInTurn(list, 'g t');
    await list.getByRole('heading', { name: 'My tasks' }).waitFor();
    assert.deepEqual(own.errors(), []);
    await own.close();
  });
});
