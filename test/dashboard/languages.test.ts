import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { Language } from '../../dashboard/src/texts/languages.ts';
import { type PartName, parts } from '../../dashboard/src/texts/parts.ts';
import { type DashboardStage, go, settled, signIn, type Visitor } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type Json, password } from '../support/service.ts';

async function catalogueOf(language: Language): Promise<{ [key: string]: string }> {
  const modules = await Promise.all(
    (Object.keys(parts) as PartName[]).map((part) => parts[part][language]()),
  );
  return Object.assign({}, ...modules.flatMap((module) => Object.values(module)));
}

const words = (text: string) => text.trim().replace(/\s+/g, ' ');
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Matches a text that is only the English form of one; what the other language says the same way is none. */
async function englishIn(language: Language): Promise<(shown: string) => string | undefined> {
  const [english, other] = [await catalogueOf('en'), await catalogueOf(language)];
  const alsoOther = new Set(Object.values(other).map((text) => words(text).toLowerCase()));
  const exact = new Map<string, string>();
  const patterns: [RegExp, string][] = [];
  for (const [key, text] of Object.entries(english)) {
    if (text === other[key] || alsoOther.has(words(text).toLowerCase())) continue;
    const literal = text.replace(/\{\w+\}/g, '');
    if (literal === text) exact.set(words(text), key);
    else if (literal.replace(/\P{L}/gu, '').length >= 6) {
      patterns.push([new RegExp(`^${escaped(words(text)).replace(/\\\{\w+\\\}/g, '.+')}$`), key]);
    }
  }
  return (shown) => exact.get(shown) ?? patterns.find(([pattern]) => pattern.test(shown))?.[1];
}

/** Every text of the page: what is read, what is said, what stands in empty fields and on hover. */
async function shownOn(page: Page): Promise<string[]> {
  const found = (await page.evaluate(`(() => {
    const found = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      if (!walker.currentNode.parentElement.closest('script, style')) found.push(walker.currentNode.textContent);
    }
    for (const element of document.body.querySelectorAll('*')) {
      for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'aria-roledescription']) {
        found.push(element.getAttribute(name) ?? '');
      }
    }
    return found;
  })()`)) as string[];
  return [...new Set(found.map(words))].filter(Boolean);
}
const languageOf = (page: Page) => page.evaluate('document.documentElement.lang');

/** Of the workspace, not of the dashboard. */
const data = new Set(['Administrator', 'Articles', 'Website']);

