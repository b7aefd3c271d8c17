/** Every view of the dashboard but the settings, on the demo's data: for screenshots, and for the pass of accessibility. */
import type { Page } from 'playwright-core';
import { settled } from './dashboard.ts';
import type { PicturePlaces } from './demo-workspace.ts';
import { chooseFile, excelFile } from './import-page.ts';

export interface View {
  name: string;
  path: string;
  /** What to do before it is looked at. */
  act?(page: Page): Promise<unknown>;
  signedOut?: true;
  /** What it needs is not offered on a phone. */
  wideOnly?: true;
}

let uploads = 0;

/** Of other people each time: the ones before may have been imported. */
const uploadSample = (page: Page) => {
  const n = ++uploads;
  return chooseFile(
    page,
    excelFile('clientes.csv', [
      'Nome;E-mail;Valor;Observação',
      `João Conceição ${n};joao${n}@example.com;1.234,56;Prefere telefone`,
      `Zoë Müller ${n};zoe${n}@example.com;99,90;`,
      'Grace Hopper;grace(at)example;12,00;Da feira',
      ';sem.nome@example.com;5,00;',
    ]),
  );
};

const connectorNames = {
  twilio: /^SMS with Twilio/,
  evolution: /^Linked phone/,
  whatsapp: /^WhatsApp Business/,
  messenger: /^Messenger or Instagram/,
  email: /^E-mail mailbox/,
};

const press = (name: string) => (page: Page) =>
  page.getByRole('button', { name, exact: true }).first().click();
const key = (name: string) => (page: Page) => page.keyboard.press(name);

async function chooseCards(page: Page): Promise<void> {
  for (const index of [0, 1, 2]) {
    await page
      .locator('[data-card]')
      .nth(index)
      .click({ modifiers: ['ControlOrMeta'] });
  }
}

