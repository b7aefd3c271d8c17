import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { readFrom, throughFile, writeTo } from '../../../test/support/index-file.ts';
import { compileQuery } from '../match/match.ts';
import { searchPage } from '../query/query.ts';
import { Workspace } from '../query/workspace.ts';
import { SearchIndex } from '../store/index.ts';
import { WriteArchive } from './archive.ts';
import { INDEX_VERSION, MAGIC } from './format.ts';
import { WriteStopped, writeIndex } from './write-index.ts';

const work = new Workspace();
const never = () => undefined;
const idOf = (number: number) => `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const names = ['Ana Silva', 'ÅSA Ström', 'Reichel GmbH & Co.', '+55 (11) 99999-8888', 'Жанна', '田中 太郎'];

/** Values of every kind, and places that were freed. */
function sampleIndex(records: number): SearchIndex {
  const index = new SearchIndex();
  for (let number = 0; number < records; number++) {
    const name = `${names[number % names.length]} ${number % 97}`;
    index.upsert({
      id: idOf(number),
      kanbanId: number % 3 === 0 ? 'first board' : 'second board',
      status: number % 5 === 0 ? 'won' : 'new',
      createdAt: number,
      updatedAt: number * 2,
      place: number % 10 === 0 ? { at: number, id: idOf(number + 1) } : null,
      texts: [
        { text: name, isPhone: false },
        { text: `${number % 50} 555-01${number}`, isPhone: true },
        { text: `user.${number}@example.com`, isPhone: false },
      ],
      columns: {
        title: name,
        amount: number / 4,
        tags: [`tag ${number % 7}`],
        note: 'long '.repeat(number % 300),
      },
    });
  }
  for (let number = 0; number < records; number += 11) index.remove(idOf(number));
  index.removeKanban('no such board');
  return index;
}

const pageOf = (index: SearchIndex, q: string) => searchPage(index, compileQuery(q), {}, 0, 500, work, never);

describe('an index in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'talkboard-snapshot-'));
  const whole = join(folder, 'whole');
  const damaged = join(folder, 'damaged');
  const index = sampleIndex(400);
  before(() => writeTo(whole, index));
  after(() => rmSync(folder, { recursive: true }));

  test('is the same index: it answers alike, takes the same changes, and is written alike', async () => {
    const original = sampleIndex(400);
    const back = await readFrom(whole);
    const change = (one: SearchIndex) => {
      for (let number = 0; number < 60; number++) {
        one.remove(idOf(number * 3 + 1));
        const texts = [{ text: `Changed ${names[number % 6]}`, isPhone: false }];
        const columns = { title: 'Changed', other: number, amount: 1 };
        const kanbanId = number % 2 === 0 ? 'third board' : 'first board';
        const document = { kanbanId, status: 'lost', createdAt: 1, updatedAt: 1, texts, columns };
        one.upsert({ ...document, id: idOf(number * 5) });
      }
    };
    for (const round of ['as read', 'changed']) {
      if (round === 'changed') for (const one of [original, back]) change(one);
      for (const q of ['ana', 'riechel', '99999', 'жана', '田', 'user.17', 'changd', '']) {
        assert.deepEqual(await pageOf(back, q), await pageOf(original, q), `${q}, ${round}`);
      }
      assert.equal(digestOf(back), digestOf(original), round);
    }
  });

  test('is empty if the index is', async () => {
    const back = await throughFile(new SearchIndex());
    assert.equal(back.records.alive, 0);
    back.upsert({ id: idOf(1), kanbanId: 'b', status: 'new', createdAt: 0, updatedAt: 0, texts: [] });
    assert.equal(back.records.alive, 1);
  });

  test('is not read if any byte is another one', async () => {
    const bytes = readFileSync(whole);
    // Every byte of the beginning and the end, and others at odd distances.
    const places = [
      ...Array.from({ length: 40 }, (_, i) => i),
      ...Array.from({ length: 150 }, (_, i) => Math.floor(((i + 0.37) * bytes.length) / 150)),
      ...Array.from({ length: 40 }, (_, i) => bytes.length - 1 - i),
    ];
    for (const [i, place] of places.entries()) {
      const other = Buffer.from(bytes);
      other[place]! ^= 1 << (i % 8);
      writeFileSync(damaged, other);
      await assert.rejects(readFrom(damaged), `byte ${place} of ${bytes.length}`);
    }
  });

  test('is not read if its end is missing, or if something follows', async () => {
    const { length } = readFileSync(whole);
    for (const left of [0, 1, 15, 16, 17, 500, length >> 1, length - 5, length - 4, length - 1]) {
      copyFileSync(whole, damaged);
      truncateSync(damaged, left);
      await assert.rejects(readFrom(damaged), `${left} of ${length} bytes`);
    }
    writeFileSync(damaged, Buffer.concat([readFileSync(whole), Buffer.from([0])]));
    await assert.rejects(readFrom(damaged), /length is wrong/);
  });

  test('is not read if another version wrote it, even with right checksums', async () => {
    const cases = [
      ['version', INDEX_VERSION + 1],
      ['unicode', '1.0'],
      ['byteOrder', 'BE'],
    ] as const;
    for (const [name, value] of cases) {
      changeHeader(whole, damaged, (header) => {
        header.machine[name] = value;
      });
      await assert.rejects(readFrom(damaged), new RegExp(`another ${name}`));
    }
    changeHeader(whole, damaged, () => {});
    assert.equal((await readFrom(damaged)).records.alive, index.records.alive, 'the change of headers works');
    changeHeader(whole, damaged, (header) => header.values.pop());
    await assert.rejects(readFrom(damaged));
  });

  test('has a short header, however many records were put by hand or removed', async () => {
    const headerOf = async (large: SearchIndex) => {
      await writeTo(damaged, large);
      return readFileSync(damaged).readUInt32LE(8);
    };
    const lengths = [await headerOf(sampleIndex(200)), await headerOf(sampleIndex(4_000))];
    assert.ok(lengths[1]! - lengths[0]! < 300, `${lengths}`);
  });

  test('is not written beyond a change of the index', async () => {
    const changing = sampleIndex(400);
    const file = await open(damaged, 'w');
    try {
      let asked = 0;
      const writing = writeIndex(file, changing, {}, () => {
        if (++asked === 20) changing.remove(idOf(5));
        return true;
      });
      await assert.rejects(writing, WriteStopped);
    } finally {
      await file.close();
    }
    await assert.rejects(readFrom(damaged));
  });

  test('has another version when the index becomes another one', () => {
    assert.deepEqual(
      { version: INDEX_VERSION, digest: digestOf(sampleIndex(2_000)) },
      { version: 3, digest: 'ee3a0b7231b1cc5f' },
      'The same records make another index than before, so files of earlier releases must not be read: raise INDEX_VERSION, then write both here.',
    );
  });
});

function digestOf(index: SearchIndex): string {
  const archive = new WriteArchive();
  index.archive(archive);
  const hash = createHash('sha256').update(JSON.stringify(archive.values));
  for (const array of archive.arrays) hash.update(array.view());
  return hash.digest('hex').slice(0, 16);
}

// biome-ignore lint/suspicious/noExplicitAny: a header of any form
function changeHeader(from: string, to: string, change: (header: any) => void): void {
  const bytes = readFileSync(from);
  const end = 16 + bytes.readUInt32LE(8);
  const header = JSON.parse(bytes.subarray(16, end).toString());
  change(header);
  const text = Buffer.from(JSON.stringify(header));
  const prelude = Buffer.alloc(16);
  MAGIC.copy(prelude);
  prelude.writeUInt32LE(text.length, 8);
  prelude.writeUInt32LE(crc32(text), 12);
  writeFileSync(to, Buffer.concat([prelude, text, bytes.subarray(end)]));
}
