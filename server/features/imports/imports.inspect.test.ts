import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import type { ImportFormat } from '../../../contract/crm/imports.ts';
import { inspectFile } from './imports.inspect.ts';

const inspect = (file: Buffer | string, given: Partial<ImportFormat> = {}) => {
  const bytes = Buffer.from(file as string);
  return inspectFile(async () => Readable.from(inPieces(bytes)), bytes.length, given);
};

/** Odd pieces: multi-byte characters are split. */
function* inPieces(bytes: Buffer): Generator<Buffer> {
  const size = bytes.length < 1_000 ? 7 : 65_537;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Letters that Windows-1252 has; a separator, quotes and line breaks inside cells. */
const table = (separator: string) =>
  [
    ['Nome', 'Cidade', 'Preço'],
    ['José Ñuñez', 'São Paulo', '"1.234,56 €"'],
    [`"Silva${separator} Ana"`, '"Rua ""B""\r\nsala 2"', '7'],
  ]
    .map((cells) => cells.join(separator))
    .join('\r\n');
const windows1252 = (text: string) =>
  Buffer.from([...text].map((letter) => (letter === '€' ? 0x80 : letter.charCodeAt(0))));
const swapped = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16();

describe('the form of a file', () => {
  for (const [name, encode, encoding, byteOrderMark] of [
    ['UTF-8 with a mark (Excel: "CSV UTF-8")', (text: string) => Buffer.from(`\ufeff${text}`), 'utf-8', true],
    ['UTF-8 without a mark', (text: string) => Buffer.from(text), 'utf-8', false],
    ['Windows-1252 (Excel: "CSV")', windows1252, 'windows-1252', false],
    [
      'UTF-16 (Excel: "Unicode text")',
      (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le'),
      'utf-16le',
      true,
    ],
    ['UTF-16 BE', swapped, 'utf-16be', true],
    ['UTF-16 without a mark', (text: string) => Buffer.from(text, 'utf16le'), 'utf-16le', false],
  ] as const) {
    for (const separator of [',', ';', '\t', '|'] as const) {
      it(`${name}, separated by ${JSON.stringify(separator)}`, async () => {
        const found = await inspect(encode(table(separator)));
        assert.deepEqual(found.format, {
          encoding,
          byteOrderMark,
          separator,
          quotes: 'double',
          headerRow: true,
        });
        assert.deepEqual(found.names, ['Nome', 'Cidade', 'Preço']);
        assert.deepEqual(found.sample, [
          ['José Ñuñez', 'São Paulo', '1.234,56 €'],
          [`Silva${separator} Ana`, 'Rua "B"\r\nsala 2', '7'],
        ]);
        assert.deepEqual([found.rows, found.rowsAreCounted, found.fileProblem], [2, true, null]);
      });
    }
  }

  it('a letter beyond ASCII in the last row decides the encoding', async () => {
    const rows = `name;city\r\n${'Ana;Lima\r\n'.repeat(20_000)}`;
    assert.equal((await inspect(windows1252(`${rows}José;Lima`))).format.encoding, 'windows-1252');
    assert.equal((await inspect(`${rows}José;Lima`)).format.encoding, 'utf-8');
  });

  it('sep= in the first line sets the separator and is not a row', async () => {
    for (const line of ['sep=;\r\n', '"sep=;"\n', 'SEP=;\r']) {
      const found = await inspect(`\ufeff${line}a,b;c\r\n1,2;3\r\n`);
      assert.deepEqual([found.format.separator, found.names, found.rows], [';', ['a,b', 'c'], 1]);
    }
  });

  it('commas in numbers and texts do not hide the semicolons between cells', async () => {
    const found = await inspect('Nome;Valor;Nota\r\nAna;1,5;"a, b"\r\nBia;2,5;c, d\r\n');
    assert.equal(found.format.separator, ';');
  });

  it('a single column needs no separator', async () => {
    const found = await inspect('E-mail\nada@example.com\ngrace@example.com');
    assert.deepEqual([found.names, found.rows], [['E-mail'], 2]);
  });

  it('quotes that mean nothing are characters like any other', async () => {
    const found = await inspect('name\tsize\nTV 40" wide\t40\n"Rex" the dog\t3\n');
    assert.deepEqual([found.format.quotes, found.sample[0]![0]], ['none', 'TV 40" wide']);
  });

  it('a file without names is read from its first row', async () => {
    const found = await inspect('Ada,ada@example.com,+44 20 7946 0000\nGrace,grace@example.com,\n');
    assert.deepEqual(
      [found.format.headerRow, found.names, found.rows],
      [false, ['Column 1', 'Column 2', 'Column 3'], 2],
    );
  });

  it('rows of nothing but separators, as spreadsheets leave them, are none', async () => {
    assert.equal((await inspect('a;b\r\n1;2\r\n;\r\n\r\n;\r\n')).rows, 1);
  });

  it('the first row with broken quotes is named, and every row counts', async () => {
    const found = await inspect('a,b\n"1",2\n3,"4\n5,6\n');
    assert.equal(found.rows, 3);
    assert.deepEqual([found.fileProblem?.row, found.fileProblem?.code], [2, 'VALIDATION_FAILED']);
    assert.match(found.fileProblem!.message, /quote is opened and never closed/);
  });

  it('what is given is not found out', async () => {
    const found = await inspect('a;b,c\n1;2,3\n', {
      separator: ',',
      headerRow: false,
      encoding: 'windows-1252',
    });
    assert.deepEqual(found.sample[0], ['a;b', 'c']);
  });

  it('of cells that are large only the beginning is kept, cut between characters', async () => {
    const found = await inspect(`${'é'.repeat(300)},b\n${'x€'.repeat(100_000)},1\n`);
    assert.equal(found.names[0], 'é'.repeat(255));
    assert.equal(found.sample[0]![0], 'x€'.repeat(256));
    assert.equal(found.sample[0]![1], '1');
  });

  it('of rows that are large only some are kept; all are counted', async () => {
    const row = `${`${'x'.repeat(1_000)},`.repeat(900)}y\n`;
    const found = await inspect(row.repeat(30), { headerRow: false });
    assert.equal(found.rows, 30);
    assert.ok(found.sample.length >= 5 && found.sample.length <= 10, `${found.sample.length}`);
  });

  for (const [name, file, message] of [
    ['a row of too many cells', `a,b\n1,2\n${'x,'.repeat(1_000)}\n`, /row 3 of the file has 1001 columns/],
    ['nothing', '', /the file is empty/],
    ['only a mark', '\ufeff', /the file is empty/],
    ['an Excel workbook', 'PK\u0003\u0004….', /Excel workbook .*save it as CSV/],
    ['a NUL in the names', 'a\0,b\n1,2\n', /the name of column 1 contains a NUL character/],
    ['a first row that never ends', `"${'x'.repeat(3_000_000)}`, /larger than 1048576 bytes|never closed/],
    [
      'a thousand broken rows',
      `a,b\n"1",2\n${'x,y"z\n'.repeat(1_001)}`,
      /more than 1000 rows cannot be read/,
    ],
    ['a million columns', `${'x,'.repeat(1_000_000)}\n`, /1000001 columns|larger than/],
  ] as const) {
    it(`400 for ${name}`, async () => {
      await assert.rejects(
        inspect(file),
        (error: Error) => message.test(error.message) || assert.fail(error),
      );
    });
  }
});
