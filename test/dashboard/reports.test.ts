import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { sql } from '../../server/platform/db/sql.ts';
import { conversationsOf } from '../support/conversations.ts';
import { type DashboardStage, go, pressInTurn, signIn, type Visitor } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { fillReports, type ReportsPlaces } from '../support/reports-workspace.ts';
import { password } from '../support/service.ts';
import { loopbackAllowed } from '../support/webhooks.ts';

const names = [
  'records-by-status',
  'status-conversion',
  'new-conversations',
  'first-response',
  'resolutions',
  'satisfaction',
  'answers',
  'handovers',
  'messages-per-hour',
  'webhooks',
];

describe('reports', () => {
  let stage: DashboardStage;
  let places: ReportsPlaces;
  let visitor: Visitor;
  let page: Page;
  before(async () => {
    stage = await startDashboard(loopbackAllowed);
    places = await fillReports(stage.service);
    visitor = await stage.open(stage.service.admin, { acceptDownloads: true });
    ({ page } = visitor);
  });
  after(async () => {
    await places?.close();
    await stage.close();
  });

  const report = (name: string, who = page) => who.locator(`[data-report="${name}"]`);
  /** Without loading the dashboard again, which takes as long as a short test. */
  const open = async (search: string) => {
    await go(page, `/reports${search}`);
    await settled();
  };
  /** Every figure is there and drawn, and none is of an earlier period. */
  const settled = async (who = page) => {
    await report('answers', who).waitFor();
    // Charts are drawn after React has shown their place.
    const unfinished = who.locator('[data-report][aria-busy="true"], .chart:not(:has(canvas))');
    await eventually(async () => (await unfinished.count()) === 0);
  };
  const show = (name: string, view: 'Chart' | 'Table', who = page) =>
    report(name, who).getByRole('radio', { name: view }).click();
  /** Rows of the report's tables as texts, heads included. */
  const rows = (name: string, who = page): Promise<string[][]> =>
    report(name, who)
      .locator('tr')
      .evaluateAll((all) =>
        all.map((row) => [...row.children].map((cell) => (cell.textContent ?? '').trim())),
      );
  const chart = (name: string, who = page) => report(name, who).getByRole('slider');
  const tip = (who = page) => who.locator('[data-chart-tip]');

  it('the rail and the keys lead there', async () => {
    await pressInTurn(page, 'g r');
    await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();
    const link = page.getByRole('navigation').getByRole('link', { name: 'Reports' });
    assert.equal(await link.getAttribute('aria-current'), 'page');
    for (const name of names) await report(name).waitFor();
  });

  it('as tables, the numbers are what was made', async () => {
    const { made, board } = places;
    await open(`?period=7d&board=${board.slug}`);
    for (const name of names.slice(0, 2)) await show(name, 'Table');
    const byStatus = await rows('records-by-status');
    assert.deepEqual(byStatus[0], ['Time', 'Lead', 'Offer', 'Won']);
    assert.equal(byStatus.length, 1 + 1 + 7);
    assert.deepEqual(byStatus.at(-1)?.slice(1), ['2', '2', '1']);
    assert.deepEqual(byStatus.at(-2)?.slice(1), ['0', '0', '0']);
    const conversion = await rows('status-conversion');
    const row = (first: string) => conversion.find((cells) => cells[0] === first)?.slice(1);
    assert.deepEqual(row('Lead')?.slice(0, 6), ['0', '6', '0', '3', '1', '2']);
    assert.deepEqual(row('Offer')?.slice(0, 6), ['0', '0', '3', '1', '0', '2']);
    assert.deepEqual(row('Lead → Offer')?.slice(0, 2), ['3', '100%']);
    assert.deepEqual(row('Offer → Won')?.slice(0, 2), ['1', '100%']);

    await open('?period=7d');
    await page.keyboard.press('v');
    const fresh = await rows('new-conversations');
    const column = (table: string[][], title: string) => table.at(-1)?.[table[0]!.indexOf(title)];
    assert.equal(column(fresh, 'Shop chat'), String(made.conversations.shop));
    assert.equal(column(fresh, 'Total'), String(made.conversations.api + made.conversations.shop));
    const answers = await rows('answers');
    assert.equal(column(answers, 'AI'), String(made.answers.ai));
    assert.equal(column(answers, 'People'), String(made.answers.human));
    const response = await rows('first-response');
    assert.equal(column(response, 'Conversations'), String(made.customerMessages));
    assert.equal(column(response, 'Unanswered'), '0');
    const handovers = await rows('handovers');
    assert.equal(column(handovers, 'Taken over by people'), '1');
    assert.equal(column(handovers, 'Handed back to the AI'), '1');
    const hours = await rows('messages-per-hour');
    const sum = hours.slice(1).reduce((all, cells) => all + Number(cells.at(-1)), 0);
    assert.equal(sum, made.customerMessages + made.answers.ai + made.answers.human);
    const webhooks = await rows('webhooks');
    assert.equal(webhooks.find(([first]) => first === 'Order system')?.[1], String(made.deliveries));
    const tile = (label: string) => page.locator('dl > div', { hasText: label }).locator('dd').first();
    assert.equal(
      await tile('New conversations').textContent(),
      String(made.conversations.api + made.conversations.shop),
    );
    await page.keyboard.press('v');
    assert.equal(
      await page.locator('[data-report] table').count(),
      1,
      'only the endpoints beside their chart',
    );
  });

  it('the file has the numbers of the table', async () => {
    await open('?period=7d');
    await show('answers', 'Table');
    const table = await rows('answers');
    const waiting = page.waitForEvent('download');
    await report('answers')
      .getByRole('button', { name: /as CSV/ })
      .click();
    const download = await waiting;
    assert.match(download.suggestedFilename(), /^answers-.*\.csv$/);
    const text = readFileSync(await download.path(), 'utf8');
    assert.equal(text.charCodeAt(0), 0xfeff, 'spreadsheets read it as UTF-8');
    const lines = text
      .slice(1)
      .trim()
      .split('\r\n')
      .map((line) => line.split(','));
    const at = (title: string) => lines[0]!.indexOf(title);
    const figures = lines.slice(1).map((cells) => [cells[at('ai')], cells[at('human')]]);
    assert.deepEqual(
      figures,
      table.slice(1).map((cells) => [cells[1], cells[2]]),
    );
    await show('answers', 'Chart');
  });

  it('periods are chosen by pointer and key, and stand in the address', async () => {
    await open('?period=7d');
    await page.keyboard.press('1');
    await page.waitForURL('**/reports?period=today');
    await settled();
    await page.getByRole('button', { name: 'Grouped by: By hour' }).waitFor();
    await page.getByRole('radio', { name: '90 days' }).click();
    await page.waitForURL('**/reports?period=90d');
    await page.getByRole('button', { name: 'Grouped by: By week' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'By day' }).click();
    await page.waitForURL('**/reports?period=90d&bucket=day');
    await settled();
    await show('answers', 'Table');
    assert.equal((await rows('answers')).length, 1 + 90 + 1);

    await page.getByRole('button', { name: 'Dates…' }).click();
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    await page.getByLabel('From').fill(yesterday);
    await page.getByLabel('To', { exact: true }).fill('2000-01-01');
    await page.getByText('The first day must be before the last.').waitFor();
    await page.getByLabel('To', { exact: true }).fill(yesterday);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/reports?period=custom&from=${yesterday}&to=${yesterday}`);
    await report('answers').getByText('What the AI and your team send').waitFor();
    await page.getByText('None before').or(page.getByText('Unchanged')).first().waitFor();

    await show('answers', 'Chart');
  });

  it('filters narrow the conversations, can be shared and are taken off again', async () => {
    await open('?period=7d');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('combobox', { name: 'Channel' }).click();
    await page.getByRole('option', { name: 'Shop chat' }).click();
    await page.waitForURL(`**/reports?period=7d&channel=${places.shopId}`);
    await page.keyboard.press('Escape');
    await settled();
    const legend = report('new-conversations').getByRole('list', { name: /^Legend/ });
    assert.deepEqual(await legend.getByRole('button').allTextContents(), ['Shop chat']);
    await page.getByRole('button', { name: 'Remove the filter Channel' }).click();
    await page.waitForURL('**/reports?period=7d');
    await eventually(async () => (await legend.getByRole('button').count()) === 2);
  });

  it('each figure of the AI opens the conversations behind it', async () => {
    const { answers, conversations } = places.made;
    await open('?period=7d');
    await page.getByRole('radio', { name: 'AI', exact: true }).click();
    await page.waitForURL('**/reports?period=7d&about=ai');
    const figure = (text: RegExp) => page.getByRole('button', { name: text });
    await figure(new RegExp(`^${answers.ai}, AI replies: show`)).click();
    const list = page.getByRole('list', { name: 'Conversations' });
    await list.waitFor();
    assert.equal(await list.getByRole('link').count(), conversations.api + conversations.shop);
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    await figure(/, Shop chat: AI replies: show/).click();
    await list.waitFor();
    assert.equal(await list.getByRole('link').count(), conversations.shop);
    await page.keyboard.press('Escape');
    await show('ai', 'Table');
    const table = await rows('ai');
    assert.equal(table.at(-1)?.[1], String(answers.ai));
    const day = table.find((row) => Number(row[1]) > 0)!;
    await figure(new RegExp(`^${day[1]}, ${day[0]}: AI replies: show`)).click();
    await list.waitFor();
    assert.ok((await list.getByRole('link').count()) > 0, 'those of one day');
    await page.keyboard.press('Escape');
    await show('ai', 'Chart');
    await page.getByRole('radio', { name: 'Everything' }).click();
    await page.waitForURL('**/reports?period=7d');
  });

  it('without a chosen board both board reports show all boards', async () => {
    await open('?period=today');
    for (const name of ['records-by-status', 'status-conversion']) {
      await report(name).getByText('All boards').waitFor();
      await show(name, 'Table');
    }
    const [heads = []] = await rows('records-by-status');
    for (const label of ['New', 'Lead', 'Offer', 'Won']) assert.ok(heads.includes(label), heads.join());
    const last = (await rows('records-by-status')).at(-1)!;
    assert.ok(Number(last[heads.indexOf('New')]) >= 1);
    assert.equal(last[heads.indexOf('Lead')], '2');
    const statuses = (await rows('status-conversion')).map(([status]) => status);
    for (const label of ['New', 'Lead', 'Offer', 'Won']) assert.ok(statuses.includes(label), statuses.join());
    for (const name of ['records-by-status', 'status-conversion']) await show(name, 'Chart');
  });

  it('the board is chosen without opening the filter', async () => {
    await open('?period=today');
    await page.getByRole('button', { name: 'Board: All boards' }).click();
    const choices = page.getByRole('menu').getByRole('menuitemcheckbox');
    const name = (await choices.nth(1).textContent()) ?? '';
    await choices.nth(1).click();
    await page.waitForURL(/board=/);
    await page.getByRole('button', { name: `Board: ${name.trim()}` }).waitFor();
  });

  it('the tip follows the arrow keys; the legend hides a series', async () => {
    const { made } = places;
    await open('?period=7d&compare=off');
    await report('answers')
      .getByRole('button', { name: /as CSV/ })
      .focus();
    await page.keyboard.press('Tab');
    assert.equal(await chart('answers').evaluate((one) => one === one.ownerDocument.activeElement), true);
    await tip().getByText('Total').waitFor();
    const says = () => chart('answers').getAttribute('aria-valuetext');
    assert.match((await says()) ?? '', new RegExp(`AI: ${made.answers.ai}, People: ${made.answers.human}$`));
    await page.keyboard.press('ArrowLeft');
    assert.match((await says()) ?? '', /AI: 0, People: 0$/);
    await page.keyboard.press('End');
    await page.keyboard.press('Tab');
    await tip().waitFor({ state: 'hidden' });
    await page.keyboard.press('Space');
    const entry = report('answers').getByRole('button', { name: 'AI', exact: true });
    assert.equal(await entry.getAttribute('aria-pressed'), 'false');
    await page.keyboard.press('Shift+Tab');
    assert.match(
      (await says()) ?? '',
      new RegExp(`\\d, People: ${made.answers.human}$|: ${made.answers.human}$`),
    );
    assert.doesNotMatch((await says()) ?? '', /AI: /);
    await page.keyboard.press('Escape');
    await tip().waitFor({ state: 'hidden' });

    await chart('messages-per-hour').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    assert.match(
      (await chart('messages-per-hour').getAttribute('aria-valuetext')) ?? '',
      /^Tuesday, 01:00, \d/,
    );
    await chart('status-conversion').focus();
    await page.keyboard.press('End');
    assert.match((await chart('status-conversion').getAttribute('aria-valuetext')) ?? '', /: \d+/);
  });

  it('shows service level targets by what they are made of, each with its conversations and as a file', async () => {
    const { service } = stage;
    const talk = conversationsOf(service);
    const { db } = service.context;
    await open('?period=7d');
    await page.getByRole('radio', { name: 'Service levels' }).click();
    await page.getByText('No targets in this period').waitFor();
    const policy = await talk.expect(
      201,
      service.call('POST', '/sla-policies', {
        body: { name: 'Standard', firstResponseMinutes: 60, resolutionMinutes: 600 },
      }),
    );
    for (const sessionId of ['due-1', 'due-2']) {
      await talk.accepted({ sessionId, fromChannelIdentifier: 'shop', content: 'Hello?' });
      await talk.expect(201, talk.operatorSays(places.shopId, sessionId, { content: 'Hi' }));
    }
    const count = sql`select count(*)::int as count from sla_results where policy_id = ${policy.id}`;
    await eventually(async () => (await db.query<{ count: number }>(count))[0]?.count === 2);
    await db.query(sql`update sla_results set outcome = 'breached' where session_id = 'due-2'`);
    await page.getByRole('button', { name: 'Refresh' }).click();
    const box = (name: string) => page.getByRole('region', { name, exact: true }).first();
    await box('By person')
      .getByRole('row', { name: /^Nobody/ })
      .waitFor();
    for (const [name, row] of [
      ['By target', 'First response'],
      ['By service level', 'Standard'],
      ['By team', 'No team'],
      ['By channel', 'Shop chat'],
    ] as const) {
      assert.deepEqual(
        await box(name).getByRole('row', { name: row }).getByRole('cell').allTextContents(),
        ['1', '1', '50%'],
        name,
      );
    }
    await page.getByRole('button', { name: /^1, Standard: Breached: show/ }).click();
    const list = page.getByRole('list', { name: 'Conversations' });
    await list.waitFor();
    assert.match((await list.getByRole('link').getAttribute('href'))!, /due-2$/);
    assert.equal(await list.getByRole('link').count(), 1);
    await page.keyboard.press('Escape');
    const waiting = page.waitForEvent('download');
    await report('service-levels')
      .getByRole('button', { name: /as CSV/ })
      .click();
    assert.match((await waiting).suggestedFilename(), /^service-levels-.*\.csv$/);
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('combobox', { name: 'Target' }).click();
    await page.getByRole('option', { name: 'Resolution' }).click();
    await page.waitForURL('**/reports?period=7d&about=service-levels&kind=resolution');
    await page.getByText('No targets in this period').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Remove the filter Target' }).click();
    await page.getByRole('radio', { name: 'Everything' }).click();
    await page.waitForURL('**/reports?period=7d');
    await talk.expect(200, service.call('DELETE', `/sla-policies/${policy.id}`));
  });

  it('a report that cannot be read says so, and Retry reads it', async () => {
    await page.route('**/reports/answers?*', (route) => route.fulfill({ status: 403, json: {} }));
    await open(`?period=today&channel=${places.shopId}`);
    await report('answers').getByRole('alert').getByText('Something went wrong').waitFor();
    await page.unroute('**/reports/answers?*');
    await report('answers').getByRole('button', { name: 'Retry' }).click();
    await chart('answers').waitFor();
    visitor.errors(/Failed to load resource/);
  });

  it('an operator who signs in at a period sees it in their language, and no webhooks', async () => {
    const user = await stage.service.createUser('operator');
    await stage.service.call('PATCH', '/auth/me', { token: user.jwt, body: { language: 'pt' } });
    const other = await stage.visit({ path: '/reports?period=12m' });
    await signIn(other.page, user.email, password);
    await other.page.getByRole('heading', { level: 1, name: 'Relatórios' }).waitFor();
    assert.equal(new URL(other.page.url()).searchParams.get('period'), '12m');
    await settled(other.page);
    await chart('answers', other.page).waitFor();
    assert.equal(await report('webhooks', other.page).count(), 0);
    await report('answers', other.page).getByRole('radio', { name: 'Tabela' }).click();
    const last = (await rows('answers', other.page)).at(-2)?.[0] ?? '';
    assert.equal(
      last,
      new Intl.DateTimeFormat('pt-BR', { month: 'long', year: 'numeric' }).format(Date.now()),
    );
    assert.deepEqual(other.errors(/401/), []);
    await other.close();
  });
});
