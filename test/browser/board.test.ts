import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { type DashboardStage, settled, startDashboard } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/service.ts';

let made = 0;

/** Dragging, and what needs the height of cards; the rest of it is in test/dashboard. */
describe('the board in a browser', () => {
  let stage: DashboardStage;
  let call: DashboardStage['service']['call'];
  let board: Json;
  let page: Page;

  before(async () => {
    stage = await startDashboard();
    ({ call } = stage.service);
    ({ page } = await stage.open(stage.service.admin));
  });
  after(() => stage.close());

  beforeEach(async () => {
    const name = `Deals ${++made}`;
    const { body } = await call('POST', '/kanbans', {
      body: {
        name,
        statuses: [
          { value: 'lead', label: 'Lead', color: '#5660d6' },
          { value: 'offer', label: 'Offer', color: '#d9a514' },
          { value: 'won', label: 'Won', color: '#23a35a' },
        ],
      },
    });
    board = body;
  });

  const add = async (title: string): Promise<Json> =>
    (await call('POST', `/crm/records?kanbanId=${board.id}`, { body: { title } })).body;
  const open = async () => {
    await page.goto(`${stage.base}/app/boards/${board.slug}`);
    await page.getByRole('heading', { level: 1, name: board.name }).waitFor();
  };
  const column = (label: string) => page.getByRole('region', { name: new RegExp(`^${label},`) });
  const card = (title: string, where: Page | Locator = page) =>
    where.getByRole('group', { name: new RegExp(`^${title}`) });
  const statusOf = async (record: Json) => (await call('GET', `/crm/records/${record.recordId}`)).body.status;

  it('a card dragged to another column stays there, and Undo brings it back', async () => {
    const ada = await add('Ada');
    await open();
    await card('Ada').dragTo(column('Won'));
    await card('Ada', column('Won')).waitFor();
    await page.getByRole('region', { name: 'Won, 1 card' }).waitFor();
    await eventually(async () => (await statusOf(ada)) === 'won');
    await page.getByRole('button', { name: 'Undo' }).click();
    await card('Ada', column('Lead')).waitFor();
    await eventually(async () => (await statusOf(ada)) === 'lead');
  });

  it('a column of hundreds loads as it is scrolled, and renders only what is seen', async () => {
    for (let part = 0; part < 4; part++) {
      const items = Array.from({ length: 100 }, (_, index) => ({
        title: `Card ${part * 100 + index}`,
        kanbanId: board.id,
      }));
      await call('POST', '/crm/records/batch', { body: { items } });
    }
    await open();
    await page.getByRole('region', { name: 'Lead, 400 cards' }).waitFor();
    assert.ok((await page.locator('[data-card]').count()) < 60);
    await eventually(async () => {
      await page.evaluate(`document.querySelector('[data-column="lead"]').scrollTop = 1e7`);
      await settled(page);
      return (await page.locator('[data-column="lead"] [data-index="399"]').count()) === 1;
    }, 30_000);
    assert.ok((await page.locator('[data-card]').count()) < 60);
  });
});
