import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { absentId } from '../../../../test/support/api-samples.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import type { QueryOptions, Reader } from '../../../platform/db/transaction.ts';
import { selectChanged } from './knowledge.search.sql.ts';
import { createKnowledgeSearch } from './knowledge.search.ts';
import { loadStem } from './knowledge.stemmers.ts';

describe('search in knowledge', () => {
  let service: TestService;
  let token: string;
  let accountId: string;
  let sourceId: string;
  const call = async (status: number, method: string, path: string, body?: object): Promise<Json> => {
    const answer = await service.call(method, `/knowledge${path}`, { token, ...(body && { body }) });
    assert.equal(answer.status, status, answer.text);
    return answer.body;
  };
  const write = (title: string, text: string, rest: object = {}) =>
    call(201, 'POST', '/documents', { sourceId, title, text, state: 'published', ...rest });
  const search = async (q: string, rest: object = {}): Promise<Json[]> =>
    (await call(200, 'POST', '/search', { q, ...rest })).passages;
  const titles = async (q: string, rest: object = {}) => (await search(q, rest)).map(({ title }) => title);
  before(async () => {
    service = await joinTestService();
    ({ jwt: token, accountId } = await service.createAccount());
    sourceId = (await call(200, 'GET', '/sources')).items[0].id;
  });
  after(() => service.close());

  it('reads what has changed in batches of bounded size', async () => {
    const account = await service.createAccount();
    const source = await service.call('GET', '/knowledge/sources', { token: account.jwt });
    for (const title of ['One', 'Two', 'Three']) {
      const body = { sourceId: source.body.items[0].id, title, text: 'x'.repeat(1_000), state: 'published' };
      const { status } = await service.call('POST', '/knowledge/documents', { token: account.jwt, body });
      assert.equal(status, 201);
    }
    const read = async (most: { documents: number; bytes: number }) => {
      const batches: string[][] = [];
      for (let after = { change: 0, id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }; ; ) {
        const changed = await selectChanged(service.context.db, account.accountId, after, most);
        if (changed.length === 0) return batches;
        batches.push(changed.map(({ title }) => title));
        after = changed.at(-1)!;
      }
    };
    assert.deepEqual(await read({ documents: 100, bytes: 10 }), [['One'], ['Two'], ['Three']]);
    assert.deepEqual(await read({ documents: 100, bytes: 1_500 }), [['One', 'Two'], ['Three']]);
    assert.deepEqual(await read({ documents: 2, bytes: 10_000 }), [['One', 'Two'], ['Three']]);
  });

  it('answers with citations whose excerpt is exactly that part of the version', async () => {
    assert.deepEqual(await search('anything'), []);
    const text =
      'Intro 😀.\n\n# Returns\n\nYou can return a **velvet sofa** within 30 days.\n\n# Shipping\n\nFree.';
    const { id } = await write('Rules', text);
    const [{ score, ...found }] = await search('How do I return the Velvet sofas?');
    const start = text.indexOf('# Returns');
    const end = text.indexOf('\n\n# Shipping');
    assert.deepEqual(found, {
      documentId: id,
      version: 1,
      title: 'Rules',
      url: null,
      heading: 'Returns',
      start,
      end,
      excerpt: text.slice(start, end),
      sourceId,
      matched: ['return', 'velvet', 'sofas'],
    });
    assert.ok(score > 0);
  });

  it('finds what was published, and no draft, from the next request on', async () => {
    const { id } = await write('Zebra', 'zebra one', { state: 'draft' });
    assert.deepEqual(await titles('zebra'), []);
    await call(200, 'PATCH', `/documents/${id}`, { state: 'published' });
    assert.deepEqual(await titles('zebra'), ['Zebra']);
    await call(200, 'PUT', `/documents/${id}`, { title: 'Okapi', text: 'okapi', expectedVersion: 1 });
    assert.deepEqual(await titles('zebra okapi'), ['Zebra']);
    await call(200, 'PATCH', `/documents/${id}`, { state: 'published' });
    assert.deepEqual([await titles('zebra'), await titles('okapi')], [[], ['Okapi']]);
    await call(200, 'PATCH', `/documents/${id}`, { state: 'draft' });
    assert.deepEqual(await titles('okapi'), []);
    await call(200, 'PATCH', `/documents/${id}`, { state: 'published' });
    assert.deepEqual(await titles('okapi'), ['Okapi']);
    await call(200, 'DELETE', `/documents/${id}`);
    assert.deepEqual(await titles('okapi'), []);
  });

  it('what is published while a search runs is found in one of its versions', async () => {
    const { id } = await write('Numbat', 'numbat one');
    const { db } = service.context;
    let version = 1;
    // Between the index and the texts of what it has found.
    const publishing: Reader = {
      async query<R>(statement: Sql, options?: QueryOptions): Promise<R[]> {
        if (version === 1 && /from unnest.*join knowledge_passages/s.test(statement.statement().text)) {
          const body = {
            title: 'Numbat',
            text: 'numbat two',
            state: 'published',
            expectedVersion: version++,
          };
          await call(200, 'PUT', `/documents/${id}`, body);
        }
        return db.query<R>(statement, options);
      },
    };
    const own = createKnowledgeSearch({
      db: publishing,
      budgetBytes: 1_000_000,
      rerank: null,
      onDrop: () => {},
    });
    const { passages } = await own.search(accountId, { q: 'numbat' });
    await own.close();
    assert.deepEqual([version, passages.map(({ excerpt }) => excerpt)], [2, ['numbat two']]);
    await call(200, 'DELETE', `/documents/${id}`);
  });

  it('does not wait for a large change: the versions before are found until it is read', async () => {
    const { db } = service.context;
    let isHeld = true;
    const holding: Reader = {
      async query<R>(statement: Sql, options?: QueryOptions): Promise<R[]> {
        const { text, values } = statement.statement();
        if (isHeld && text.includes('bytes_before') && values.includes(25)) throw new Error('not now');
        return db.query<R>(statement, options);
      },
    };
    const own = createKnowledgeSearch({
      db: holding,
      budgetBytes: 1_000_000,
      rerank: null,
      onDrop: () => {},
      awaited: { documents: 3, bytes: 1_000_000 },
    });
    const found = async () => {
      const { passages } = await own.search(accountId, { q: 'bilby' });
      return passages.map(({ version, excerpt }) => `${version} ${excerpt}`).sort();
    };
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await write('Bilby', `bilby ${n} before`)).id);
    const before = Array.from({ length: 5 }, (_, n) => `1 bilby ${n} before`);
    assert.deepEqual(await found(), before);
    const body = { title: 'Bilby', state: 'published', expectedVersion: 1 };
    for (const [n, id] of ids.entries()) {
      await call(200, 'PUT', `/documents/${id}`, { ...body, text: `bilby ${n} after` });
    }
    // As if one publication had changed them.
    await db.autocommit(sql`
      update knowledge_documents set change_number = (
        select changes from knowledge_state s where s.account_id = knowledge_documents.account_id)
      where id = any(${ids}::uuid[])`);
    assert.deepEqual(await found(), before);
    const { id: newestId } = await write('Bilby', 'bilby 5 alone');
    assert.deepEqual(await found(), [...before, '1 bilby 5 alone']);
    const after = ['1 bilby 5 alone', ...Array.from({ length: 5 }, (_, n) => `2 bilby ${n} after`)];
    isHeld = false;
    await eventually(async () => (await found()).join() === after.join());
    await call(200, 'DELETE', `/documents/${newestId}`);
    assert.deepEqual((await found()).length, 5);
    await own.close();
  });

  it('forgets a source with all its documents, also more than are read at a time', async () => {
    const other = (await call(201, 'POST', '/sources', { name: 'Other', kind: 'articles' })).id;
    for (let i = 0; i < 105; i++) await write(`Quokka ${i}`, 'quokka', { sourceId: other });
    assert.equal((await search('quokka', { limit: 100 })).length, 50);
    assert.equal((await search('quokka')).length, 10);
    assert.deepEqual(await titles('quokka', { sourceIds: [sourceId, absentId, 'x'] }), []);
    await write('Not only quokka', 'quokka beside many other words');
    assert.notDeepEqual(await titles('quokka', { limit: 1 }), ['Not only quokka']);
    await call(200, 'DELETE', `/sources/${other}`);
    // What is gone takes no place among the best either.
    assert.deepEqual(await titles('quokka', { limit: 1 }), ['Not only quokka']);
  });

  it('filters by audience and language, and follows their changes', async () => {
    const { id } = await write('Público', 'capivara', { language: 'pt-BR' });
    assert.deepEqual(await titles('capivara', { language: 'pt', audience: 'public' }), ['Público']);
    assert.deepEqual(await titles('capivara', { language: 'en' }), []);
    await call(200, 'PATCH', `/documents/${id}`, { language: 'en', audience: 'internal' });
    assert.deepEqual(await titles('capivara', { language: 'en' }), ['Público']);
    assert.deepEqual(await titles('capivara', { audience: 'public' }), []);
  });

  it('for an agent: passages in the customer’s language come first, others are found too', async () => {
    await write('4711', '4711', { language: 'en' });
    await write('4711', '4711', { language: 'pt-BR' });
    await write('4711', '4711', { language: 'pt', audience: 'internal' });
    const languages = async (language: string | null, mayUseInternal = false) => {
      const wanted = { q: '4711', sourceIds: [sourceId], mayUseInternal, language, limit: 8 };
      const found = await service.context.knowledgeSearch.retrieve(accountId, wanted);
      return found.map((one) => one.language);
    };
    assert.deepEqual(await languages('pt'), ['pt-BR', 'en']);
    assert.deepEqual(await languages(null), ['en', 'pt-BR']);
    assert.deepEqual(await languages('en', true), ['en', 'pt-BR', 'pt']);
  });

  it('of another account finds nothing', async () => {
    await write('Secret', 'wombat');
    const other = await service.createAccount();
    const answer = await service.call('POST', '/knowledge/search', {
      token: other.jwt,
      body: { q: 'wombat', sourceIds: [sourceId] },
    });
    assert.deepEqual(answer.body, { passages: [] });
  });

  it('finds words in another form in five languages, with and without accents', async () => {
    const stem = await loadStem();
    const forms: [string, string[]][] = [
      ['en', ['refund', 'refunds', 'refunded', 'refunding']],
      ['pt-BR', ['informacao', 'informacoes']],
      ['pt', ['cancelamento', 'cancelado', 'cancelar']],
      ['es', ['devolucion', 'devoluciones']],
      ['de', ['ruckgabe', 'ruckgaben']],
      ['fr', ['remboursement', 'remboursements']],
    ];
    for (const [language, words] of forms) {
      assert.equal(new Set(words.map((word) => stem(language, word))).size, 1, words.join(', '));
    }
    assert.equal(stem('ja', 'words'), 'words');
    await write('Devoluções', 'As informações sobre devoluções', { language: 'pt' });
    assert.deepEqual(await titles('devolucao informacao'), ['Devoluções']);
  });
});
