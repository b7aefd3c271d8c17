import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';
import type { Json } from '../support/service.ts';

describe('macros', () => {
  let on: InboxStage;
  let page: Page;

  before(async () => {
    on = await startInbox(startDashboard);
    ({ page } = on);
  });
  after(() => on.stage.close());

  const call = (...args: Parameters<typeof on.stage.service.call>) => on.stage.service.call(...args);
  const create = async (name: string, steps: object[]): Promise<Json> =>
    (await call('POST', '/macros', { token: on.stage.service.admin.jwt, body: { name, steps } })).body;
  const session = async (id: string) => (await call('GET', `/sessions/${id}`)).body;
  const lastText = async (id: string) => (await on.messages(id)).at(-1)!.content;
  const dialog = () => page.getByRole('dialog', { name: 'Run a macro' });

  it('is made in the settings, with steps that are put in order by the keyboard', async () => {
    await call('POST', '/labels', { body: { name: 'Refund' } });
    await page.goto(`${on.stage.base}/app/settings/macros`);
    await page.getByRole('button', { name: 'New macro' }).first().click();
    const editor = page.getByRole('dialog', { name: 'New macro' });
    await editor.getByLabel('Name').fill('Close politely');
    const add = async (name: string) => {
      await editor.getByRole('button', { name: 'Add step' }).press('Enter');
      await page.getByRole('menuitem', { name }).press('Enter');
    };
    await add('Resolve the conversation');
    await add('Send a reply');
    await editor.getByLabel('Text').fill('Goodbye {{first name}}, {{telefone}} and {{nothing}}');
    await editor.getByText('{{nothing}}').last().waitFor();
    await add('Change labels');
    await editor.getByRole('group', { name: 'Change labels' }).getByRole('button').nth(1).click();
    await page.getByRole('option', { name: 'Refund' }).click();
    await page.keyboard.press('Escape');
    await editor.getByRole('button', { name: 'Create' }).click();
    await editor
      .getByRole('alert')
      .getByText(/^Step 2 was rejected: text has an unknown placeholder/)
      .waitFor();
    await editor.getByLabel('Text').fill('Goodbye {{first name}}, from {{operator}}');
    await editor.getByRole('button', { name: 'Move Resolve the conversation up or down' }).press('ArrowDown');
    await editor.getByRole('button', { name: 'Create' }).click();
    await editor.waitFor({ state: 'detached' });
    await page.getByText('Send a reply → Resolve the conversation → Add labels: Refund').waitFor();
    const { body } = await call('GET', '/macros', { token: on.stage.service.admin.jwt });
    assert.deepEqual(
      body.items[0].steps.map(({ type }: Json) => type),
      ['reply', 'resolve', 'label'],
    );
  });

  it('runs from the palette after a preview whose texts can be changed', async () => {
    const id = await on.begin('Macro Marta');
    const next = await on.begin('Next Nils');
    await on.open(id);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search and commands' }).fill('close polite');
    await page.getByRole('option', { name: 'Run macro: Close politely' }).waitFor();
    await page.keyboard.press('Enter');
    const text = dialog().getByRole('textbox', { name: 'Send a reply' });
    await text.waitFor();
    assert.equal(await text.inputValue(), 'Goodbye Macro, from Clara Nunes');
    assert.equal(await lastText(id), 'Hello from Macro Marta', 'a preview sends nothing');
    await text.fill('Goodbye {{name}}');
    await dialog().getByText('Some placeholders have no value here').waitFor();
    await text.press('Control+Enter');
    // The change may come on the live connection before the answer.
    await page.route('**/macros/*/run', async (route) => {
      const response = await route.fetch();
      await page.locator(`a[href$="/inbox/${id}"]`).waitFor({ state: 'detached' });
      await route.fulfill({ response });
    });
    await text.fill('Goodbye Marta!');
    await text.press('Control+Enter');
    await page.getByText('Macro “Close politely” was run').waitFor();
    await eventually(async () => (await session(id)).status === 'resolved');
    assert.equal(await lastText(id), 'Goodbye Marta!');
    assert.equal((await session(id)).labelIds.length, 1);
    await page.waitForURL(`**/inbox/${next}`);
    await page.unroute('**/macros/*/run');
  });

  it('says in plain words why it cannot run, and which steps are skipped', async () => {
    const gone = (await call('POST', '/labels', { body: { name: 'Short-lived' } })).body;
    const board = (await call('POST', '/kanbans', { body: { name: 'Elsewhere' } })).body;
    await create('Broken', [
      { type: 'set_status', kanbanId: board.id, status: board.statuses[0].value },
      { type: 'label', addLabelIds: [gone.id] },
      { type: 'hand_back' },
    ]);
    await call('DELETE', `/labels/${gone.id}`);
    const id = await on.begin('Problem Pia');
    await on.open(id);
    await page.keyboard.press('m');
    await dialog().getByRole('combobox', { name: 'Choose a macro' }).fill('broken');
    await page.keyboard.press('Enter');
    await dialog().getByText('A label no longer exists. Edit the macro.').waitFor();
    // The list is gone, and the focus is on the field in its place.
    const field = dialog().getByRole('combobox', { name: 'Macro', exact: true });
    await eventually(() => field.evaluate((one) => one === one.ownerDocument.activeElement));
    await dialog().getByText('Skipped: The card is on another board.').waitFor();
    await dialog().getByText('Already done, nothing changes.').waitFor();
    assert.ok(await dialog().getByRole('button', { name: 'Run' }).isDisabled());
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  it('runs in every selected conversation, each on its own', async () => {
    const ids = [await on.begin('Many Mia'), await on.begin('Many Max'), await on.begin('Many Moe')];
    await create('All at once', [
      { type: 'reply', text: 'For {{first name}}: {{customer}}' },
      { type: 'resolve' },
    ]);
    const blocked = (await session(ids[1]!)).externalUserId;
    await call('POST', `/blocked-contacts/${encodeURIComponent(blocked)}`);
    await page.goto(`${on.stage.base}/app/inbox`);
    for (const name of ['Many Mia', 'Many Max', 'Many Moe']) {
      await page.getByRole('link', { name: new RegExp(`^${name}`) }).focus();
      await page.keyboard.press('x');
    }
    await page.getByRole('toolbar').getByRole('button', { name: 'Run a macro…' }).click();
    await dialog().getByRole('combobox', { name: 'Choose a macro' }).fill('all at');
    await page.keyboard.press('Enter');
    await dialog().getByText('It can run in 2 conversations.').waitFor();
    await dialog().getByText('The contact is blocked and gets no replies.').waitFor();
    // The service carries the run out, but its responses are lost.
    const lost = `**/sessions/${ids[2]}/macros/*/run`;
    await page.route(lost, async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.keyboard.press('Control+Enter');
    await dialog().getByText('Result unknown in 1 conversation:').waitFor();
    await dialog().getByText('Done in 1 conversation.').waitFor();
    await page.unroute(lost);
    await dialog().getByRole('button', { name: 'Try again' }).click();
    await dialog().getByText('Done in 2 conversations.').waitFor();
    const replies = (await on.messages(ids[2]!)).filter(({ content }) => content === 'For Many: Many Moe');
    assert.equal(replies.length, 1, 'the customer got it once');
    assert.deepEqual(await Promise.all(ids.map(async (id) => (await session(id)).status)), [
      'resolved',
      'open',
      'resolved',
    ]);
    assert.equal(await lastText(ids[0]!), 'For Many: Many Mia');
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    assert.deepEqual(on.visitor.errors(/status of 400|ERR_FAILED/), []);
  });
});
