/** Rules in the dashboard: their list, the editor, and what they did. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type Conversations, conversationsOf } from '../support/conversations.ts';
import { type DashboardStage, go } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/service.ts';

describe('automation', () => {
  let stage: DashboardStage;
  let talk: Conversations;
  let page: Page;
  let errors: (allowed?: RegExp) => string[];
  before(async () => {
    stage = await startDashboard();
    talk = conversationsOf(stage.service);
    ({ page, errors } = await stage.open(stage.service.admin, { path: '/settings/automation' }));
  });
  after(() => stage.close());

  const call = async (method: string, path: string, body?: object): Promise<Json> => {
    const answer = await stage.service.call(method, path, { ...(body && { body }) });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const rules = async (): Promise<Json[]> => (await call('GET', '/automations')).items;
  const open = (path: string) => go(page, `/settings/automation${path}`);
  const card = (name: string) => page.getByRole('region', { name, exact: true });
  const choose = async (label: string, option: string) => {
    await page.getByRole('combobox', { name: label, exact: true }).last().click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  const addStep = async (name: string, nth = -1) => {
    const buttons = page.getByRole('button', { name: 'Add step' });
    await (nth < 0 ? buttons.last() : buttons.nth(nth)).press('Enter');
    await page.getByRole('menuitem', { name, exact: true }).press('Enter');
  };
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();

  it('begins with a template, which reads as a sentence, and runs', async () => {
    await page.getByRole('heading', { name: 'No rules yet' }).waitFor();
    assert.equal(await page.getByRole('list', { name: 'Templates' }).getByRole('listitem').count(), 7);
    await page.getByRole('link', { name: /Welcome a new contact/ }).click();
    await card('When').getByText('When a conversation begins').waitFor();
    await card('If').getByText('customer’s conversations is 1').waitFor();
    await page.getByRole('button', { name: 'Save and enable' }).click();
    await page.getByText('Rule saved').waitFor();
    const [rule] = await rules();
    assert.ok(rule!.enabled);
    assert.deepEqual(rule!.conditions, { and: [{ field: 'contact.sessionCount', op: 'is', value: 1 }] });
    const { sessionId } = await talk.accepted({
      content: 'Hi',
      sessionName: 'Rita Rule',
      externalUserId: '+5511987650001',
    });
    await eventually(
      async () => (await call('GET', `/automations/${rule!.id}/runs`)).items[0]?.state === 'done',
    );
    await open(`/${rule!.id}`);
    await page.getByRole('list', { name: 'Runs' }).getByRole('button').first().click();
    await page.getByRole('list', { name: 'Steps' }).getByText('Message sent').waitFor();
    const link = page.getByRole('link', { name: 'Open the conversation' });
    assert.match((await link.getAttribute('href'))!, new RegExp(encodeURIComponent(sessionId)));
    await page.getByRole('tab', { name: 'Why it ran or not' }).click();
    await page.getByText('The rule ran.').waitFor();
    assert.deepEqual(errors(), []);
  });

  it('says mistakes at their place, in branches too, and is saved with what it was', async () => {
    const label = await call('POST', '/labels', { name: 'Vanishing' });
    await open('/new');
    await page.getByLabel('Name', { exact: true }).fill('Branches');
    await addStep('If … otherwise');
    await save();
    await page.getByText('Not saved. Look at: step 1 (If … otherwise).').waitFor();
    await card('Then').getByRole('button', { name: 'Add condition' }).click();
    await choose('Field', 'Message');
    await page.getByRole('textbox', { name: 'Value' }).fill('refund');
    const branch = page.getByRole('group', { name: 'Otherwise' });
    await branch.getByRole('button', { name: 'Add step' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Change labels' }).press('Enter');
    await branch.getByRole('group', { name: 'Add labels' }).getByRole('button').last().click();
    await page.getByRole('option', { name: 'Vanishing' }).click();
    await page.keyboard.press('Escape');
    await call('DELETE', `/labels/${label.id}`);
    await save();
    await branch.getByRole('alert').getByText('This no longer exists. Choose something else.').waitFor();
    await branch.getByRole('button', { name: /^Remove step/ }).click();
    await branch.getByRole('button', { name: 'Add step' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Resolve the conversation' }).press('Enter');
    await save();
    await page.getByText('Rule saved').waitFor();
    const rule = (await rules()).find(({ name }) => name === 'Branches')!;
    assert.deepEqual(
      [rule.enabled, rule.steps[0].condition, rule.steps[0].else[0].type],
      [false, { and: [{ field: 'message.content', op: 'contains', value: 'refund' }] }, 'resolve'],
    );
    errors(/400/);
  });

  it('keeps what was changed when somebody else has saved the rule', async () => {
    const { name, trigger, steps, id, version } = (await rules()).find((one) => one.name === 'Branches')!;
    await open(`/${id}`);
    await page.getByLabel('Name', { exact: true }).fill('My branches');
    await call('PUT', `/automations/${id}`, {
      name: `${name} of theirs`,
      trigger,
      steps,
      expectedVersion: version,
    });
    await save();
    await page.getByText(/changed this rule in the meantime/).waitFor();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'My branches');
    await page.getByRole('button', { name: 'Save mine' }).click();
    await eventually(async () => (await call('GET', `/automations/${id}`)).version === version + 2);
    assert.equal((await call('GET', `/automations/${id}`)).name, 'My branches');
    await page.getByText('The rule is off.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Not saved');
    await page.getByRole('link', { name: 'Automation' }).first().click();
    await page.getByRole('button', { name: 'Continue editing' }).click();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Not saved');
    await page.getByRole('link', { name: 'Automation' }).first().click();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('link', { name: 'My branches' }).waitFor();
    errors(/409/);
  });

  it('shows the address of a hook once', async () => {
    await open('/new');
    await page.getByLabel('Name', { exact: true }).fill('From the shop');
    await choose('Event', 'Another system calls the hook');
    await addStep('Notify people');
    await page.getByRole('group', { name: 'People' }).getByRole('button').last().click();
    await page.getByRole('option').first().click();
    await page.keyboard.press('Escape');
    await page.getByLabel('Text').fill('Order {{payload.order.id}}');
    await save();
    const dialog = page.getByRole('dialog', { name: 'The address of the hook' });
    const address = (await dialog.locator('code').textContent())!;
    assert.match(address, /\/automations\/hooks\/\S{40,}$/);
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('button', { name: 'New address' }).waitFor();
    assert.deepEqual(errors(), []);
  });

  it('lists the rules in their order, which keys change, with a switch for each', async () => {
    await open('');
    await page
      .getByText(/^When a conversation begins, and customer’s conversations is 1 → Reply “Welcome/)
      .waitFor();
    const [first, second] = await rules();
    await page.getByRole('button', { name: `Move ${first!.name} up or down` }).press('ArrowDown');
    await eventually(async () => (await rules())[0]!.id === second!.id);
    await page.getByRole('switch', { name: `Enable ${first!.name}` }).click();
    await eventually(async () => !(await call('GET', `/automations/${first!.id}`)).enabled);
    await page.getByText('1 run in 30 days').waitFor();
    assert.deepEqual(errors(), []);
  });

  it('tries a rule before it is saved: in one conversation, and in the past', async () => {
    await open('/new-follow');
    await page.getByRole('button', { name: /^Try with Rita Rule/ }).click();
    const result = page.getByRole('region', { name: 'In one conversation' }).getByRole('status');
    await result.getByText('It would run for Rita Rule.').waitFor();
    await result.getByText(/^Hello Rita, do you still need help/).waitFor();
    await card('If').getByRole('combobox', { name: 'Value' }).click();
    await page.getByRole('option', { name: 'Resolved' }).click();
    await page.getByRole('button', { name: /^Try with Rita Rule/ }).click();
    await result.getByText('It would not run for Rita Rule: “Conversation status” was Open').waitFor();
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText(/^It would have run 0 times, of \d+ events/).waitFor();
    assert.deepEqual(errors(), []);
    await page.getByRole('link', { name: 'Automation' }).first().click();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByText('1 run in 30 days').waitFor();
  });

  it('a service level counts down in the inbox, where a conversation says why rules ran or not', async () => {
    await go(page, '/settings/service-levels');
    await page.getByRole('button', { name: 'New service level' }).click();
    const dialog = page.getByRole('dialog', { name: 'New service level' });
    await dialog.getByLabel('Name', { exact: true }).fill('Standard');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText(/^All conversations · First response within 1 hour/).waitFor();
    const rule = await call('POST', '/automations', {
      name: 'Only resolved',
      enabled: true,
      trigger: { on: 'customer_message' },
      conditions: { field: 'session.status', op: 'is', value: 'resolved' },
      steps: [{ id: 'stop', type: 'stop' }],
    });
    const { sessionId } = await talk.accepted({
      content: 'How soon?',
      sessionName: 'Sam Soon',
      externalUserId: '+5511987650002',
    });
    await eventually(async () => (await call('GET', `/automations/${rule.id}/verdicts`)).items.length > 0);
    await go(page, `/inbox/${encodeURIComponent(sessionId)}`);
    await page.getByRole('heading', { name: 'Sam Soon' }).first().waitFor();
    await page
      .getByText(/First response due in (1 hour|\d+ minutes)/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'More actions' }).last().press('Enter');
    await page.getByRole('menuitem', { name: 'Why did a rule run?' }).press('Enter');
    const why = page.getByRole('dialog', { name: 'Why did a rule run?' });
    await why.getByRole('link', { name: 'Only resolved' }).waitFor();
    await why.getByText('Did not run: “Conversation status” was Open').waitFor();
    await page.keyboard.press('Escape');
    assert.deepEqual(errors(), []);
  });

  it('what is deleted says first which rules refer to it, and what refers to business hours keeps them', async () => {
    const label = await call('POST', '/labels', { name: 'Referred' });
    const hours = await call('POST', '/business-hours', { name: 'Shop', timeZone: 'UTC', week: [] });
    await call('POST', '/automations', {
      name: 'Closed shop',
      trigger: { on: 'label_added', labelIds: [label.id] },
      conditions: { withinHours: hours.id, is: false },
      steps: [{ id: 'stop', type: 'stop' }],
    });
    await go(page, '/settings/labels');
    await page.getByRole('button', { name: /^Referred/ }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const deleting = page.getByRole('dialog', { name: 'Delete the label Referred?' });
    await deleting.getByRole('link', { name: 'Closed shop' }).waitFor();
    await page.keyboard.press('Escape');
    await go(page, '/settings/business-hours');
    await page.getByRole('button', { name: /^Shop/ }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const refused = page.getByRole('dialog', { name: 'Delete the hours “Shop”?' });
    await refused.getByRole('button', { name: 'Delete', exact: true }).click();
    await refused.getByText('It cannot be deleted while it is used here:').first().waitFor();
    await refused.getByRole('link', { name: 'Closed shop' }).click();
    await card('If')
      .getByText(/time is outside of the hours “Shop”/)
      .waitFor();
    errors(/409/);
  });
});
