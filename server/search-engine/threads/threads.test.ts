import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { seed } from '../../../test/support/sample.ts';
import { newId } from '../../platform/ids.ts';
import { compileQuery, compileTerm } from '../match/match.ts';
import { searchPage } from '../query/query.ts';
import { rankValues } from '../query/scan.ts';
import { Workspace } from '../query/workspace.ts';
import { SearchIndex } from '../store/index.ts';
import { Values } from '../store/values.ts';
import { Threads } from './threads.ts';

const never = () => undefined;

/** xorshift: a random number below `bound`. */
function numbers(start: number): (bound: number) => number {
  let state = start | 1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

const draw = numbers(seed);
const pick = (alphabet: string, least: number, most: number): string =>
  Array.from({ length: least + draw(most - least + 1) }, () => alphabet[draw(alphabet.length)]).join('');
const HOSTS = ['@mail.com', '@post.example', '.org/contact', '-2026-1'];

/** Enough texts that every array is shared, and similar enough that terms match a lot. */
function largeValues(): Values {
  const values = new Values();
  for (let i = 0; i < 40_000; i++) {
    values.intern(pick('abcdeilnorst', 3, 9) + (i % 2 === 0 ? HOSTS[draw(HOSTS.length)] : ''), false);
    if (i % 2 === 0) values.intern(`+55 11 ${pick('0123456789', 8, 8)}`, true);
  }
  return values;
}

const values = largeValues();
const FIXED = ['mail', 'contact', 'tacnot', 'post.exam', 'mial.com', '2026-1', '119', '55-11', 'l@mail.c'];
const terms = [...FIXED, ...Array.from({ length: 60 }, () => pick('abcdeilnorst.@1', 1, 9))].map((text) =>
  compileTerm(text),
);

async function rank(work: Workspace, term: ReturnType<typeof compileTerm>): Promise<Uint8Array> {
  // As requests do, so that this thread receives the messages of the others.
  await nextTurn();
  await rankValues(values, term, work, never);
  return work.values.best.slice(0, values.size);
}

const alone = new Workspace();
const settings = { count: 2, fromTexts: 0, patienceMs: 20 };
const opened: Threads[] = [];
function openThreads(changed: ConstructorParameters<typeof Threads>[0] = {}): Threads {
  const threads = new Threads({ ...settings, ...changed });
  opened.push(threads);
  return threads;
}
after(() => Promise.all(opened.map((threads) => threads.close())));

/** Threads that follow the protocol until they have taken a slice. */
const script = (misdeed: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort, workerData } from 'node:worker_threads';
      parentPort.on('message', ({ job }) => {
        if (Atomics.load(workerData.claims, 0) >>> 16 !== job) return;
        Atomics.add(workerData.claims, 0, 1);
        ${misdeed}
      });`)}`,
  );

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await nextTurn();
}

