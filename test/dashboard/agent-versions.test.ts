/** The draft and the versions of an agent in the dashboard, and what a reply was made of. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DashboardStage } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { callsTools, type ModelServer, says, startOpenAiServer } from '../support/model-servers.ts';
import type { Json } from '../support/service.ts';
import { loopbackAllowed } from '../support/webhooks.ts';

describe('versions of an agent', () => {
  let stage: DashboardStage;
  let model: ModelServer;
  before(async () => {
    model = await startOpenAiServer();
    stage = await startDashboard(loopbackAllowed);
  });
  after(async () => {
    await stage.close();
    await model.close();
  });

  const call = async (method: string, path: string, body?: object): Promise<Json> => {
    const token = stage.service.admin.jwt;
    const answer = await stage.service.call(method, path, { token, ...(body && { body }) });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const makeAgent = async (more: object = {}): Promise<Json> =>
    call('POST', '/agents', { name: 'Barista', provider: 'offline', instructions: 'Be brief.', ...more });
  const open = (agent: Json) => stage.open(stage.service.admin, { path: `/settings/agents/${agent.id}` });

  it('a draft is edited, tried and published with a note; customers meet it only then', async () => {
    const agent = await makeAgent({
      provider: 'openai-compatible',
      model: 'm',
      baseUrl: model.baseUrl,
    });
    const read = () => call('GET', `/agents/${agent.id}`);
    const draft = () => call('GET', `/agents/${agent.id}/draft`);
    const { page, errors, close } = await open(agent);
    await page.getByRole('button', { name: 'Start a draft' }).click();
    await page.getByText(/does not differ from the published agent yet/).waitFor();
    await page.getByLabel('Instructions').fill('Be kind.');
    await page.getByRole('checkbox', { name: /Hand over to a person/ }).click();
    await page.getByText('It differs from the published agent in: Instructions, Tools.').waitFor();
    const { instructions, tools } = await draft();
    assert.deepEqual([instructions, tools], ['Be kind.', ['hand_over']]);
    assert.equal((await read()).instructions, 'Be brief.');

    await page.getByRole('tab', { name: 'Try it' }).click();
    await page.getByLabel('Message as a customer').fill('Hello');
    await page.keyboard.press('Enter');
    await eventually(() => model.requests.length === 1);
    assert.match(JSON.stringify(model.requests[0]!.body.messages), /Be kind\./);

    await page.getByRole('button', { name: 'Publish' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Note').fill('Kinder');
    await dialog.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Version 2 is published').waitFor();
    await page.getByRole('button', { name: 'Start a draft' }).waitFor();
    assert.equal((await read()).instructions, 'Be kind.');
    assert.deepEqual(errors(), []);
    await close();
  });

  it('a draft is discarded, and one of an older agent is saved again before it is published', async () => {
    const agent = await makeAgent();
    await call('PUT', `/agents/${agent.id}/draft`, { instructions: 'Of the draft' });
    await call('PATCH', `/agents/${agent.id}`, { mayUseInternal: true });
    const { page, errors, close } = await open(agent);
    await page.getByText(/has changed since this draft was saved/).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Publish' }).count(), 0);
    await page.getByRole('button', { name: 'Save again' }).click();
    await page.getByRole('button', { name: 'Publish' }).waitFor();
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard draft' }).click();
    await page.getByRole('button', { name: 'Start a draft' }).waitFor();
    const { hasDraft, instructions } = await call('GET', `/agents/${agent.id}`);
    assert.deepEqual([hasDraft, instructions], [false, 'Be brief.']);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('versions show who changed what, and one of them is restored', async () => {
    const agent = await makeAgent();
    await call('PATCH', `/agents/${agent.id}`, { instructions: 'Be kind.', tools: ['hand_over'] });
    const { page, errors, close } = await open(agent);
    await page.getByRole('tab', { name: 'Versions' }).click();
    const rows = page.getByRole('list', { name: 'Versions' }).getByRole('listitem');
    await rows.getByText('Changed: Instructions, Tools').waitFor();
    assert.equal(await rows.count(), 2);
    await page.getByRole('button', { name: 'Show what changed' }).click();
    await rows.getByText('Be brief.').waitFor();
    await rows.getByText('Be kind.').waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Version 3 is published').waitFor();
    assert.equal((await call('GET', `/agents/${agent.id}`)).instructions, 'Be brief.');
    assert.deepEqual(errors(), []);
    await close();
  });

  it('a reply says what it was made of when somebody asks', async () => {
    const agent = await makeAgent({
      provider: 'openai-compatible',
      model: 'tiny',
      baseUrl: model.baseUrl,
      tools: ['find_record'],
      price: { input: 1_000, output: 0 },
    });
    const channel = await call('POST', '/channels', {
      name: 'Café',
      identifier: 'cafe',
      type: 'api',
      defaultAgentId: agent.id,
    });
    model.script(
      callsTools({ name: 'find_record', arguments: {} }),
      says('You are welcome here.', { usage: { input: 100, output: 5 } }),
    );
    const asked = { fromChannelIdentifier: channel.identifier, content: 'Who am I?' };
    const { sessionId } = await call('POST', '/messages', asked);
    await eventually(async () => (await call('GET', `/sessions/${sessionId}/messages`)).items.length === 2);
    const { page, errors, close } = await stage.open(stage.service.admin, { path: `/inbox/${sessionId}` });
    await page.getByRole('button', { name: 'Why this answer' }).click();
    const why = page.getByRole('region', { name: 'Why this answer' });
    await why.getByText(/^tiny · version 1 · (US)?\$0\.1/).waitFor();
    await why.getByText('find_record').waitFor();
    await why.getByText('Nothing held it.').waitFor();
    await page.getByRole('button', { name: 'Why this answer' }).click();
    await why.waitFor({ state: 'detached' });
    assert.deepEqual(errors(), []);
    await close();
  });
});
