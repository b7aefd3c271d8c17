import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileQuery } from '../match/match.ts';
import { SearchIndex } from '../store/index.ts';
import { searchPage } from './query.ts';
import { warmUp } from './warming.ts';
import { Workspace } from './workspace.ts';

const TEXTS = [
  'a',
  '山',
  '👍🏽',
  'Ana Silva',
  'ana.silva@example.com',
  '+55 11 99999-8888',
  'São Paulo',
  'x-y',
];

test('an index answers as before after it has warmed up, whatever it holds', async () => {
  for (const size of [0, 1, TEXTS.length]) {
    const index = new SearchIndex();
    for (const [i, text] of TEXTS.slice(0, size).entries()) {
      index.upsert({
        id: `018f0000-0000-7000-8000-00000000000${i}`,
        kanbanId: '10000000-0000-7000-8000-000000000001',
        status: 'new',
        createdAt: i,
        updatedAt: i,
        texts: [{ text, isPhone: text.startsWith('+') }],
      });
    }
    const work = new Workspace();
    const ask = () => searchPage(index, compileQuery('ana'), {}, 0, 20, work, () => undefined);
    const before = await ask();
    await warmUp((question) => question(index, work));
    assert.deepEqual(await ask(), before);
    assert.equal(before.total, size === TEXTS.length ? 2 : 0);
  }
});
