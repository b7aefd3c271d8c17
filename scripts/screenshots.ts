/** `npm run screenshots [words…]`: every view in both themes and at phone width, from demo data, into screenshots/. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startDashboard } from '../test/support/dashboard.ts';
import { startTestServer } from '../test/support/database.ts';
import { fillInbox } from '../test/support/demo-inbox.ts';
import { fillForPictures, type PicturePlaces } from '../test/support/demo-workspace.ts';
import { chooseFile, excelFile } from '../test/support/import-page.ts';
import { root } from '../test/support/program.ts';
import { fillSettings, settingsViews } from '../test/support/settings-workspace.ts';
import { loopbackAllowed } from '../test/support/webhooks.ts';

interface View {
  name: string;
  path(places: PicturePlaces): string;
  /** What to do before the picture is taken. */
  act?(page: Page): Promise<void>;
  signedOut?: true;
}

const settled = (page: Page) => page.waitForLoadState('networkidle');

const sample = [
  'Nome;E-mail;Valor;Observação',
  'João Conceição;joao@example.com;1.234,56;Prefere telefone',
  'Zoë Müller;zoe@example.com;99,90;',
  'Grace Hopper;grace(at)example;12,00;Da feira',
  ';sem.nome@example.com;5,00;',
];
const uploadSample = (page: Page) => chooseFile(page, excelFile('clientes.csv', sample));

const views: View[] = [
  { name: 'login', path: () => '/login', signedOut: true },
  { name: 'start', path: () => '/start' },
  { name: 'board', path: ({ board }) => `/boards/${board}` },
  {
    name: 'board-filtered',
    path: ({ board }) => `/boards/${board}?q=harbour`,
  },
  {
    name: 'board-selected',
    path: ({ board }) => `/boards/${board}`,
    async act(page) {
      for (const index of [0, 1, 2]) {
        await page
          .locator('[data-card]')
          .nth(index)
          .click({ modifiers: ['ControlOrMeta'] });
      }
    },
  },
  {
    name: 'board-display',
    path: ({ board }) => `/boards/${board}`,
    act: (page) => page.getByRole('button', { name: 'Display' }).click(),
  },
  { name: 'record', path: ({ board, record }) => `/boards/${board}/records/${record}` },
  {
    name: 'record-conversation',
    path: ({ board, talkedRecord }) => `/boards/${board}/records/${talkedRecord}`,
  },
  { name: 'board-settings', path: ({ board }) => `/boards/${board}/settings` },
  ...['Columns', 'Fields', 'Members'].map((section) => ({
    name: `board-settings-${section.toLowerCase()}`,
    path: ({ board }: PicturePlaces) => `/boards/${board}/settings`,
    act: (page: Page) => page.getByRole('button', { name: section, exact: true }).click(),
  })),
  {
    name: 'board-export',
    path: ({ board }) => `/boards/${board}?q=harbour`,
    async act(page) {
      await page.getByRole('button', { name: 'Import, export and more' }).click();
      await page.getByRole('menuitem', { name: 'Export' }).click();
    },
  },
  { name: 'import', path: ({ board }) => `/boards/${board}/import` },
  { name: 'import-columns', path: ({ board }) => `/boards/${board}/import`, act: uploadSample },
  {
    name: 'import-check',
    path: ({ board }) => `/boards/${board}/import`,
    async act(page) {
      await uploadSample(page);
      await page.getByRole('button', { name: 'Check the rows' }).click();
      await page.getByRole('table').waitFor();
    },
  },
  {
    name: 'import-result',
    path: ({ board }) => `/boards/${board}/import`,
    async act(page) {
      await uploadSample(page);
      await page.getByRole('button', { name: 'Check the rows' }).click();
      await page.getByRole('button', { name: /^Import \d/ }).click();
      await page.getByText('Result of every row').waitFor();
    },
  },
  { name: 'board-empty', path: ({ emptyBoard }) => `/boards/${emptyBoard}` },
  { name: 'board-missing', path: () => '/boards/nothing-here' },
  {
    name: 'palette',
    path: ({ board }) => `/boards/${board}`,
    async act(page) {
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('combobox', { name: 'Search and commands' }).fill('har');
      await settled(page);
    },
  },
  {
    name: 'palette-recent',
    path: ({ session }) => `/inbox/${encodeURIComponent(session)}`,
    async act(page) {
      await page.getByRole('log').waitFor();
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('combobox', { name: 'Search and commands' }).waitFor();
    },
  },
  {
    name: 'palette-found',
    path: () => '/inbox',
    async act(page) {
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('combobox', { name: 'Search and commands' }).fill('emma');
      await settled(page);
    },
  },
  {
    name: 'notifications',
    path: ({ board }) => `/boards/${board}`,
    async act(page) {
      const bell = page.getByRole('button', { name: 'Notifications' });
      if (!(await bell.first().isVisible()))
        await page.getByRole('button', { name: 'Open navigation' }).click();
      await bell.last().click();
      await settled(page);
    },
  },
  {
    name: 'inbox-mention',
    path: ({ session }) => `/inbox/${encodeURIComponent(session)}`,
    async act(page) {
      await page
        .getByRole('button', { name: 'Note', exact: true })
        .or(page.getByRole('radio', { name: 'Note' }))
        .first()
        .click();
      await page.getByRole('textbox', { name: 'Note' }).fill('Could you check the prices, @');
    },
  },
  {
    name: 'shortcuts',
    path: ({ board }) => `/boards/${board}`,
    act: (page) => page.keyboard.press('?'),
  },
  { name: 'tasks', path: () => '/tasks' },
  { name: 'contacts', path: () => '/contacts' },
  { name: 'contact', path: ({ contact }) => `/contacts/${contact}` },
  { name: 'inbox', path: () => '/inbox' },
  { name: 'inbox-conversation', path: ({ session }) => `/inbox/${encodeURIComponent(session)}` },
  {
    name: 'inbox-scrolled',
    path: ({ session }) => `/inbox/${encodeURIComponent(session)}`,
    act: (page) => page.getByRole('log').evaluate((log) => log.scrollTo(0, 300)),
  },
  {
    name: 'inbox-note',
    path: ({ session }) => `/inbox/${encodeURIComponent(session)}`,
    async act(page) {
      await page.keyboard.press('n');
      await page.getByRole('textbox', { name: 'Note' }).fill('Ask Ana about the annual discount first.');
    },
  },
  {
    name: 'inbox-saved',
    path: ({ session }) => `/inbox/${encodeURIComponent(session)}`,
    async act(page) {
      await page.getByRole('textbox', { name: 'Reply' }).pressSequentially('/');
      await page.getByRole('listbox').waitFor();
    },
  },
  {
    name: 'inbox-transfer',
    path: ({ session }) => `/inbox/${encodeURIComponent(session)}`,
    act: (page) => page.keyboard.press('t'),
  },
  { name: 'inbox-blocked', path: () => '/inbox/demo-5' },
  {
    name: 'inbox-context',
    path: ({ session }) => `/inbox/${encodeURIComponent(session)}`,
    async act(page) {
      const show = page.getByRole('button', { name: 'Show the customer' });
      if (await show.isVisible()) await show.click();
    },
  },
  {
    name: 'inbox-nothing',
    path: () => '/inbox',
    async act(page) {
      await page.getByRole('textbox', { name: 'Search people and messages' }).fill('nobody at all');
      await page.getByText('Nothing here').waitFor();
    },
  },
];

