/** The tests of an agent, in the dashboard. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DashboardStage } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/service.ts';

describe('the tests of an agent', () => {
  let stage: DashboardStage;
  let agentId: string;
  const call = async (method: string, path: string, body?: object): Promise<Json> => {
    const { jwt: token } = stage.service.admin;
    const {
      status,
      body: answer,
      text,
    } = await stage.service.call(method, path, { token, ...(body && { body }) });
    assert.ok(status < 300, text);
    return answer;
  };
  const cases = async (): Promise<Json[]> => (await call('GET', `/agents/${agentId}/test-cases`)).items;
  before(async () => {
    stage = await startDashboard();
    agentId = (await call('POST', '/agents', { name: 'Barista', provider: 'offline' })).id;
  });
  after(() => stage.close());

  it('are written with checks, changed, deleted and brought back', async () => {
    const { page, errors, close } = await stage.open(stage.service.admin, {
      path: `/settings/agents/${agentId}`,
    });
    await page.getByRole('tab', { name: 'Tests' }).click();
    await page.getByText('No tests yet').waitFor();
    await page.getByRole('button', { name: 'New test' }).click();
    const add = page.getByRole('button', { name: 'Add', exact: true });
    assert.equal(await add.isDisabled(), true);
    await page.getByLabel('Name').fill('Opening hours');
    await page.getByLabel('Message 1', { exact: true }).fill('When do you open?');
    await page.getByRole('button', { name: 'Add check' }).click();
    await page.getByLabel('Value of check 1').fill('nine');
    await page.getByRole('button', { name: 'Add check' }).click();
    await page.getByRole('combobox', { name: 'Kind of check 2' }).click();
    await page.getByRole('option', { name: 'At most characters' }).click();
    await page.getByLabel('Value of check 2').fill('200');
    await add.click();
    await page.getByText('2 checks').waitFor();
    const [made] = await cases();
    assert.deepEqual(
      [made.name, made.messages, made.checks],
      [
        'Opening hours',
        [{ role: 'user', content: 'When do you open?' }],
        [
          { kind: 'contains', text: 'nine' },
          { kind: 'max_length', max: 200 },
        ],
      ],
    );
    const row = page.getByRole('list', { name: 'Tests' }).getByRole('button', { name: /Opening hours/ });
    await row.click();
    await page.getByRole('button', { name: 'Remove check 2' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('1 check').waitFor();
    assert.equal((await cases())[0].checks.length, 1);
    await row.click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No tests yet').waitFor();
    assert.deepEqual(await cases(), []);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => (await cases()).length === 1);
    assert.deepEqual((await cases())[0].checks, [{ kind: 'contains', text: 'nine' }]);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('are run beside another version, and both answers are shown with what did not hold', async () => {
    const knowledge = (text: string) => ({ knowledge: [{ title: 'Hours', text }] });
    await call('PATCH', `/agents/${agentId}`, knowledge('We open at nine.'));
    await call('PUT', `/agents/${agentId}/draft`, knowledge('We open at ten.'));
    const { page, errors, close } = await stage.open(stage.service.admin, {
      path: `/settings/agents/${agentId}`,
    });
    await page.getByRole('tab', { name: 'Tests' }).click();
    await page.getByRole('button', { name: 'Run tests' }).click();
    const runs = page.getByRole('list', { name: 'Runs' });
    await runs.getByText('Done').waitFor();
    await runs.getByText('0 passed, 1 failed of 1 · 1 changed').waitFor();
    await runs.getByText(/We open at ten/).waitFor();
    await runs.getByText(/We open at nine/).waitFor();
    await runs.getByText(/^Contains: /).waitFor();
    await runs.getByRole('button', { name: 'Hide results' }).click();
    assert.deepEqual(errors(), []);
    await close();
    await call('DELETE', `/agents/${agentId}/draft`);
  });

  it('keep a draft from being published, unless it is forced with a reason', async () => {
    const { id } = await call('POST', '/agents', { name: 'Gatekeeper', provider: 'offline' });
    const asked = { messages: [{ role: 'user', content: 'When do you open?' }] };
    await call('POST', `/agents/${id}/test-cases`, {
      ...asked,
      name: 'Says nine',
      checks: [{ kind: 'contains', text: 'nine' }],
    });
    await call('PUT', `/agents/${id}/draft`, { instructions: 'Be brief.' });
    const { page, errors, close } = await stage.open(stage.service.admin, { path: `/settings/agents/${id}` });
    const gate = async () => (await call('GET', `/agents/${id}`)).publishGate;
    const choose = async (mode: string) => {
      await page.getByRole('combobox', { name: 'If tests have not passed' }).click();
      await page.getByRole('option', { name: mode }).click();
    };
    await choose('Warn, then publish');
    await eventually(async () => (await gate()).mode === 'warn');
    const publish = () => page.getByRole('button', { name: 'Publish', exact: true });
    await publish().click();
    await page.getByText('The tests were not run with this draft as it is.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();

    await choose('Do not publish');
    await page.getByLabel('Tests that must pass (percent)').fill('90');
    await page.getByLabel('Name').focus();
    await eventually(async () => (await gate()).minPassRate === 0.9);
    await page.getByRole('switch', { name: 'No new failures' }).click();
    await eventually(async () => (await gate()).noNewFailures);
    await publish().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
    await dialog.getByText('This was not published', { exact: false }).waitFor();
    await dialog.getByText('Says nine').waitFor();
    const force = dialog.getByRole('button', { name: 'Publish all the same' });
    assert.equal(await force.isDisabled(), true);
    await dialog.getByLabel('Why it is published without passed tests').fill('The shop is closed today.');
    await force.click();
    await page.getByText('Version 2 is published').waitFor();
    assert.equal(errors().length, 1, 'the 409');
    await close();
  });

  it('are made of a real reply, and real replies are replayed beside what was sent', async () => {
    const knowledge = (text: string) => ({ knowledge: [{ title: 'Opening hours', text }] });
    const { id } = await call('POST', '/agents', {
      ...{ name: 'Replayed', provider: 'offline' },
      ...knowledge('We open at nine.'),
    });
    const identifier = 'replayed';
    await call('POST', '/channels', { name: 'Replayed', identifier, type: 'api', defaultAgentId: id });
    const { sessionId } = await call('POST', '/messages', {
      content: 'What are your opening hours?',
      fromChannelIdentifier: identifier,
    });
    await eventually(async () => (await call('GET', `/sessions/${sessionId}/replies`)).items.length === 1);
    const { page, errors, close } = await stage.open(stage.service.admin, { path: `/inbox/${sessionId}` });
    const reply = page.getByRole('article').last();
    await reply.getByText('We open at nine.', { exact: false }).waitFor();
    await reply.getByRole('button', { name: 'Message actions' }).click();
    await page.getByRole('menuitem', { name: 'Make a test of this' }).click();
    await page.getByText('other names in free text may remain', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Create test' }).click();
    await page.getByText('The test was created.', { exact: false }).waitFor();
    const [made] = (await call('GET', `/agents/${id}/test-cases`)).items;
    assert.deepEqual(
      [made.name, made.source.sessionId, made.messages.length],
      ['What are your opening hours?', sessionId, 1],
    );
    assert.deepEqual(errors(), []);
    await close();

    await call('PUT', `/agents/${id}/draft`, knowledge('We open at ten.'));
    const agent = await stage.open(stage.service.admin, { path: `/settings/agents/${id}` });
    await agent.page.getByRole('tab', { name: 'Tests' }).click();
    await agent.page.getByRole('button', { name: 'Replay conversations' }).click();
    await agent.page.getByLabel('Newest replies').fill('10');
    await agent.page.getByRole('button', { name: 'Start replay' }).click();
    const runs = agent.page.getByRole('list', { name: 'Runs' });
    await runs.getByText('1 of 1 answered · 1 changed').waitFor();
    await runs.getByText(/We open at ten/).waitFor();
    await runs.getByText(/We open at nine/).waitFor();
    await runs.getByText('Sent', { exact: true }).waitFor();
    await runs.getByRole('link', { name: 'Conversation' }).waitFor();
    assert.deepEqual(agent.errors(), []);
    await agent.close();
  });

  it('limits, patterns and what the model does not see are set on its page', async () => {
    const model = {
      provider: 'openai-compatible',
      model: 'gpt-4o-mini',
      baseUrl: 'https://api.openai.com/v1',
    };
    const { id } = await call('POST', '/agents', { name: 'Mia', ...model });
    const { page, errors, close } = await stage.open(stage.service.admin, { path: `/settings/agents/${id}` });
    const agent = () => call('GET', `/agents/${id}`);
    const type = async (label: string, text: string) => {
      await page.getByLabel(label).fill(text);
      await page.getByLabel('Name').focus();
    };
    await type('Replies in one conversation', '20');
    await eventually(async () => (await agent()).limits.repliesPerSession === 20);
    await type('Costs a day (US dollars)', '2.5');
    await eventually(async () => (await agent()).limits.costPerDay === 2.5);
    await type('Replies in one conversation', '');
    await eventually(async () => (await agent()).limits.repliesPerSession === undefined);
    await type('Never say', '(?i)guarantee\n\n(?i)refund');
    await eventually(async () => (await agent()).blockedPatterns.length === 2);
    await page.getByRole('checkbox', { name: 'Phone numbers' }).click();
    await eventually(async () => (await agent()).maskForModel[0] === 'phone');
    assert.equal((await agent()).limits.costPerDay, 2.5);
    assert.deepEqual(errors(), []);
    await type('Never say', '(');
    await page.getByText(/lockedPatterns\[0\] is no regular expression of RE2/).waitFor();
    await close();
  });
});
