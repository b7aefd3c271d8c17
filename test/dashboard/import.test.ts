import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type DashboardStage, settled, type Visitor } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import {
  cellsOf,
  choose,
  chooseFile,
  counts,
  csvFile,
  downloadBy,
  excelFile,
  goToCheck,
  heading,
  mapColumn,
  onDuplicates,
  targetOf,
} from '../support/import-page.ts';
import type { Json } from '../support/service.ts';

const names = 'Nome;E-mail;Total;Vencimento;Cidade;Observação';
const rows = [
  'João Conceição;joao@example.com;1.234,56;31/05/2024;Oslo;"Prefere ""telefone""; à tarde"',
  'Zoë Müller;zoe@example.com;99,90;01/06/2024;Lima;',
  ';sem.nome@example.com;1,00;02/06/2024;Oslo;',
  'Grace Hopper;grace(at)example;12,00;03/06/2024;Oslo;',
  'Ada Lovelace;ada@example.com;muito;04/06/2024;Lima;',
  'Bob Martin;bob@example.com;5,00;05/06/2024;Paris;',
];

let made = 0;

describe('importing and exporting on the dashboard', () => {
  let stage: DashboardStage;
  let call: DashboardStage['service']['call'];
  let visitor: Visitor;
  let page: Page;

  before(async () => {
    stage = await startDashboard();
    ({ call } = stage.service);
    visitor = await stage.open(stage.service.admin);
    ({ page } = visitor);
  });
  after(() => stage.close());

  const newBoard = async (): Promise<Json> => {
    const { body } = await call('POST', '/kanbans', {
      body: {
        name: `Customers ${++made}`,
        statuses: [
          { value: 'lead', label: 'Lead', color: '#5660d6' },
          { value: 'won', label: 'Won', color: '#23a35a' },
        ],
        fields: [
          { name: 'E-mail', type: 'email' },
          { name: 'Amount', type: 'currency' },
          { name: 'Due', type: 'date' },
          { name: 'City', type: 'select', options: ['Oslo', 'Lima'] },
        ],
      },
    });
    return body;
  };
  const listed = async (board: Json): Promise<Json[]> =>
    (await call('GET', `/crm/records?kanbanId=${board.id}&limit=100`)).body.items;
  const fieldIds = async (board: Json): Promise<{ [name: string]: string }> => {
    const { body } = await call('GET', `/kanbans/${board.id}`);
    return Object.fromEntries(body.fields.map((one: Json) => [one.name, one.id]));
  };
  const openImport = async (board: Json) => {
    await page.goto(`${stage.base}/app/boards/${board.slug}/import`);
    await heading(page, 'Choose a file');
  };
  const mapAll = async () => {
    await mapColumn(page, 'Nome', 'Title');
    await mapColumn(page, 'E-mail', 'E-mail');
    await mapColumn(page, 'Total', 'Amount');
    await mapColumn(page, 'Vencimento', 'Due');
    await mapColumn(page, 'Cidade', 'City');
  };

  it('a file from Excel is mapped, checked, imported, mended, imported again and updated', async () => {
    const board = await newBoard();
    await page.goto(`${stage.base}/app/boards/${board.slug}`);
    await page.getByRole('button', { name: 'Import a spreadsheet' }).click();
    await heading(page, 'Choose a file');
    await chooseFile(page, excelFile('clientes.csv', [names, ...rows]));

    await page.getByText(/Read as Windows-1252.*separated by semicolons/).waitFor();
    await page.getByText('João Conceição').waitFor();
    await mapAll();
    assert.equal(
      await page.getByRole('combobox', { name: 'Date format in Vencimento' }).textContent(),
      'Day first: 31/05/2024',
    );
    await targetOf(page, 'Observação').click();
    await page.getByRole('option', { name: 'New field for this column' }).click();
    const dialog = page.getByRole('dialog');
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'Observação');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.waitFor({ state: 'detached' });
    await eventually(async () => (await targetOf(page, 'Observação').textContent()) === 'Observação');
    await onDuplicates(page, 'Update the card', 'E-mail');

    // Read with a decimal point, every amount is wrong, or another one: it is seen before anything is written.
    await choose(page, 'Number format in Total', /^Decimal point/);
    await goToCheck(page);
    await page.getByText('rows have errors').waitFor();
    await page.getByRole('button', { name: 'Back to the columns' }).click();
    await heading(page, 'Match the columns');
    await choose(page, 'Number format in Total', /^Decimal comma/);
    await goToCheck(page);
    await page.getByText('4 rows have errors.').waitFor();
    const preview = page.getByRole('region', { name: 'Preview of the first rows' });
    await preview.getByRole('cell', { name: /^grace\(at\)example.*e-mail address/ }).waitFor();
    await preview.getByRole('cell', { name: /^muito/ }).waitFor();
    await preview.getByRole('cell', { name: '31 May 2024' }).waitFor();
    assert.equal(await preview.locator('[data-outcome=fail]').count(), 4);
    assert.equal(await preview.locator('[data-outcome=create]').count(), 2);
    assert.equal((await listed(board)).length, 0);

    await page.getByRole('button', { name: 'Import 2 rows' }).click();
    await heading(page, 'The import is done');
    assert.deepEqual(await counts(page), { created: 2, updated: 0, skipped: 0, failed: 4 });
    await page.getByText('2 of 6 rows were imported').waitFor();

    const all = await downloadBy(page, 'Download the result');
    const [head, ...results] = cellsOf(all.text, ';');
    assert.deepEqual(head, [...names.split(';'), 'result', 'recordId', 'error']);
    assert.deepEqual(
      results.map((row) => row[6]),
      ['created', 'created', 'failed', 'failed', 'failed', 'failed'],
    );
    const [record] = (await listed(board)).filter(({ title }) => title === 'João Conceição');
    assert.equal(results[0]![7], record.recordId);
    const ids = await fieldIds(board);
    assert.equal(record.customFields[ids.Amount!], 1234.56);
    assert.equal(record.customFields[ids.Due!], '2024-05-31');
    assert.equal(record.customFields[ids.Observação!], 'Prefere "telefone"; à tarde');

    const failed = await downloadBy(page, 'Download the failed rows');
    assert.equal(cellsOf(failed.text, ';').length, 5);
    const mended = failed.text
      .replace(/^;sem\.nome/m, 'Sem Nome;sem.nome')
      .replace('grace(at)example', 'grace@example.com')
      .replace('muito', '7,50')
      .replace('Paris', 'Oslo');
    await page.getByRole('link', { name: 'Import the fixed file' }).click();
    await heading(page, 'Choose a file');
    await chooseFile(page, { name: 'mended.csv', mimeType: 'text/csv', buffer: Buffer.from(mended) });
    await page.getByText('From an earlier result file, ignored').first().waitFor();
    await mapAll();
    await onDuplicates(page, 'Update the card', 'E-mail');
    await goToCheck(page);
    await page.getByText('No problems found.').waitFor();
    await page.getByRole('button', { name: 'Import 4 rows' }).click();
    await heading(page, 'The import is done');
    assert.deepEqual(await counts(page), { created: 4, updated: 0, skipped: 0, failed: 0 });
    assert.equal((await listed(board)).length, 6);

    // The same customers once more, one of them changed: updated, not doubled.
    await openImport(board);
    await chooseFile(
      page,
      excelFile('again.csv', [names, rows[0]!.replace('1.234,56', '2.000,00'), rows[1]!]),
    );
    await mapAll();
    await onDuplicates(page, 'Update the card', 'E-mail');
    await goToCheck(page);
    assert.equal(await preview.locator('[data-outcome=update]').count(), 1);
    assert.equal(await preview.locator('[data-outcome=skip]').count(), 1);
    await page.getByRole('button', { name: 'Import 1 row', exact: true }).click();
    await heading(page, 'The import is done');
    assert.deepEqual(await counts(page), { created: 0, updated: 1, skipped: 1, failed: 0 });
    await page.getByText('1 row was imported. 1 row was already on the board and was skipped.').waitFor();
    const after = await listed(board);
    assert.equal(after.length, 6);
    const updated = after.find(({ recordId }) => recordId === record.recordId);
    assert.equal(updated.customFields[ids.Amount!], 2000);

    await page.getByRole('link', { name: `Open ${board.name}` }).click();
    await page.getByRole('region', { name: 'Lead, 6 cards' }).waitFor();
    assert.deepEqual(visitor.errors(), []);
  });

  it('a stray quote costs its row alone, and rows that are skipped are not offered for import', async () => {
    const board = await newBoard();
    const file = csvFile(
      'quote.csv',
      Buffer.from('Title,E-mail\n"Ada",ada@example.com\nBo,"bo\nCy,cy@example.com\n'),
    );
    await openImport(board);
    await chooseFile(page, file);
    await page.getByText(/^Row 2 cannot be read: a quote is opened and never closed/).waitFor();
    await onDuplicates(page, 'Skip them', 'E-mail');
    await goToCheck(page);
    await page.getByText('1 row has an error.').waitFor();
    await page.getByRole('button', { name: 'Import 2 rows' }).click();
    await heading(page, 'The import is done');
    assert.deepEqual(await counts(page), { created: 2, updated: 0, skipped: 0, failed: 1 });
    assert.equal(await page.getByRole('button', { name: 'Resume' }).count(), 0);

    await openImport(board);
    await chooseFile(page, file);
    await onDuplicates(page, 'Skip them', 'E-mail');
    await goToCheck(page);
    await page.getByText('2 rows are already on the board and are skipped.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Nothing to import' }).isDisabled(), true);
    assert.deepEqual(visitor.errors(), []);
  });

  it('what is exported is what the board shows, and how many is said before', async () => {
    const board = await newBoard();
    const ids = await fieldIds(board);
    for (const [index, city] of ['Oslo', 'Lima', 'Oslo', 'Lima', 'Oslo'].entries()) {
      await call('POST', `/crm/records?kanbanId=${board.id}`, {
        body: {
          title: `Customer ${index}; "quoted"`,
          customFields: { [ids.City!]: city, [ids.Amount!]: index * 10.5 },
        },
      });
    }
    const exported = async () => {
      await page.getByRole('button', { name: 'Import, export and more' }).click();
      await page.getByRole('menuitem', { name: 'Export' }).click();
      const dialog = page.getByRole('dialog');
      const said = await dialog.getByText(/\d cards?/).textContent();
      const file = await downloadBy(page, 'Download CSV');
      await dialog.waitFor({ state: 'detached' });
      const [head, ...found] = cellsOf(file.text, ',');
      return { said, titles: found.map((row) => row[head!.indexOf('title')]!) };
    };
    const open = async (query: string) => {
      await page.goto(`${stage.base}/app/boards/${board.slug}${query}`);
      await page.getByRole('heading', { level: 1, name: board.name }).waitFor();
    };
    await open('');
    const all = await exported();
    assert.equal(all.said, 'All 5 cards of the board');
    assert.deepEqual(
      all.titles,
      (await listed(board)).map(({ title }) => title),
    );

    await open(`?field=${ids.City}&value=Oslo`);
    const some = await exported();
    assert.equal(some.said, '3 cards that match the filters');
    const inOslo = (await listed(board)).filter(({ customFields }) => customFields[ids.City!] === 'Oslo');
    assert.deepEqual(
      some.titles,
      inOslo.map(({ title }) => title),
    );

    await open('?q=customer%203');
    const found = (await call('GET', `/kanbans/${board.id}/cards?q=customer%203`)).body.items;
    const searched = await exported();
    assert.deepEqual([...searched.titles].sort(), found.map(({ title }: Json) => title).sort());
    assert.deepEqual(visitor.errors(), []);
  });

  it('by keyboard alone, on a phone, and in Portuguese', async () => {
    const board = await newBoard();
    const phone = await stage.open(stage.service.admin, {
      viewport: { width: 390, height: 844 },
      path: `/boards/${board.slug}/import`,
    });
    const { page } = phone;
    await heading(page, 'Choose a file');
    // What the page still reads may put the focus elsewhere when it comes.
    await settled(page);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose a file' }).press('Enter');
    await (await chooser).setFiles(excelFile('phone.csv', [names, ...rows]));
    await heading(page, 'Match the columns');
    // The title of a step has the focus: a screen reader begins there.
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Match the columns');
    await targetOf(page, 'Cidade').press('Enter');
    await page.getByRole('listbox').waitFor();
    // Without a blank: on a busy machine it comes so late that it chooses instead of seeking.
    await page.keyboard.type('Do');
    await page.locator('[role=option][data-highlighted]', { hasText: 'Do not import' }).waitFor();
    await page.keyboard.press('Enter');
    await eventually(async () => (await targetOf(page, 'Cidade').textContent()) === 'Do not import');
    await page.getByRole('button', { name: 'Check the rows' }).press('Enter');
    await page.getByRole('region', { name: 'Preview of the first rows' }).waitFor();
    await phone.close();

    // Someone else: the language is kept on the user.
    const brazilian = await stage.open(await stage.service.createUser('operator'));
    await brazilian.page.getByRole('button', { name: 'Account and theme' }).click();
    const kept = brazilian.page.waitForResponse(
      (answer) => answer.request().method() === 'PATCH' && answer.url().endsWith('/auth/me'),
    );
    await brazilian.page.getByRole('menuitemcheckbox', { name: 'Português' }).click();
    await kept;
    await brazilian.page.goto(`${stage.base}/app/boards/${board.slug}/import`);
    await heading(brazilian.page, 'Escolha um arquivo');
    await brazilian.page.getByRole('link', { name: /phone\.csv.*Não iniciada.*6 linhas/ }).click();
    await heading(brazilian.page, 'Associe as colunas');
    await brazilian.page.getByRole('button', { name: 'Conferir as linhas' }).click();
    const preview = brazilian.page.getByRole('region', { name: 'Prévia das primeiras linhas' });
    await preview.getByRole('cell', { name: /^grace.*precisa ser um endereço de e-mail/ }).waitFor();
    await preview.getByText('falta o título').waitFor();
    const problems = brazilian.page.getByRole('list', { name: 'Problemas' });
    await problems.getByText('precisa ser um endereço de e-mail').waitFor();
    const said = (await brazilian.page.locator('main').textContent()) ?? '';
    assert.doesNotMatch(said, /must be|is required|has an/);
    assert.deepEqual(brazilian.errors(), []);
    await brazilian.close();
  });

  it('what cannot be imported says so, and nothing is lost', async () => {
    const board = await newBoard();
    await openImport(board);
    const input = page.locator('input[type=file]');
    await input.setInputFiles({ name: 'book.xlsx', mimeType: 'application/zip', buffer: Buffer.from('PK') });
    await page.getByRole('alert').getByText('is a workbook').waitFor();
    await input.setInputFiles({ name: 'empty.csv', mimeType: 'text/csv', buffer: Buffer.alloc(0) });
    await page.getByRole('alert').getByText('is empty').waitFor();
    await input.setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('%PDF-1.7') });
    await page.getByRole('alert').getByText('is a PDF, a picture or a compressed file').waitFor();
    await input.setInputFiles(csvFile('b.csv', Buffer.from(`${','.repeat(1_000)}\n`)));
    await page.getByRole('alert').getByText('or has more than 1,000 columns').waitFor();
    await visitor.context.setOffline(true);
    await input.setInputFiles(excelFile('offline.csv', [names, ...rows]));
    await page.getByRole('alert').getByText('The upload failed and nothing was imported').waitFor();
    await visitor.context.setOffline(false);
    await chooseFile(page, excelFile('untitled.csv', [names, ...rows]));
    await mapColumn(page, 'Nome', 'Do not import');
    await page.getByText('One column must be the title').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Check the rows' }).isDisabled(), true);
    await page.goto(`${stage.base}/app/boards/${board.slug}/import/00000000-0000-7000-8000-000000000000`);
    await page.getByText('Import not found').waitFor();
    // An operator imports, but makes no fields.
    const operator = await stage.open(await stage.service.createUser('operator'), {
      path: `/boards/${board.slug}/import`,
    });
    await chooseFile(operator.page, excelFile('theirs.csv', [names, ...rows]));
    await targetOf(operator.page, 'Cidade').click();
    await operator.page.getByRole('option', { name: 'Do not import' }).waitFor();
    assert.equal(await operator.page.getByRole('option', { name: 'New field' }).count(), 0);
    await operator.close();
    visitor.errors();
  });
});