describe('the languages of the dashboard', () => {
  let stage: DashboardStage;
  let visitor: Visitor;
  let page: Page;
  let board: Json;
  let record: Json;

  before(async () => {
    stage = await startDashboard();
    const { admin, call } = stage.service;
    await call('PATCH', '/auth/me', { token: admin.jwt, body: { name: 'Clara Nunes' } });
    board = (
      await call('POST', '/kanbans', {
        body: {
          name: 'Vendas',
          statuses: [
            { value: 'novo', label: 'Novo', color: '#5660d6' },
            { value: 'fechado', label: 'Fechado', color: '#8b8f9a' },
          ],
          fields: [
            { name: 'Valor', type: 'currency' },
            { name: 'Prazo', type: 'date' },
          ],
        },
      })
    ).body;
    const idOf = (name: string) => board.fields.find((one: Json) => one.name === name).id;
    record = (
      await call('POST', `/crm/records?kanbanId=${board.id}`, {
        body: {
          title: 'Padaria Aurora',
          customFields: { [idOf('Valor')]: 12_345.5, [idOf('Prazo')]: '2031-02-09' },
        },
      })
    ).body;
    await call('POST', '/messages', {
      body: {
        content: 'Bom dia!',
        sessionId: 'aurora',
        fromChannelIdentifier: 'api',
        sessionName: 'Aurora',
        kanbanId: board.id,
      },
    });
    visitor = await stage.open(stage.service.admin, { path: '/boards/vendas', locale: 'en-US' });
    ({ page } = visitor);
  });
  after(() => stage.close());

  const choose = async (menu: string, name: string) => {
    await page.getByRole('button', { name: menu }).click();
    await page.locator('[role^=menuitem]', { hasText: name }).click();
  };
  /** On the server too: a page that is opened next follows it. */
  const isKept = (language: string) =>
    eventually(async () => {
      const { body } = await stage.service.call('GET', '/auth/me', { token: stage.service.admin.jwt });
      return body.user.language === language;
    });
  const amount = () => page.getByRole('complementary').getByLabel('Valor');

  it('a choice in the menu of the rail holds at once, without a reload', async () => {
    await page.evaluate('window.notReloaded = true');
    await choose('Account and theme', 'Português');
    await page.getByRole('link', { name: 'Configurações' }).waitFor();
    assert.equal(await languageOf(page), 'pt');
    assert.equal(await page.evaluate('window.notReloaded'), true);
    await page.getByRole('button', { name: 'Adicionar cartão' }).first().waitFor();
    await isKept('pt');
  });

  const settingsSections =
    'profile notifications channels widget agents saved-replies macros labels blocked-contacts workspace users teams audit-log api-tokens webhooks accounts';
  for (const [language, name, menu] of [
    ['pt', 'Português', 'Conta e tema'],
    ['es', 'Español', 'Conta e tema'],
  ] as const) {
    it(`${name}: no view shows a text of the English catalogue`, async () => {
      const english = await englishIn(language);
      if (language === 'es') {
        await choose(menu, name);
        await page.getByRole('link', { name: 'Configuración' }).waitFor();
        await isKept('es');
      }
      const left: string[] = [];
      const look = async (path: string) => {
        await settled(page);
        for (const text of await shownOn(page)) {
          const key = data.has(text) ? undefined : english(text);
          if (key) left.push(`${path}: “${text}” (${key})`);
          if (/^[a-z]\w+(\.\w+)+$/.test(text) && text in (await catalogueOf('en')))
            left.push(`${path}: the key ${text}`);
        }
      };
      const { jwt: token } = stage.service.admin;
      const articles = (await stage.service.call('GET', '/knowledge/sources', { token })).body.items[0].id;
      const paths = [
        '/boards/vendas',
        `/boards/vendas/records/${record.recordId}`,
        '/boards/vendas/settings',
        '/boards/nothing',
        '/inbox',
        '/inbox/aurora',
        '/knowledge',
        `/knowledge/sources/${articles}`,
        `/knowledge/new/${articles}`,
        '/nowhere',
        ...settingsSections.split(' ').map((section) => `/settings/${section}`),
      ];
      for (const path of paths) {
        await go(page, path);
        await look(path);
      }
      await go(page, '/boards/vendas');
      await page.locator('[data-card]').first().waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      await look('shortcuts');
      await page.keyboard.press('Escape');
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('dialog').waitFor();
      await look('commands');
      await page.keyboard.press('Escape');
      assert.deepEqual(left, []);
    });
  }

  it('dates and numbers have the form of the locale, and are typed in it', async () => {
    await choose('Cuenta y tema', 'Português');
    await page.getByRole('link', { name: 'Configurações' }).waitFor();
    await isKept('pt');
    await page.goto(`${stage.base}/app/boards/vendas/records/${record.recordId}`);
    await amount().waitFor();
    assert.equal(await amount().inputValue(), '12.345,50');
    const due = await page.getByRole('complementary').getByLabel('Prazo').inputValue();
    assert.match(due, /9 de fev\. de 2031|2031-02-09/);
    await amount().focus();
    assert.equal(await amount().inputValue(), '12345,5');
    await amount().fill('1.234');
    await amount().press('Enter');
    await eventually(async () => {
      const { body } = await stage.service.call('GET', `/crm/records/${record.recordId}`);
      return Object.values(body.customFields).includes(1234);
    });
    assert.equal(await amount().inputValue(), '1.234,00');
  });

  it('it is remembered over a reload, over signing out, and on another device', async () => {
    await page.reload();
    await page.getByRole('link', { name: 'Configurações' }).waitFor();
    await choose('Conta e tema', 'Sair');
    await page.getByRole('heading', { name: 'Entrar no Talkboard' }).waitFor();
    const english = await englishIn('pt');
    assert.deepEqual((await shownOn(page)).filter(english), []);
    const other = await stage.visit({ path: '/login', locale: 'en-US' });
    await signIn(other.page, stage.service.admin.email, password);
    await other.page.getByRole('link', { name: 'Configurações' }).waitFor();
    await other.page.reload();
    await other.page.getByRole('link', { name: 'Configurações' }).waitFor();
    await other.close();
  });

  it('without a choice the browser’s own languages decide', async () => {
    const guest = await stage.visit({ path: '/login', locale: 'es-MX' });
    await guest.page.getByRole('button', { name: 'Entrar' }).waitFor();
    await guest.page.getByLabel('Contraseña').waitFor();
    assert.equal(await languageOf(guest.page), 'es');
    await guest.close();
  });

  it('is chosen in the profile too; a choice that cannot be saved is taken back and told', async () => {
    const own = await stage.open(await stage.service.createUser('operator'), {
      path: '/settings/profile',
      locale: 'en-US',
    });
    await own.page.getByRole('radio', { name: 'Español' }).click();
    await own.page.getByRole('heading', { name: 'Perfil' }).waitFor();
    await own.page.route('**/auth/me', (route) => route.abort());
    await own.page.getByRole('radio', { name: 'Português' }).click();
    await own.page.getByText('No se pudo guardar el idioma').waitFor();
    assert.equal(await languageOf(own.page), 'es');
    await own.close();
  });
});
