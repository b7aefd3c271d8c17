import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { seriousViolations, violationsInBothThemes } from '../support/accessibility.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';

describe('searching messages in the inbox', () => {
  let on: InboxStage;
  let page: Page;
  let long: string;

  before(async () => {
    on = await startInbox();
    ({ page } = on);
    long = await on.begin('Mara Lopes');
    for (let i = 1; i <= 110; i++) {
      const content = i === 5 || i === 100 ? `The zebra of day ${i}` : `Line ${i} of many`;
      await on.inbox.customerSays(long, { content });
    }
    const other = await on.begin('Otto Brandt', { content: 'No striped horses here' });
    const path = `/channels/${on.channel.id}/sessions/${other}/agent-messages`;
    const body = { content: 'He means a zebra.', isNote: true };
    await on.stage.service.call('POST', path, { token: on.stage.service.admin.jwt, body });
  });
  after(() => on.stage.close());
  afterEach(() => assert.deepEqual(on.visitor.errors(), []));

  const search = async (q: string, who = page) => {
    await who.goto(`${on.stage.base}/app/inbox`);
    await who.getByRole('textbox', { name: 'Search people and messages' }).fill(q);
  };
  const hit = (name: RegExp, who = page) => who.getByRole('link', { name });
  const highlighted = (who = page) => who.locator('[data-hit]');
  const isSeen = async (who = page) => {
    await highlighted(who).waitFor();
    const box = (await highlighted(who).boundingBox())!;
    const log = (await who.getByRole('log').boundingBox())!;
    assert.ok(box.y >= log.y && box.y + box.height <= log.y + log.height, 'the hit is in view');
  };
  const bothThemes = async (who = page) => {
    assert.deepEqual(await violationsInBothThemes(who), []);
  };

  it('a hit leaves the messages below unread, and the keys of the list work beside results', async () => {
    await search('Line 75 of many');
    await hit(/Line 75 of many/)
      .first()
      .click();
    await highlighted().getByText('Line 75 of many').waitFor();
    await page.keyboard.press('x');
    const bar = page.getByRole('toolbar', { name: '1 selected' });
    await bar.waitFor();
    await page.keyboard.press('Escape');
    await bar.waitFor({ state: 'detached' });
    await isSeen();
    const { body } = await on.stage.service.call('GET', `/sessions/${long}`);
    assert.ok(body.unread > 0);
  });

  it('lists people and messages, filters them, and opens a hit in place by keyboard', async () => {
    await search('zebar');
    await page.getByRole('heading', { name: '3 messages' }).waitFor();
    await hit(/^Message Otto Brandt.*Note by You: He means a zebra/).waitFor();
    await page.getByRole('combobox', { name: 'Written by' }).click();
    await page.getByRole('option', { name: 'Customers' }).click();
    await page.getByRole('heading', { name: '2 messages' }).waitFor();
    await bothThemes();
    await page.getByRole('textbox', { name: 'Search people and messages' }).press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    // Of 111 messages, the newest 50 are loaded first: this one is far before them.
    await highlighted().getByText('The zebra of day 5').waitFor();
    await isSeen();
    await page.getByText('1 of 2 in this conversation').waitFor();
    await bothThemes();
    await page.keyboard.press(']');
    await highlighted().getByText('The zebra of day 100').waitFor();
    await isSeen();
    await page.getByRole('button', { name: 'Previous result' }).click();
    await highlighted().getByText('The zebra of day 5').waitFor();
    await page.getByRole('button', { name: 'Go to the newest message' }).click();
    await page.getByRole('log').getByText('Line 110 of many').waitFor();
    assert.equal(await highlighted().count(), 0);
  });

  it('finds messages from the palette', async () => {
    await page.goto(`${on.stage.base}/app/inbox`);
    await page.getByRole('list', { name: 'Conversations' }).waitFor();
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox', { name: 'Search and commands' }).fill('zebra day 5');
    const option = page.getByRole('group', { name: 'Messages' }).getByRole('option').first();
    await option.getByText('The zebra of day 5').waitFor();
    await option.click();
    await highlighted().getByText('The zebra of day 5').waitFor();
    await isSeen();
  });

  it('finds people by phone, and shows a hit, on a phone in Portuguese', async () => {
    const visitor = await on.stage.open(on.stage.service.admin, {
      viewport: { width: 360, height: 740 },
      locale: 'pt-BR',
      path: '/inbox',
    });
    const { page: phone } = visitor;
    try {
      const field = phone.getByRole('textbox', { name: 'Buscar pessoas e mensagens' });
      await field.fill('(0170) 5551');
      await phone.getByRole('link', { name: /^Mara Lopes/ }).waitFor();
      await field.fill('zebra day 100');
      await hit(/^Mensagem Mara Lopes/, phone)
        .first()
        .click();
      await isSeen(phone);
      await phone.getByText('1 de 1 nesta conversa').waitFor();
      const width = await phone.evaluate<number>('document.documentElement.scrollWidth');
      assert.ok(width <= 360, `${width} px wide`);
      assert.deepEqual(await seriousViolations(phone), []);
      assert.deepEqual(visitor.errors(), []);
    } finally {
      await visitor.close();
    }
  });
});
