import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { limits } from '../../contract/limits.ts';
import { propertyRuns, propertySeed } from '../../test/support/property-seed.ts';
import { csvLine, decodeCell, defuse, readCsv, undoDefuse } from './csv.ts';

const seed = propertySeed('CSV');

async function* asChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function read(text: string | Buffer, size = 7) {
  const rows: string[][] = [];
  for await (const part of readCsv(asChunks(Buffer.from(text as string), size))) {
    rows.push(...part.rows.map((row) => row.map((cell) => decodeCell(cell, 'cell'))));
    if (part.problem) return { rows, problem: part.problem };
  }
  return { rows, problem: null };
}

describe('reading CSV', () => {
  it('gives back whatever was written, however it is cut into chunks', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', ';', ' ', "'", 'a', 'é', '😀') }),
    );
    // A single empty cell is an empty line, which counts for nothing.
    const row = fc.array(
      text.map((cell) => cell.replaceAll('\0', '')),
      { minLength: 2, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        async (rows, size, marked) => {
          const written = (marked ? '\ufeff' : '') + rows.map((cells) => csvLine(cells)).join('');
          // Without a mark of its own, a file that begins with one is the marked file.
          fc.pre(marked || !written.startsWith('\ufeff'));
          assert.deepEqual(await read(written, size), { rows, problem: null });
        },
      ),
      { numRuns: propertyRuns(300), seed },
    );
  });

  it('takes LF, CRLF and CR as ends of rows, and skips empty lines', async () => {
    assert.deepEqual((await read('a,b\nc,d\r\n\r\n\ne,f\rg,h')).rows, [
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
      ['g', 'h'],
    ]);
  });

  it('gives a row as soon as its line break has come', async () => {
    const seen: string[] = [];
    async function* chunks() {
      yield Buffer.from('a,"b\n');
      seen.push('half a row');
      yield Buffer.from('c"\n');
      seen.push('the rest');
      yield Buffer.from('d,e\r\n');
      seen.push('another');
    }
    for await (const { rows } of readCsv(chunks())) seen.push(...rows.map((row) => row.join('|')));
    assert.deepEqual(seen, ['half a row', 'a|b\nc', 'the rest', 'd|e', 'another']);
  });

  for (const [name, text, message] of [
    ['a quote that is never closed', 'a,b\nc,"d\ne,f\n', /opened and never closed/],
    ['text after a closing quote', 'a,b\n"c"d,e\n', /after a closing quote/],
    ['a quote inside a cell', 'a,b\nc,d"e\n', /inside a cell/],
  ] as const) {
    it(`keeps the rows before ${name}`, async () => {
      for (const size of [1, 5, 1_000]) {
        const { rows, problem } = await read(text, size);
        assert.deepEqual(rows, [['a', 'b']]);
        assert.equal(problem?.status, 400);
        assert.match(problem.message, message);
      }
    });
  }

  it('413 for a row that is larger than a body may be, be it text or nothing but commas', async () => {
    for (const character of ['x', ',']) {
      const huge = Buffer.from(`a,b\n"c",${character.repeat(limits.csvRowBytes * 2 + 100_000)}`);
      const { rows, problem } = await read(huge, 65_536);
      assert.deepEqual(rows, [['a', 'b']]);
      assert.equal(problem?.status, 413);
    }
  });

  it('400 for a cell that cannot be stored as it is', () => {
    assert.throws(() => decodeCell('\xff\xfe', 'Name'), { status: 400, message: 'Name is not valid UTF-8' });
    assert.throws(() => decodeCell('a\0b', 'Name'), { status: 400, message: 'Name has a NUL character' });
    assert.throws(() => decodeCell('\xed\xa0\x80', 'Name'), { message: 'Name is not valid UTF-8' });
  });
});

describe('defusing', () => {
  const dangerous = [
    '=1+1',
    '+55 11',
    '-5',
    '@sum',
    '\tx',
    '\rx',
    '\nx',
    ' =1',
    '\u00a0=1',
    '\u200b=1',
    '\u0001=1',
  ];
  const wide = ['＝1', '＋1', '－1', '＠a', '﹦1', '−1'];
  for (const text of [...dangerous, ...wide]) {
    it(`shows ${JSON.stringify(text)} instead of running it`, () => assert.equal(defuse(text), `'${text}`));
  }

  it('leaves harmless text alone', () => {
    for (const text of ['a', 'a=b', ' a', "it's", "'tis", '5-3', '(1)', 'ada@example.com']) {
      assert.equal(defuse(text), text);
      assert.equal(undoDefuse(text), text);
    }
  });

  it('is undone for every text, and never leaves a formula', () => {
    const unit = fc.constantFrom("'", '=', '-', '@', '＝', ' ', '\t', '\r', '\u200b', 'a', '1');
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit, maxLength: 6 }));
    fc.assert(
      fc.property(text, (value) => {
        const cell = defuse(value);
        assert.equal(undoDefuse(cell), value);
        assert.notEqual(cell, '');
        assert.doesNotMatch(cell.trim(), /^[=+\-@＝＋－＠]/);
        assert.doesNotMatch(cell, /^[\t\r\n]/);
      }),
      { numRuns: propertyRuns(2_000), seed },
    );
  });
});
