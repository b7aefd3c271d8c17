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
