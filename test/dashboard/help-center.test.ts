/** The pages of the dashboard about the help center, and what they change of the public site. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type DashboardStage, go, settled, type Visitor } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { png } from '../support/sample-files.ts';
import type { Json } from '../support/service.ts';

const dropPicture = `(() => {
  const bytes = Uint8Array.from(atob('${png(1, 1).toString('base64')}'), (sign) => sign.charCodeAt(0));
  const files = [new File([bytes], 'plug.png', { type: 'image/png' })];
  const drop = new Event('drop', { bubbles: true, cancelable: true });
  document.querySelector('textarea').dispatchEvent(Object.assign(drop, { dataTransfer: { files } }));
})()`;

describe('the help center in the dashboard', () => {
  let stage: DashboardStage;
  let visitor: Visitor;
  let page: Page;
  before(async () => {
    stage = await startDashboard();
    visitor = await stage.open(stage.service.admin, { path: '/knowledge' });
    ({ page } = visitor);
  });
  after(() => stage.close());

  const call = async (method: string, path: string, body?: object): Promise<Json> => {
    const token = stage.service.admin.jwt;
    const answer = await stage.service.call(method, path, { token, ...(body && { body }) });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const stored = (part: string, value: unknown) =>
    eventually(async () => {
      const settings = await call('GET', '/help-center');
      return JSON.stringify(settings[part]) === JSON.stringify(value);
    });

  it('needs a free address, then it is published at it', async () => {
    const other = await stage.service.createAccount();
    const taken = await stage.service.call('PATCH', '/help-center', {
      token: other.jwt,
      body: { slug: 'harbour' },
    });
    assert.equal(taken.status, 200);
    await press('Help center');
    const isOn = page.getByRole('switch', { name: 'Publish the help center' });
    await page.getByText('Choose an address first.').waitFor();
    assert.equal(await isOn.isDisabled(), true);
    const address = page.getByLabel('Address', { exact: true });
    const enter = async (slug: string) => {
      await address.fill(slug);
      await address.press('Enter');
    };
    await enter('Harbour Roastery');
    await page.getByText('Use 3 to 60 small letters').waitFor();
    await enter('harbour');
    await page.getByText('Another workspace uses this address').waitFor();
    assert.equal(await address.getAttribute('aria-invalid'), 'true');
    await enter('harbour-roastery');
    await page.getByText(`${stage.base}/help/harbour-roastery/`).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Open help center' }).count(), 0);
    await isOn.click();
    await page.getByRole('button', { name: 'Open help center' }).waitFor();
    const site = await stage.service.call('GET', '/help/harbour-roastery/en/', { token: null });
    assert.equal(site.status, 200);
    assert.deepEqual(visitor.errors(/409/), []);
  });

  it('changes its look and its languages one by one', async () => {
    await page.getByLabel('Name', { exact: true }).fill('Harbour Help');
    await page.getByLabel('Text on the first page').fill('# Welcome');
    await page.locator('input[maxlength="7"]').fill('green');
    await page.getByText('Enter a colour such as').waitFor();
    await page.locator('input[maxlength="7"]').fill('#0F5C4D');
    await page.getByLabel('Address', { exact: true }).focus();
    await stored('name', 'Harbour Help');
    await stored('homeText', '# Welcome');
    await stored('color', '#0f5c4d');
    const languages = page.getByRole('group', { name: 'Shown languages' });
    await languages.getByRole('button', { name: 'Remove English' }).click();
    await page.getByText('The help center needs at least one language.').waitFor();
    await languages.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('option', { name: 'Spanish' }).click();
    await stored('languages', ['en', 'es']);
    await page.keyboard.press('Escape');
    await settled(page);
    await page.getByLabel('Default language').click();
    await page.getByRole('option', { name: 'Spanish' }).click();
    await stored('languages', ['es', 'en']);
    await page.getByLabel('Text on the first page in English').fill('Welcome to the harbour');
    await page.getByLabel('Address', { exact: true }).focus();
    await stored('homeTexts', { en: 'Welcome to the harbour' });
    await page.locator('input[maxlength="7"]').fill('#fefefe');
    await page.getByLabel('Address', { exact: true }).focus();
    await page.getByText(/header will hardly stand out/).waitFor();
    assert.deepEqual(visitor.errors(), []);
  });

  it('shows the logo that was uploaded, and removes it', async () => {
    await page
      .locator('input[type=file]')
      .setInputFiles([{ name: 'logo.png', mimeType: 'image/png', buffer: png(32, 32) }]);
    const logo = page.getByAltText('The logo of the help center');
    await logo.waitFor();
    const { pathname, search } = new URL((await logo.getAttribute('src'))!);
    const image = await stage.service.call('GET', `${pathname}${search}`, { token: null });
    assert.deepEqual([image.status, image.headers['content-type']], [200, 'image/png']);
    await press('Remove logo');
    await logo.waitFor({ state: 'detached' });
    await stored('logoFileKey', null);
    assert.deepEqual(visitor.errors(), []);
  });

  it('creates collections, puts them in order and into each other, and deletes them', async () => {
    await page.getByRole('tab', { name: 'Collections' }).click();
    await page.getByText('No collections yet').waitFor();
    const dialog = page.getByRole('dialog');
    const create = async (name: string) => {
      await page.getByRole('button', { name: 'Create collection' }).first().click();
      await dialog.getByLabel('Name', { exact: true }).fill(name);
      await dialog.getByLabel('Name in English').fill(`${name} today`);
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('link', { name, exact: true }).waitFor();
    };
    for (const name of ['Orders', 'Parcels', 'Returns']) await create(name);
    const listed = async (): Promise<Json[]> => (await call('GET', '/knowledge/collections')).items;
    const shown = () => page.getByRole('list', { name: 'Collections' }).getByRole('link').allInnerTexts();
    const up = page.getByRole('button', { name: 'Move Returns up' });
    await up.press('Enter');
    await eventually(async () => (await shown()).join() === 'Orders,Returns,Parcels');
    const focused = () =>
      page.evaluate<string>(
        'document.activeElement.ariaLabel ?? document.activeElement.getAttribute("aria-label")',
      );
    await eventually(async () => (await focused()) === 'Move Returns up');
    assert.deepEqual(
      (await listed()).map(({ name }) => name),
      ['Orders', 'Returns', 'Parcels'],
    );
    const open = async (name: string, item: string) => {
      await press(`Actions for ${name}`);
      await page.getByRole('menuitem', { name: item }).click();
      await settled(page);
    };
    await open('Returns', 'Edit collection');
    assert.equal(await dialog.getByLabel('Name in English').inputValue(), 'Returns today');
    await dialog.getByLabel('Name', { exact: true }).fill('Sending back');
    await dialog.getByLabel('Inside of').click();
    assert.deepEqual(await page.getByRole('option').allInnerTexts(), ['The first page', 'Orders', 'Parcels']);
    await page.getByRole('option', { name: 'Orders' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await eventually(async () => (await shown()).join() === 'Orders,Sending back,Parcels');
    const orders = (await listed()).find(({ name }) => name === 'Orders');
    assert.equal((await listed()).find(({ name }) => name === 'Sending back').parent, orders.id);
    await open('Sending back', 'Delete');
    await dialog.getByText('collections in it move to “Orders”').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await eventually(async () => (await shown()).join() === 'Orders,Parcels');
    assert.deepEqual(visitor.errors(), []);
  });

  it('puts an article into a collection, and lists those of one', async () => {
    const sourceId = (await call('GET', '/knowledge/sources')).items[0].id;
    const write = (title: string) => call('POST', '/knowledge/documents', { sourceId, title, text: 'x' });
    const { id } = await write('Track a parcel');
    await write('Opening hours');
    await go(page, `/knowledge/edit/${id}`);
    await page.getByLabel('Collection').click();
    await page.getByRole('option', { name: 'Parcels' }).click();
    await press('Publish');
    await page.getByRole('heading', { level: 1, name: 'Track a parcel' }).waitFor();
    await go(page, '/knowledge/help-center/collections');
    await page.getByRole('link', { name: 'Parcels', exact: true }).click();
    const documents = page.getByRole('list', { name: 'Documents' });
    await documents.getByRole('link', { name: /Track a parcel/ }).waitFor();
    assert.equal(await documents.getByRole('listitem').count(), 1);
    await page.getByRole('link', { name: 'Collections' }).click();
    await page.getByRole('link', { name: 'Articles without a collection' }).click();
    await documents.getByRole('link', { name: /Opening hours/ }).waitFor();
    assert.equal(await documents.getByRole('listitem').count(), 1);
    assert.deepEqual(visitor.errors(), []);
  });

  it('translates an article beside its original, and shows which translation is older', async () => {
    const sourceId = (await call('GET', '/knowledge/sources')).items[0].id;
    const text = '# Deadline\n\nWithin **30 days**.';
    const { id, collectionId } = await call('POST', '/knowledge/documents', {
      ...{ sourceId, title: 'Returns', text, state: 'published', language: 'en' },
      collectionId: (await call('GET', '/knowledge/collections')).items[0].id,
    });
    await call('PATCH', '/help-center', { languages: ['en', 'es', 'pt'] });
    await go(page, `/knowledge/documents/${id}`);
    const tab = () => page.getByRole('tab', { name: 'Translations' }).click();
    const row = (name: string) =>
      page.getByRole('list', { name: 'Translations' }).getByRole('listitem').filter({ hasText: name });
    await tab();
    await row('Portuguese').getByText('Missing').waitFor();
    await row('English').getByText('Original').waitFor();
    await press('Translate to Spanish');
    const original = page.getByRole('region', { name: 'Original' });
    await original.getByRole('heading', { name: 'Deadline' }).waitFor();
    const field = page.getByLabel('Text', { exact: true });
    assert.equal(await field.inputValue(), text);
    await page.getByLabel('Title').fill('Devoluciones');
    await field.fill('# Plazo\n\nEn **30 días**.\n\n');
    await page.evaluate(dropPicture);
    await page.getByRole('radio', { name: 'Preview' }).last().click();
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByRole('heading', { name: 'Plazo' }).waitFor();
    await preview.getByRole('img', { name: 'plug' }).waitFor();
    await press('Publish');
    await page.getByRole('heading', { level: 1, name: 'Devoluciones' }).waitFor();
    const { items } = await call('GET', `/knowledge/documents?translationOf=${id}`);
    assert.deepEqual(
      [items[0].language, items[0].collectionId, items[0].state, items.length],
      ['es', collectionId, 'published', 1],
    );
    await tab();
    await row('Spanish').getByText('Published').waitFor();
    assert.equal(await page.getByText('Older than the original').count(), 0);
    await call('PUT', `/knowledge/documents/${id}`, {
      ...{ title: 'Returns', text: 'Within 60 days.', state: 'published', expectedVersion: 1 },
    });
    await go(page, `/knowledge/documents/${id}`);
    await tab();
    await row('Spanish').getByText('Older than the original').waitFor();
    await go(page, `/knowledge/edit/${items[0].id}`);
    await original.getByText('The original was changed after this translation.').waitFor();
    await original.getByText('Within 60 days.').waitFor();
    assert.deepEqual(visitor.errors(), []);
  });

  it('is changed by those who manage knowledge only', async () => {
    const operator = await stage.open(await stage.service.createUser('operator'), { path: '/knowledge' });
    await operator.page.getByRole('link', { name: /^Articles/ }).waitFor();
    assert.equal(await operator.page.getByRole('button', { name: 'Help center' }).count(), 0);
    await go(operator.page, '/knowledge/help-center/settings');
    assert.equal(await operator.page.getByRole('switch').count(), 0);
    assert.deepEqual(operator.errors(), []);
    await operator.close();
  });
});
