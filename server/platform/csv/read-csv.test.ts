import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { limits } from '../../../contract/limits.ts';
import { runsOf, seed } from '../../../test/support/sample.ts';
import { csvLine, decodeCell } from './csv.ts';
import { type CsvRow, readCsv } from './read-csv.ts';

async function* asChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function readAll(text: string | Buffer, size = 7): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  for await (const part of readCsv(asChunks(Buffer.from(text as string), size))) rows.push(...part);
  return rows;
}

/** The cells of every row; for an unreadable row, its message. */
async function read(text: string | Buffer, size = 7): Promise<(string | string[])[]> {
  const rows = await readAll(text, size);
  return rows.map(({ cells, problem }) => problem?.message ?? cells.map((cell) => decodeCell(cell, 'cell')));
}

describe('reading CSV', () => {
  it('gives back whatever was written, however it is cut into chunks', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', ';', ' ', "'", 'a', 'é', '😀') }),
    );
    // A single empty cell is an empty line, which is skipped.
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
          // A file without a byte order mark whose content begins with one is the same as a marked file.
          fc.pre(marked || !written.startsWith('\ufeff'));
          assert.deepEqual(await read(written, size), rows);
        },
      ),
      { numRuns: runsOf(300), seed },
    );
  });

  it('takes LF, CRLF and CR as ends of rows, and skips empty lines', async () => {
    assert.deepEqual(await read('a,b\nc,d\r\n\r\n\ne,f\rg,h'), [
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
    for await (const rows of readCsv(chunks())) seen.push(...rows.map(({ cells }) => cells.join('|')));
    assert.deepEqual(seen, ['half a row', 'a|b\nc', 'the rest', 'd|e', 'another']);
  });

  for (const [name, line, message] of [
    ['a quote that is never closed', 'c,"d', /opened and never closed/],
    ['text after a closing quote', '"c"d,e', /after a closing quote/],
    ['a quote inside a cell', 'c,d"e', /inside an unquoted cell/],
  ] as const) {
    for (const lineBreak of ['\n', '\r\n', '\r']) {
      it(`${name} costs its line and no other (${JSON.stringify(lineBreak)})`, async () => {
        const text = ['a,b', '', line, '', 'e,f', '', 'g,h', ''].join(lineBreak);
        for (const size of [1, 2, 3, 5, 1_000]) {
          const [before, broken, ...after] = await readAll(text, size);
          assert.deepEqual(before?.cells, ['a', 'b']);
          assert.equal(broken?.problem?.status, 400);
          assert.match(broken.problem.message, message);
          assert.deepEqual(broken.cells, [line]);
          assert.deepEqual(
            after.map(({ cells, problem }) => [cells, problem]),
            [
              [['e', 'f'], null],
              [['g', 'h'], null],
            ],
          );
        }
      });
    }
  }

  it('a stray quote in any line of a plain file costs that line alone, however it is cut into chunks', async () => {
    const plain = fc.array(fc.stringMatching(/^[a-c]{1,3}$/), { minLength: 2, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(plain, { minLength: 1, maxLength: 8 }),
        fc.nat(),
        fc.integer({ min: 1, max: 20 }),
        async (rows, at, size) => {
          const stray = at % rows.length;
          const lines = rows.map((cells, index) =>
            index === stray ? `"${cells.join(',')}` : cells.join(','),
          );
          const found = await readAll(`${lines.join('\n')}\n`, size);
          assert.deepEqual(
            found.map(({ cells }) => cells),
            rows.map((cells, index) => (index === stray ? [lines[index]] : cells)),
          );
          assert.deepEqual(
            found.flatMap(({ problem }, index) => (problem ? [index] : [])),
            [stray],
          );
        },
      ),
      { numRuns: runsOf(200), seed },
    );
  });

  it('400 for a file with more than 1,000 broken lines; other work goes on meanwhile', async () => {
    const broken = (lines: number) => 'a"\n'.repeat(lines);
    let turns = 0;
    const other = setInterval(() => turns++, 1);
    assert.equal((await readAll(broken(limits.csvBrokenRows), 16_384)).length, limits.csvBrokenRows);
    clearInterval(other);
    assert.ok(turns > 10, `a timer fired ${turns} times`);
    await assert.rejects(readAll(broken(1_000_000), 16_384), {
      status: 400,
      reason: { kind: 'tooManyBroken', limit: 1_000 },
    });
  });

  it('413 for a row that is larger than a body may be, and the next one is read', async () => {
    for (const character of ['x', ',']) {
      const huge = `"c",${character.repeat(limits.csvRowBytes * 2 + 100_000)}`;
      const rows = await readAll(Buffer.from(`a,b\n${huge}\nd,e\n`), 65_536);
      assert.deepEqual(
        rows.map(({ problem }) => problem?.status ?? null),
        [null, 413, null],
      );
      assert.deepEqual(rows[2]!.cells, ['d', 'e']);
      assert.equal(rows[1]!.cells[0]!.length, limits.csvRowBytes);
    }
  });
});
