/** What an agent knows, in the dashboard: its sources, its rules, and under its replies what they are based on. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type DashboardStage, go } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/service.ts';

describe('what an agent knows', () => {
  let stage: DashboardStage;
  let agentId: string;
  let sourceId: string;
  const call = async (method: string, path: string, body?: object): Promise<Json> => {
    const {
      status,
      body: answer,
      text,
    } = await stage.service.call(method, path, {
      token: stage.service.admin.jwt,
      ...(body && { body }),
    });
    assert.ok(status < 300, text);
    return answer;
  };
  before(async () => {
    stage = await startDashboard();
    sourceId = (await call('POST', '/knowledge/sources', { name: 'Coffee facts', kind: 'articles' })).id;
    const knowledge = [{ title: 'Hours', text: 'Open at nine.' }];
    agentId = (await call('POST', '/agents', { name: 'Barista', provider: 'offline', knowledge })).id;
  });
  after(() => stage.close());
  const agent = () => call('GET', `/agents/${agentId}`);

  it('chooses its sources and rules, and moves its own entries into articles with one click', async () => {
    const { page, errors, close } = await stage.open(stage.service.admin, {
      path: `/settings/agents/${agentId}`,
    });
    await page.getByRole('tab', { name: /^Knowledge/ }).click();
    const sources = page.getByRole('group', { name: 'Sources' });
    await sources.getByText('Articles').waitFor();
    await sources.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('option', { name: 'Coffee facts' }).click();
    await page.keyboard.press('Escape');
    await eventually(async () => (await agent()).knowledgeSourceIds.includes(sourceId));
    await page.getByRole('checkbox', { name: 'Answer from knowledge only' }).click();
    await eventually(async () => (await agent()).answerOnlyFromKnowledge);
    await page.getByRole('checkbox', { name: 'Use internal documents' }).click();
    await eventually(async () => (await agent()).mayUseInternal);
    assert.equal((await agent()).answerOnlyFromKnowledge, true);
    await page.getByRole('button', { name: 'Move into articles' }).click();
    await page.getByText('No knowledge yet').waitFor();
    assert.deepEqual((await agent()).knowledge, []);
    const { items } = await call('GET', '/knowledge/documents');
    assert.deepEqual(
      items.map(({ title }: Json) => title),
      ['Hours'],
    );
    await page.getByRole('tab', { name: 'Try it' }).click();
    await page.getByLabel('Message as a customer').fill('What are your hours?');
    await page.keyboard.press('Enter');
    await page.getByText(/based on: Hours/).waitFor();
    assert.deepEqual(errors(), []);
    await close();
  });

  it('shows under a reply what it is based on, and the excerpt of it', async () => {
    const article = { sourceId, title: 'Grinder', state: 'published' };
    await call('POST', '/knowledge/documents', { ...article, text: '# Cleaning\n\nBrush the burrs weekly.' });
    const channel = await call('POST', '/channels', {
      name: 'Café',
      identifier: 'cafe',
      type: 'api',
      defaultAgentId: agentId,
    });
    const asked = { fromChannelIdentifier: channel.identifier, content: 'Brush the grinder burrs weekly?' };
    const { sessionId } = await call('POST', '/messages', asked);
    await eventually(async () => (await call('GET', `/sessions/${sessionId}/messages`)).items.length === 2);
    const { page, errors, close } = await stage.open(stage.service.admin, { path: `/inbox/${sessionId}` });
    const list = page.getByRole('list', { name: 'Sources of this reply' });
    const source = list.getByRole('button', { name: 'Grinder' });
    await source.click();
    await page.getByRole('blockquote').getByText('Brush the burrs weekly.').waitFor();
    assert.equal(await source.getAttribute('aria-expanded'), 'true');
    await source.click();
    await page.getByRole('blockquote').waitFor({ state: 'detached' });
    assert.deepEqual(errors(), []);
    await close();
  });

  it('shows what a document is used for, and what is missing: dismissed, or drafted as an article', async () => {
    for (const content of ['Do you repair broken umbrellas?', 'Which wallets fit twelve cards?']) {
      await call('POST', '/messages', { fromChannelIdentifier: 'cafe', content });
    }
    const open = async () => (await call('GET', '/knowledge/gaps?state=open')).items.length;
    await eventually(async () => (await open()) === 2);
    const [grinder] = (await call('GET', '/knowledge/documents?q=grinder')).items;
    const { page, errors, close } = await stage.open(stage.service.admin, {
      path: `/knowledge/documents/${grinder.id}`,
    });
    await page.getByRole('tab', { name: 'Usage' }).click();
    const used = page.getByRole('list', { name: 'Conversations' }).getByRole('listitem');
    await used.getByText('Cited').waitFor();
    assert.equal(await used.count(), 1);
    await go(page, '/knowledge');
    const missing = page.getByRole('list', { name: 'What is missing' });
    await missing.getByRole('button', { name: 'Dismiss: Which wallets fit twelve cards?' }).click();
    await missing.getByText('Which wallets fit twelve cards?').waitFor({ state: 'detached' });
    assert.equal(await open(), 1);
    await missing.getByRole('button', { name: 'Draft article: Do you repair broken umbrellas?' }).click();
    await page.getByRole('heading', { name: 'Edit article' }).waitFor();
    assert.equal(await page.getByLabel('Title').inputValue(), 'Do you repair broken umbrellas?');
    await go(page, '/knowledge');
    await page.getByRole('list', { name: 'Sources' }).waitFor();
    assert.equal(await missing.count(), 0);
    assert.deepEqual(errors(), []);
    await close();
  });
});