const reportViews: View[] = [
  { name: 'reports', path: () => '/reports' },
  {
    name: 'reports-tip',
    path: () => '/reports?period=7d',
    async act(page) {
      await page.locator('[data-report="answers"]').getByRole('slider').focus();
      await page.keyboard.press('End');
    },
  },
  {
    name: 'reports-tables',
    path: () => '/reports?period=7d',
    act: (page) => page.keyboard.press('v'),
  },
  {
    name: 'reports-filter',
    path: () => '/reports?period=today',
    async act(page) {
      await page.keyboard.press('v');
      await page.getByRole('button', { name: 'Filter' }).click();
    },
  },
  { name: 'reports-empty', path: () => '/reports?period=custom&from=2020-01-01&to=2020-01-31' },
];
views.push(...reportViews);

/** The form of each kind, opened from the gallery of channels. */
const connectorNames = {
  twilio: /^SMS with Twilio/,
  evolution: /^Linked phone/,
  whatsapp: /^WhatsApp Business/,
  messenger: /^Messenger or Instagram/,
  email: /^E-mail mailbox/,
};
for (const [name, title] of Object.entries(connectorNames)) {
  views.push({
    name: `settings-channel-${name}`,
    path: () => '/settings/channels/connect',
    act: (page) => page.getByRole('button', { name: title }).click(),
  });
}

const looks = [
  { name: 'light', theme: 'light', viewport: { width: 1440, height: 900 } },
  { name: 'dark', theme: 'dark', viewport: { width: 1440, height: 900 } },
  { name: 'phone', theme: 'light', viewport: { width: 390, height: 844 } },
] as const;

const closing: (() => Promise<void>)[] = [];
const wanted = process.argv.slice(2);
const server = await startTestServer();
process.env.TEST_POSTGRES = JSON.stringify(server.connection);
const stage = await startDashboard(loopbackAllowed);
try {
  const places = await fillForPictures(stage.service);
  await fillInbox(stage.service);
  const settings = await fillSettings(stage.service);
  closing.push(settings.close);
  for (const { name, path, act } of settingsViews(settings)) views.push({ name, path: () => path, act });
  for (const look of looks) {
    const folder = join(root, 'screenshots', look.name);
    mkdirSync(folder, { recursive: true });
    const options = { theme: look.theme, viewport: look.viewport, hasTouch: look.name === 'phone' };
    const guest = await stage.visit({ ...options, path: '/login' });
    const admin = await stage.open(stage.service.admin, options);
    for (const view of views) {
      if (wanted.length > 0 && !wanted.some((word) => view.name.includes(word) || word === look.name))
        continue;
      const { page, errors } = view.signedOut ? guest : admin;
      await page.goto(`${stage.base}/app${view.path(places)}`);
      await settled(page);
      await view.act?.(page);
      await settled(page);
      await page.waitForTimeout(250);
      await page.screenshot({ path: join(folder, `${view.name}.png`) });
      for (const error of errors()) console.log(`${look.name} ${view.name}: ${error}`);
    }
    await admin.close();
    await guest.close();
    console.log(`screenshots/${look.name}`);
  }
} finally {
  for (const close of closing) await close();
  await stage.close();
  await server.stop();
}