describe('search threads', () => {
  test('find what one thread finds alone', async () => {
    const threads = openThreads();
    const work = new Workspace(threads);
    assert.ok(values.words.isShared && values.tokens.isShared && values.phones.isShared);
    // They may wake after a query is done: repeat until they have helped.
    while (threads.helped === 0) await rank(work, terms[0]!);
    let matched = 0;
    for (const term of terms) {
      const expected = await rank(alone, term);
      assert.deepEqual(await rank(work, term), expected, term.text);
      matched += alone.values.count;
    }
    assert.ok(matched > 10_000, `only ${matched} matches: the generator no longer tests anything`);
    assert.ok(threads.helped > 20, `they did ${threads.helped} slices only`);
  });

  test('see what was added since they were told of the arrays', async () => {
    const threads = openThreads();
    const work = new Workspace(threads);
    while (threads.helped === 0) await rank(work, terms[0]!);
    const before = threads.helped;
    for (let i = 0; i < 5; i++) {
      for (let j = 0; j < 4000; j++) values.intern(`${pick('xyz', 6, 10)}.${i}${j}`, false);
      for (const text of ['xyzxyz', 'zzyyxx', 'xyzzy.']) {
        const term = compileTerm(text);
        const expected = await rank(alone, term);
        assert.deepEqual(await rank(work, term), expected, text);
      }
    }
    assert.ok(threads.helped > before);
  });

  test('find the records of several terms as one thread does', async () => {
    const index = new SearchIndex();
    for (let i = 0; i < 20_000; i++) {
      const texts = [
        {
          text: `${pick('abcdeilnorst', 3, 9)} ${pick('abcdeilnorst', 3, 9)}${HOSTS[draw(HOSTS.length)]}`,
          isPhone: false,
        },
        { text: `+55 11 ${pick('0123456789', 8, 8)}`, isPhone: true },
      ];
      index.upsert({ id: newId(), kanbanId: 'k', status: 's', createdAt: i, updatedAt: i, texts });
    }
    const threads = openThreads();
    const work = new Workspace(threads);
    const page = async (workspace: Workspace, q: string) => {
      await nextTurn();
      return searchPage(index, compileQuery(q), {}, 0, 20, workspace, never);
    };
    const queries = [
      'mail 119',
      'contact lno',
      'post.exam 55',
      'mial.com tor',
      '2026-1 abc',
      'nel org',
      'mail contact',
    ];
    while (threads.helped === 0) for (const q of queries) await page(work, q);
    let found = 0;
    for (const q of [
      ...queries,
      ...Array.from({ length: 30 }, () => `${pick('abcdeilnorst', 2, 5)} ${pick('lnorst1', 2, 4)}`),
    ]) {
      const expected = await page(alone, q);
      assert.deepEqual(await page(work, q), expected, q);
      found += expected.total;
    }
    assert.ok(found > 1000, `only ${found} records: the generator no longer tests anything`);
  });

  test('that cannot be started leave the query to its own thread', async () => {
    const threads = openThreads({ script: 'no address' as unknown as URL });
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
    assert.deepEqual(await rank(new Workspace(threads), terms[0]!), await rank(alone, terms[0]!));
    assert.match((await warned).message, /search threads could not be used/);
    assert.deepEqual(await rank(new Workspace(threads), terms[1]!), await rank(alone, terms[1]!));
    assert.equal(threads.running, 0);
  });

  test('help one query while another does its work alone', async () => {
    const threads = openThreads();
    const some = terms.slice(0, 12);
    const both = [new Workspace(threads), new Workspace(threads)];
    const found = await Promise.all(
      both.map(async (work) => {
        const results: Uint8Array[] = [];
        for (const term of some) {
          await rankValues(values, term, work, () => nextTurn());
          results.push(work.values.best.slice(0, values.size));
        }
        return results;
      }),
    );
    for (const [i, term] of some.entries()) {
      const expected = await rank(alone, term);
      for (const results of found) assert.deepEqual(results[i], expected, term.text);
    }
  });

  test('lose nothing by one that dies with a slice in its hands', async () => {
    const threads = openThreads({ script: script('throw new Error("out of order");') });
    const work = new Workspace(threads);
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
    // As long as they live, each query may lose two slices to them.
    do
      for (const term of terms.slice(0, 8))
        assert.deepEqual(await rank(work, term), await rank(alone, term), term.text);
    while (threads.running > 0);
    assert.match((await warned).message, /search thread died.*out of order/);
    assert.deepEqual(await rank(work, terms[1]!), await rank(alone, terms[1]!));
  });

  test('lose nothing by one that never finishes its slice', async () => {
    const heard = new BroadcastChannel('taken by a search thread');
    let taken = 0;
    heard.onmessage = () => {
      taken++;
    };
    const tell = "new BroadcastChannel('taken by a search thread').postMessage('a slice');";
    const threads = openThreads({ script: script(tell), patienceMs: 0 });
    const work = new Workspace(threads);
    do {
      for (const term of terms.slice(0, 20))
        assert.deepEqual(await rank(work, term), await rank(alone, term), term.text);
    } while (taken === 0);
    heard.close();
    assert.equal(threads.helped, 0);
  });

  test('are not there before a large scan, and end when closed', async () => {
    const threads = openThreads({ fromTexts: 10_000_000 });
    await rank(new Workspace(threads), terms[0]!);
    assert.equal(threads.running, 0);
    const used = openThreads();
    await rank(new Workspace(used), terms[0]!);
    assert.equal(used.running, 2);
    await used.close();
    assert.equal(used.running, 0);
    assert.deepEqual(await rank(new Workspace(used), terms[0]!), await rank(alone, terms[0]!));
    assert.equal(used.running, 0);
  });

  test('end when there was nothing to do for a while, and start again', async () => {
    const threads = openThreads({ idleMs: 1 });
    const work = new Workspace(threads);
    for (let i = 0; i < 2; i++) {
      await rank(work, terms[0]!);
      await until(() => threads.running === 0);
    }
    assert.deepEqual(await rank(work, terms[1]!), await rank(alone, terms[1]!));
  });

  test('do not keep a process from ending', async () => {
    const at = (name: string) => JSON.stringify(new URL(`../${name}.ts`, import.meta.url).href);
    const program = `
      import { compileTerm } from ${at('match/match')};
      import { rankValues } from ${at('query/scan')};
      import { Threads } from ${at('threads/threads')};
      import { Values } from ${at('store/values')};
      import { Workspace } from ${at('query/workspace')};
      const values = new Values();
      for (let i = 0; i < 70000; i++) values.intern('word' + i, false);
      const threads = new Threads({ count: 1, fromTexts: 0 });
      await rankValues(values, compileTerm('word12'), new Workspace(threads), () => undefined);
      console.log(threads.running);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      timeout: 60_000,
    });
    assert.equal(stdout, '1\n');
  });
});
