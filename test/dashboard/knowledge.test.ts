import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { type DashboardStage, go, settled, signIn, type Visitor } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type Json, password } from '../support/service.ts';
import { loopbackAllowed } from '../support/webhooks.ts';
import { article, linksTo, startWebsite, type Website } from '../support/website.ts';

const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const pastePicture = `(() => {
  const bytes = Uint8Array.from(atob('${picture}'), (sign) => sign.charCodeAt(0));
  const files = [new File([bytes], 'plug.png', { type: 'image/png' })];
  const paste = new Event('paste', { bubbles: true, cancelable: true });
  document.querySelector('textarea').dispatchEvent(Object.assign(paste, { clipboardData: { files } }));
})()`;

describe('knowledge in the dashboard', () => {
  let stage: DashboardStage;
  let visitor: Visitor;
  let page: Page;
  let site: Website;
  let articles: string;
  before(async () => {
    stage = await startDashboard(loopbackAllowed);
    articles = (await call('GET', '/sources')).items[0].id;
    visitor = await stage.open(stage.service.admin, { path: '/knowledge' });
    ({ page } = visitor);
    site = await startWebsite();
  });
  after(async () => {
    await site?.close();
    await stage.close();
  });

  const call = async (method: string, path: string, body?: object): Promise<Json> => {
    const token = stage.service.admin.jwt;
    const answer = await stage.service.call(method, `/knowledge${path}`, { token, ...(body && { body }) });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const write = (title: string, text: string, state = 'published') =>
    call('POST', '/documents', { sourceId: articles, title, text, state });
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const choose = async (name: string) => {
    await page.getByRole('menuitem', { name }).click();
    await settled(page);
  };
  const dialog = () => page.getByRole('dialog');

  it('writes an article as a draft, publishes it, and finds it by what matched', async () => {
    await page.getByRole('link', { name: /^Articles/ }).click();
    await page.getByText('No articles yet').waitFor();
    await page.getByRole('button', { name: 'New article' }).first().click();
    await page.getByLabel('Title').fill('Returning products');
    await page
      .getByLabel('Text', { exact: true })
      .fill(
        '# Deadline\n\nWe accept **returns** within 30 days.\n\n| Kind | Days |\n|---|---|\n| Beans | 14 |',
      );
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByRole('heading', { name: 'Deadline' }).waitFor();
    await preview.getByRole('cell', { name: '14' }).waitFor();
    await page.evaluate(pastePicture);
    await preview.getByRole('img', { name: 'plug' }).waitFor();
    await press('Save draft');
    await page.getByText('Draft saved').waitFor();
    const [draft] = (await call('GET', `/documents?sourceId=${articles}`)).items;
    assert.deepEqual([draft.title, draft.state], ['Returning products', 'draft']);
    assert.match((await call('GET', `/documents/${draft.id}`)).text, /\n!\[plug\]\(file:[0-9a-f-]{36}\)\n$/);
    await page.getByRole('heading', { name: 'Edit article' }).waitFor();
    await press('Publish');
    await page.getByRole('heading', { level: 1, name: 'Returning products' }).waitFor();
    await page.getByText('Published', { exact: true }).waitFor();

    await go(page, '/knowledge');
    await page.getByLabel('Search knowledge as an agent does').fill('can I return something?');
    const found = page.getByRole('region', { name: 'Passages found' });
    const first = found.getByRole('listitem').filter({ hasText: 'within 30 days' });
    await first.waitFor();
    assert.ok((await first.locator('mark').allInnerTexts()).includes('returns'));
    await first.getByText(/^Score \d/).waitFor();
    await first.getByRole('link', { name: 'Returning products' }).click();
    await page.getByRole('tab', { name: 'Passages' }).click();
    await page.getByRole('list', { name: 'Passages' }).getByText('1. Deadline').waitFor();
    await go(page, '/knowledge');
    await page.getByLabel('Search knowledge as an agent does').fill('zeppelin');
    await page.getByText('Nothing found for “zeppelin”').waitFor();
    await page.getByLabel('Search knowledge as an agent does').fill('');
    assert.deepEqual(visitor.errors(), []);
  });

  it('keeps what was typed when somebody else has saved, and shows both texts', async () => {
    const { id } = await write('Opening hours', 'Open from nine.\n\nClosed on Sunday.');
    await go(page, `/knowledge/edit/${id}`);
    const text = page.getByLabel('Text', { exact: true });
    await text.fill('Open from ten.\n\nClosed on Sunday.');
    await call('PUT', `/documents/${id}`, {
      title: 'Opening hours',
      text: 'Open from eight.\n\nClosed on Sunday.',
      expectedVersion: 1,
    });
    await press('Publish');
    await page.getByText(/saved version 2 while you were writing/).waitFor();
    await page.getByText('Open from eight.').waitFor();
    assert.equal(await text.inputValue(), 'Open from ten.\n\nClosed on Sunday.');
    // A publish was asked for: nothing of it was stored.
    assert.equal((await call('GET', `/documents/${id}`)).version, 2);
    await press('Save mine as a draft');
    await page.getByText(/while you were writing/).waitFor({ state: 'detached' });
    const saved = await call('GET', `/documents/${id}?version=3`);
    assert.equal(saved.text, 'Open from ten.\n\nClosed on Sunday.');
    assert.equal(saved.publishedVersion, 1);
    assert.deepEqual(visitor.errors(/409/), []);
  });

  it('writes an article once if the response was lost and it is saved again', async () => {
    await go(page, `/knowledge/new/${articles}`);
    await page.getByLabel('Title').fill('Written once');
    await page.getByLabel('Text', { exact: true }).fill('As it was typed.');
    await page.route(
      '**/knowledge/documents',
      async (route: Route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await press('Save draft');
    await page.getByRole('alert').waitFor();
    await press('Save draft');
    await page.getByText('Draft saved').first().waitFor();
    const { items } = await call('GET', '/documents?q=Written%20once');
    assert.deepEqual(
      items.map(({ version }: Json) => version),
      [1],
    );
    visitor.errors(/Failed to load resource/);
  });

  it('does not make the internal text in use public with a draft: that waits for publishing', async () => {
    const { id } = await call('POST', '/documents', {
      sourceId: articles,
      title: 'Margins',
      text: 'We pay two.',
      audience: 'internal',
      state: 'published',
    });
    const stored = async () => {
      const { audience, text } = await call('GET', `/documents/${id}`);
      return [audience, text];
    };
    await go(page, `/knowledge/edit/${id}`);
    await page.getByLabel('Text', { exact: true }).fill('You pay three.');
    await page.getByRole('combobox', { name: 'Audience' }).click();
    await page.getByRole('option', { name: 'Public' }).click();
    await page.getByText(/^It becomes public when you publish/).waitFor();
    await press('Save draft');
    await eventually(async () => (await call('GET', `/documents/${id}`)).version === 2);
    await settled(page);
    assert.deepEqual(await stored(), ['internal', 'We pay two.']);
    await press('Publish');
    await page.getByRole('heading', { level: 1, name: 'Margins' }).waitFor();
    assert.deepEqual(await stored(), ['public', 'You pay three.']);
    assert.deepEqual(visitor.errors(), []);
  });

  it('takes no typing while a new article is stored, which the page after it would not have', async () => {
    await go(page, `/knowledge/new/${articles}`);
    const held: Route[] = [];
    await page.route('**/knowledge/documents', (route: Route) => void held.push(route));
    await page.getByLabel('Title').fill('Deliveries');
    await press('Save draft');
    await eventually(() => held.length === 1);
    for (const name of ['Title', 'Text']) {
      assert.notEqual(await page.getByLabel(name, { exact: true }).getAttribute('readonly'), null, name);
    }
    assert.ok(await page.getByRole('combobox', { name: 'Language' }).isDisabled());
    await held[0]!.continue();
    await page.unrouteAll({ behavior: 'wait' });
    await page.waitForURL(/knowledge\/edit/);
    const text = page.getByLabel('Text', { exact: true });
    await eventually(async () => (await text.getAttribute('readonly')) === null);
    assert.equal(await page.getByLabel('Title').inputValue(), 'Deliveries');
    assert.deepEqual(visitor.errors(), []);
  });

  it('is in no conflict with itself after a save of which only the text was stored', async () => {
    const { id } = await write('Warranty', 'One year.');
    await go(page, `/knowledge/edit/${id}`);
    const text = page.getByLabel('Text', { exact: true });
    await text.fill('Two years.');
    await page.route(`**/knowledge/documents/${id}`, async (route: Route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      await route.fulfill({ status: 422, json: { code: 'VALIDATION', message: 'not today' } });
    });
    await page.getByRole('combobox', { name: 'Language' }).click();
    await page.getByRole('option', { name: 'Portuguese', exact: true }).click();
    await press('Save draft');
    await page
      .getByRole('alert')
      .getByText(/not today/i)
      .waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await press('Save draft');
    await eventually(async () => (await call('GET', `/documents/${id}`)).language === 'pt');
    assert.equal(await page.getByText(/while you were writing/).count(), 0);
    assert.equal((await call('GET', `/documents/${id}?version=3`)).text, 'Two years.');
    await settled(page);
    visitor.errors(/422/);
  });

  it('asks before a changed article is left, and keeps it if the person stays', async () => {
    await go(page, `/knowledge/new/${articles}`);
    await page.getByLabel('Title').fill('opening hours');
    await page.getByText('Another document has this title.').waitFor();
    await page.getByLabel('Title').fill('Half of an idea');
    await page.getByText('Another document has this title.').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Inbox' }).click();
    await dialog().getByText('What you changed since the last save will be lost.').waitFor();
    await press('Keep editing');
    await dialog().waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Title').inputValue(), 'Half of an idea');
    await page.getByRole('link', { name: 'Inbox' }).click();
    await dialog().getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    assert.deepEqual(visitor.errors(), []);
  });

  it('compares versions and restores an old one as the next', async () => {
    const { id } = await write('Shipping', 'Two days.\nBy bike.');
    await call('PUT', `/documents/${id}`, {
      title: 'Shipping',
      text: 'Three days.\nBy bike.',
      state: 'published',
      expectedVersion: 1,
    });
    await go(page, `/knowledge/documents/${id}`);
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('list', { name: 'Versions' }).getByText('Version 1').click();
    await dialog().getByText('Two days.').waitFor();
    await dialog().getByText('Three days.').waitFor();
    await press('Restore as a new version');
    const asked = page.getByRole('dialog', { name: 'Restore version 1?' });
    await asked.getByText(/become version 3, a draft/).waitFor();
    await asked.getByRole('button', { name: 'Restore as a new version' }).click();
    await page.getByText('Version 3 is not published yet').waitFor();
    assert.equal((await call('GET', `/documents/${id}?version=3`)).text, 'Two days.\nBy bike.');
    assert.equal((await call('GET', `/documents/${id}`)).text, 'Three days.\nBy bike.');
    await press('Publish the newest version');
    await page.getByText('Version 3 is not published yet').waitFor({ state: 'detached' });
    assert.equal((await call('GET', `/documents/${id}`)).publishedVersion, 3);
    assert.deepEqual(visitor.errors(), []);
  });

  it('narrows documents by title and state, changes one in its row, and deletes it', async () => {
    const { id } = await write('Zebra care', 'Brush daily.');
    await write('Zebra food', 'Hay.', 'draft');
    await go(page, `/knowledge/sources/${articles}`);
    const list = page.getByRole('list', { name: 'Documents' });
    await page.getByLabel('Search by title').fill('zebra');
    await list.getByText('Opening hours').waitFor({ state: 'detached' });
    await list.getByText('Zebra food').waitFor();
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Published' }).click();
    await list.getByText('Zebra food').waitFor({ state: 'detached' });
    await press('Actions for Zebra care');
    await choose('Make internal');
    await list.getByText('Internal').waitFor();
    assert.equal((await call('GET', `/documents/${id}`)).audience, 'internal');
    await press('Actions for Zebra care');
    await choose('Delete');
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Document deleted: Zebra care').waitFor();
    await list.getByText('Zebra care').waitFor({ state: 'detached' });
    const left = (await call('GET', `/documents?q=zebra`)).items;
    assert.deepEqual(
      left.map(({ title }: Json) => title),
      ['Zebra food'],
    );
    assert.deepEqual(visitor.errors(), []);
  });

  it('uploads files, shows what is read, and says why one is refused', async () => {
    await go(page, '/knowledge');
    await press('Add source');
    await dialog()
      .getByRole('radio', { name: /^Files/ })
      .check({ force: true });
    await dialog().getByLabel('Name').fill('Manuals');
    await press('Create');
    await page.getByRole('heading', { level: 1, name: 'Manuals' }).waitFor();
    await page.locator('input[type=file]').setInputFiles([
      { name: 'grinder.md', mimeType: '', buffer: Buffer.from('# Grinder\n\nClean it weekly.') },
      { name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from('PNG') },
    ]);
    await page.getByText('Files of this type are not read.').waitFor();
    const row = page.getByRole('list', { name: 'Documents' }).getByRole('listitem');
    await row.filter({ hasText: 'Grinder' }).getByText('Published').waitFor();
    await press('Dismiss photo.png');
    await row.getByRole('link', { name: /Grinder/ }).click();
    await page.getByText('Clean it weekly.').waitFor();
    assert.deepEqual(visitor.errors(), []);
  });

  it('reads a website live, and publishes a run after its review', async () => {
    site.pages.set(
      '/help',
      article('Help', 'Everything about beans.', '') + linksTo('/help/beans', '/help/missing'),
    );
    site.pages.set('/help/beans', article('Beans', 'Store beans in the dark.'));
    await go(page, '/knowledge');
    await press('Add source');
    await dialog().getByLabel('Name').fill('Help pages');
    await dialog().getByLabel('Start addresses').fill(`${site.origin}/help`);
    await dialog().getByRole('combobox', { name: 'Publish what was read' }).click();
    await page.getByRole('option', { name: 'After a review' }).click();
    await press('Create and sync');
    // By the live connection alone: nothing else reads again.
    await page.getByText('A sync waits for your review').waitFor();
    const source = (await call('GET', '/sources')).items.find(({ name }: Json) => name === 'Help pages');
    assert.equal(source.counts.published, 0);
    await press('Sync now');
    await dialog()
      .getByText(/What it has read is dropped/)
      .waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
    assert.equal((await call('GET', `/sources/${source.id}`)).lastRunId, source.lastRunId);
    await go(page, '/knowledge');
    await page.getByRole('link', { name: /^Help pages ?Waiting for review/ }).click();
    await page.getByRole('link', { name: 'Look at the pages' }).click();
    const pages = page.getByRole('list', { name: 'Pages' });
    await pages.getByText(`${site.origin}/help/beans`).waitFor();
    await page.getByRole('button', { name: /^Failed 1/ }).click();
    await pages.getByText(`${site.origin}/help/beans`).waitFor({ state: 'detached' });
    await pages.getByText('There is no page at this address (404).').waitFor();
    await pages.getByText('Not found', { exact: true }).waitFor();
    await press('Publish');
    await page.getByText('Pages published').waitFor();
    await eventually(async () => (await call('GET', `/sources/${source.id}`)).counts.published === 2);
    await page.getByRole('link', { name: 'Help pages' }).click();
    await page.getByRole('list', { name: 'Pages' }).getByText('Beans', { exact: true }).waitFor();
    const [beans] = (await call('GET', `/documents?sourceId=${source.id}&q=beans`)).items;
    await go(page, `/knowledge/edit/${beans.id}`);
    await page.getByRole('heading', { level: 1, name: 'Beans' }).waitFor();
    await page.getByText('Store beans in the dark.').waitFor();
    assert.equal(await page.getByLabel('Title').count(), 0);

    // Those of a verdict are looked for on the next pages, until one cannot be read.
    let asked = 0;
    await page.route('**/knowledge/runs/*/pages?*', async (route: Route) => {
      asked++;
      if (asked === 1) await route.fulfill({ json: { items: [], nextToken: 'more' } });
      else await route.fulfill({ status: 422, json: { code: 'VALIDATION', message: 'not today' } });
    });
    await go(page, `/knowledge/runs/${source.lastRunId}`);
    await page.getByRole('button', { name: /^Failed 1/ }).click();
    await eventually(() => asked >= 2);
    await settled(page);
    assert.equal(asked, 2);
    await page.unrouteAll({ behavior: 'wait' });
    visitor.errors(/422/);
    await page.getByRole('link', { name: 'Help pages' }).click();
    await page.getByRole('tab', { name: 'Syncs' }).click();
    await page.getByRole('list', { name: 'Syncs' }).getByText('2 added').waitFor();

    // A page that does not answer: the progress stays, and the run can be cancelled.
    const held: ServerResponse[] = [];
    site.pages.set('/help/beans', (_, response) => void held.push(response));
    await press('Sync now');
    await page.getByRole('progressbar', { name: 'Running' }).waitFor();
    await page.getByText(/^\d+ of \d+ pages read$/).waitFor();
    await press('Cancel sync');
    await dialog().getByRole('button', { name: 'Cancel sync' }).click();
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    await page.getByRole('list', { name: 'Syncs' }).getByText('Cancelled').waitFor();
    for (const response of held) response.end();
    assert.equal((await call('GET', `/sources/${source.id}`)).counts.published, 2);
    assert.deepEqual(visitor.errors(), []);
  });

  it('keeps the settings of a website, and says which header is no header', async () => {
    const { id } = await call('POST', '/sources', {
      name: 'Private',
      kind: 'website',
      settings: { startUrls: [site.origin], headers: { 'X-Key': 'secret' } },
    });
    await go(page, `/knowledge/sources/${id}`);
    await press('More actions');
    await choose('Source settings');
    await dialog().getByText('Paths, limits and headers').click();
    await dialog().getByLabel('Without these paths').fill('/blog\n/news');
    await dialog().getByLabel('Request headers').fill('no header');
    await press('Save');
    await dialog()
      .getByText(/This line is not one: no header/)
      .waitFor();
    await dialog().getByText('Check the field “Request headers”', { exact: false }).waitFor();
    assert.equal(await dialog().getByLabel('Request headers').getAttribute('aria-invalid'), 'true');
    await dialog().getByLabel('Request headers').fill('X-Key: ********');
    await press('Save');
    await dialog().waitFor({ state: 'detached' });
    const { settings } = await call('GET', `/sources/${id}`);
    assert.deepEqual([settings.exclude, settings.headers], [['/blog', '/news'], { 'X-Key': '********' }]);
    await press('More actions');
    await choose('Delete source');
    await dialog().getByLabel('Type “Private” to confirm').fill('Private');
    await dialog().getByRole('button', { name: 'Delete source' }).click();
    await page.getByText('Source deleted: Private').waitFor();
    assert.equal(
      (await call('GET', '/sources')).items.some((one: Json) => one.id === id),
      false,
    );
    assert.deepEqual(visitor.errors(), []);
  });

  it('does not sign out while an article is not saved, and forgets what was searched for', async () => {
    const signOut = async () => {
      await page
        .getByRole('button', { name: /Account and theme/ })
        .first()
        .click();
      await choose('Sign out');
    };
    await go(page, '/knowledge');
    const search = page.getByLabel('Search knowledge as an agent does');
    await search.fill('secret plans');
    await page.getByText('Nothing found for “secret plans”').waitFor();
    await go(page, `/knowledge/new/${articles}`);
    await page.getByLabel('Title').fill('Never saved');
    await signOut();
    await page.getByText(/You have not saved this article/).waitFor();
    assert.equal(await page.getByLabel('Title').inputValue(), 'Never saved');
    await page.getByLabel('Title').fill('');
    await signOut();
    await page.waitForURL(/\/login/);
    await signIn(page, stage.service.admin.email, password);
    await page.waitForURL((url) => !url.pathname.endsWith('/login'));
    await go(page, '/knowledge');
    await search.waitFor();
    assert.equal(await search.inputValue(), '');
    assert.deepEqual(visitor.errors(), []);
  });

  it('is read but not changed by operators', async () => {
    const { id } = await write('Closing time', 'At six.');
    const operator = await stage.open(await stage.service.createUser('operator'), {
      path: `/knowledge/sources/${articles}`,
    });
    await operator.page.getByRole('link', { name: /Closing time/ }).click();
    await operator.page.getByText('At six.').waitFor();
    for (const name of ['Edit article', 'New article', 'Actions for Closing time']) {
      assert.equal(await operator.page.getByRole('button', { name }).count(), 0, name);
    }
    await go(operator.page, `/knowledge/edit/${id}`);
    await operator.page.getByText('At six.').waitFor({ state: 'detached' });
    assert.equal(await operator.page.getByLabel('Title').count(), 0);
    assert.deepEqual(operator.errors(), []);
    await operator.close();
  });
});