export function viewsOf({
  board,
  emptyBoard,
  record,
  talkedRecord,
  session,
  contact,
}: PicturePlaces): View[] {
  const chat = `/inbox/${encodeURIComponent(session)}`;
  return [
    { name: 'login', path: '/login', signedOut: true },
    { name: 'start', path: '/start' },
    { name: 'board', path: `/boards/${board}` },
    {
      name: 'board-filtered',
      path: `/boards/${board}?q=harbour`,
    },
    {
      name: 'board-selected',
      path: `/boards/${board}`,
      act: chooseCards,
    },
    {
      name: 'board-display',
      path: `/boards/${board}`,
      act: press('Display'),
    },
    { name: 'record', path: `/boards/${board}/records/${record}` },
    {
      name: 'record-conversation',
      path: `/boards/${board}/records/${talkedRecord}`,
    },
    { name: 'board-settings', path: `/boards/${board}/settings` },
    ...['Columns', 'Fields', 'Members'].map((section) => ({
      name: `board-settings-${section.toLowerCase()}`,
      path: `/boards/${board}/settings`,
      act: press(section),
    })),
    {
      name: 'board-export',
      path: `/boards/${board}?q=harbour`,
      async act(page) {
        await page.getByRole('button', { name: 'Import, export and more' }).click();
        await page.getByRole('menuitem', { name: 'Export' }).click();
      },
    },
    { name: 'import', path: `/boards/${board}/import` },
    { name: 'import-columns', path: `/boards/${board}/import`, act: uploadSample },
    {
      name: 'import-check',
      path: `/boards/${board}/import`,
      async act(page) {
        await uploadSample(page);
        await page.getByRole('button', { name: 'Check the rows' }).click();
        await page.getByRole('table').waitFor();
      },
    },
    {
      name: 'import-result',
      path: `/boards/${board}/import`,
      async act(page) {
        await uploadSample(page);
        await page.getByRole('button', { name: 'Check the rows' }).click();
        await page.getByRole('button', { name: /^Import \d/ }).click();
        await page.getByText('Result of every row').waitFor();
      },
    },
    { name: 'board-empty', path: `/boards/${emptyBoard}` },
    { name: 'board-missing', path: '/boards/nothing-here' },
    {
      name: 'palette',
      path: `/boards/${board}`,
      async act(page) {
        await page.keyboard.press('ControlOrMeta+k');
        await page.getByRole('combobox', { name: 'Search and commands' }).fill('har');
        await settled(page);
      },
    },
    {
      name: 'palette-recent',
      path: chat,
      async act(page) {
        await page.getByRole('log').waitFor();
        await page.keyboard.press('ControlOrMeta+k');
        await page.getByRole('combobox', { name: 'Search and commands' }).waitFor();
      },
    },
    {
      name: 'palette-found',
      path: '/inbox',
      async act(page) {
        await page.keyboard.press('ControlOrMeta+k');
        await page.getByRole('combobox', { name: 'Search and commands' }).fill('emma');
        await settled(page);
      },
    },
    {
      name: 'notifications',
      path: `/boards/${board}`,
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
      path: chat,
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
      path: `/boards/${board}`,
      act: (page) => page.keyboard.press('?'),
    },
    { name: 'tasks', path: '/tasks' },
    { name: 'contacts', path: '/contacts' },
    { name: 'contact', path: `/contacts/${contact}` },
    { name: 'inbox', path: '/inbox' },
    { name: 'inbox-conversation', path: chat },
    {
      name: 'inbox-scrolled',
      path: chat,
      act: (page) => page.getByRole('log').evaluate((log) => log.scrollTo(0, 300)),
    },
    {
      name: 'inbox-note',
      path: chat,
      async act(page) {
        await page.keyboard.press('n');
        await page.getByRole('textbox', { name: 'Note' }).fill('Ask Ana about the annual discount first.');
      },
    },
    {
      name: 'inbox-saved',
      path: chat,
      async act(page) {
        // The view before it may have left a note.
        await page.keyboard.press('r');
        await page.getByRole('textbox', { name: 'Reply' }).pressSequentially('/');
        await page.getByRole('listbox').waitFor();
      },
    },
    {
      name: 'inbox-transfer',
      path: chat,
      act: (page) => page.keyboard.press('t'),
    },
    { name: 'inbox-blocked', path: '/inbox/demo-5' },
    {
      name: 'inbox-context',
      path: chat,
      async act(page) {
        const show = page.getByRole('button', { name: 'Show the customer' });
        if (await show.isVisible()) await show.click();
      },
    },
    {
      name: 'inbox-nothing',
      path: '/inbox',
      async act(page) {
        await page.getByRole('textbox', { name: 'Search people and messages' }).fill('nobody at all');
      },
    },
    { name: 'reports', path: '/reports' },
    {
      name: 'reports-tip',
      path: '/reports?period=7d',
      async act(page) {
        await page.locator('[data-report="answers"]').getByRole('slider').focus();
        await page.keyboard.press('End');
      },
    },
    {
      name: 'reports-tables',
      path: '/reports?period=7d',
      act: (page) => page.keyboard.press('v'),
    },
    {
      name: 'reports-filter',
      path: '/reports?period=today',
      async act(page) {
        await page.keyboard.press('v');
        await page.getByRole('button', { name: 'Filter' }).click();
      },
    },
    { name: 'reports-ai', path: '/reports?about=ai' },
    {
      name: 'reports-ai-conversations',
      path: '/reports?about=ai',
      act: (page) =>
        page
          .getByRole('button', { name: /, AI replies: show/ })
          .first()
          .click(),
    },
    { name: 'reports-empty', path: '/reports?period=custom&from=2020-01-01&to=2020-01-31' },
    { name: 'board-table', path: `/boards/${board}?layout=table` },
    { name: 'board-calendar', path: `/boards/${board}?layout=calendar` },
    { name: 'board-filter', path: `/boards/${board}`, act: press('Filter') },
    {
      name: 'board-bulk-edit',
      path: `/boards/${board}`,
      wideOnly: true,
      async act(page) {
        await chooseCards(page);
        await page.getByRole('toolbar').getByText('Edit a field').click();
        await page.getByRole('dialog', { name: 'Edit a field' }).waitFor();
      },
    },
    { name: 'contact-erase', path: `/contacts/${contact}`, act: press('Erase') },
    { name: 'inbox-labels', path: chat, act: key('l') },
    { name: 'inbox-owner', path: chat, act: key('Shift+A') },
    { name: 'inbox-snooze', path: chat, act: key('h') },
    { name: 'inbox-macros', path: chat, act: key('m') },
    {
      name: 'inbox-selected',
      path: '/inbox',
      async act(page) {
        // The demo's invented customers may have the same name.
        await page.locator('[data-session="demo-1"]').focus();
        await page.keyboard.press('x');
        await page.getByRole('toolbar').waitFor();
      },
    },
    {
      name: 'inbox-search',
      path: '/inbox',
      async act(page) {
        await page.getByRole('textbox', { name: 'Search people and messages' }).fill('harbour');
        await page.getByRole('heading', { name: /messages?$/ }).waitFor();
      },
    },
    { name: 'whats-new', path: '/whats-new' },
    ...Object.entries(connectorNames).map(([name, title]) => ({
      name: `settings-channel-${name}`,
      path: '/settings/channels/connect',
      act: (page: Page) => page.getByRole('button', { name: title }).click(),
    })),
  ];
}
