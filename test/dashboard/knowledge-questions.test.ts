import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type DashboardStage, go, type Visitor } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/service.ts';

describe('test questions of knowledge in the dashboard', () => {
  let stage: DashboardStage;
  let visitor: Visitor;
  let page: Page;
  let sourceId: string;
  before(async () => {
    stage = await startDashboard();
    sourceId = (await call('GET', '/sources')).items[0].id;
    visitor = await stage.open(stage.service.admin, { path: '/knowledge' });
    ({ page } = visitor);
  });
  after(() => stage.close());

  const call = async (method: string, path: string, body?: object): Promise<Json> => {
    const token = stage.service.admin.jwt;
    const answer = await stage.service.call(method, `/knowledge${path}`, { token, ...(body && { body }) });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const write = async (title: string, text: string): Promise<string> =>
    (await call('POST', '/documents', { sourceId, title, text, state: 'published' })).id;
  const questions = async (): Promise<Json[]> => (await call('GET', '/questions')).items;
  const dialog = () => page.getByRole('dialog');
  const row = (text: string) => page.getByRole('listitem').filter({ hasText: text });

  it('a right answer of the search becomes one, and a second one joins it', async () => {
    const sofas = await write('Sofas', 'A sofa can be returned within 30 days.');
    const beds = await write('Beds', 'A bed or a sofa bed can be returned as well.');
    await page.getByLabel('Search knowledge as an agent does').fill('return a sofa');
    await page.getByRole('button', { name: 'This is the right answer: Sofas' }).click();
    await row('within 30 days').getByText('Right answer', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'This is the right answer: Beds' }).click();
    await row('A bed or').getByText('Right answer', { exact: true }).waitFor();
    assert.deepEqual(
      (await questions()).map(({ q, documentIds }) => [q, documentIds]),
      [['return a sofa', [sofas, beds]]],
    );
    await page.getByLabel('Search knowledge as an agent does').fill('');
    assert.deepEqual(visitor.errors(), []);
  });

  it('are added with documents that the search finds or that have a title, evaluated, and deleted with undo', async () => {
    await write('Shipping', 'Parcels leave on the next day.');
    await page.getByRole('link', { name: 'Open test questions' }).click();
    await page.getByText('Sofas · Beds').waitFor();
    await page.getByRole('button', { name: 'Add question' }).click();
    await dialog().getByLabel('Question').fill('customs for a sofa');
    await dialog().getByRole('checkbox', { name: 'Sofas' }).waitFor();
    await dialog().getByLabel('Search by title').fill('shipp');
    await dialog().getByRole('checkbox', { name: 'Shipping' }).check();
    await dialog().getByRole('button', { name: 'Add', exact: true }).click();
    await dialog().waitFor({ state: 'detached' });
    await row('customs for a sofa').getByText('Shipping').waitFor();

    await page.getByRole('button', { name: 'Evaluate' }).click();
    const first = page.getByRole('row', { name: /Right document first/ });
    await first.getByText('50 %').waitFor();
    await row('return a sofa').getByText('Place 1').waitFor();
    await row('customs for a sofa').getByText('Not found').waitFor();

    await page.getByRole('button', { name: 'Delete question: customs for a sofa' }).click();
    await row('customs for a sofa').getByText('Shipping').waitFor({ state: 'detached' });
    assert.equal((await questions()).length, 1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => (await questions()).length === 2);
    assert.deepEqual(visitor.errors(), []);
  });

  it('say what a draft would change before it is published', async () => {
    const [shipping] = (await call('GET', '/documents?q=shipping')).items;
    await call('PUT', `/documents/${shipping.id}`, {
      title: 'Shipping',
      text: 'Parcels leave on the next day. We pay customs for a sofa.',
      expectedVersion: 1,
    });
    await go(page, `/knowledge/documents/${shipping.id}`);
    const preview = page.getByRole('region', { name: 'What changes for the search' });
    await preview.getByRole('button', { name: 'Evaluate' }).click();
    const first = preview.getByRole('row', { name: /Right document first/ });
    await first.getByText('50 %').waitFor();
    await first.getByText('100 %').waitFor();
    const moved = preview.getByRole('list', { name: 'Questions whose place changes' });
    await moved.getByText('customs for a sofa').waitFor();
    await moved.getByText('Not found').waitFor();
    await moved.getByText('Place 1').waitFor();
    assert.deepEqual(visitor.errors(), []);
  });

  it('are read but not changed by operators', async () => {
    const path = '/knowledge/questions/all';
    const operator = await stage.open(await stage.service.createUser('operator'), { path });
    await operator.page.getByText('Sofas · Beds').waitFor();
    for (const name of ['Add question', 'Evaluate', /^Delete question/]) {
      assert.equal(await operator.page.getByRole('button', { name }).count(), 0, String(name));
    }
    assert.deepEqual(operator.errors(), []);
    await operator.close();
  });
});
