import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { absentId } from '../../../test/support/api-samples.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';

type Account = Awaited<ReturnType<TestService['createAccount']>>;

describe('knowledge', () => {
  let service: TestService;
  let account: Account;
  before(async () => {
    service = await joinTestService();
    account = await service.createAccount();
  });
  after(() => service.close());

  const as =
    (who: () => Account) =>
    (method: string, path: string, body?: object): Promise<{ status: number; body: Json; text: string }> =>
      service.call(method, `/knowledge${path}`, { token: who().jwt, ...(body && { body }) });
  const call = as(() => account);
  const articlesOf = async (who: Account): Promise<string> =>
    (await as(() => who)('GET', '/sources')).body.items[0].id;
  const write = async (body: object = {}): Promise<Json> => {
    const sourceId = await articlesOf(account);
    const answer = await call('POST', '/documents', {
      sourceId,
      title: 'Returns',
      text: '# Returns\n\n30 days.',
      ...body,
    });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const refused = ({ status, body }: { status: number; body: Json }) => [status, body.code, body.message];

  describe('sources', () => {
    it('a new account has one for articles', async () => {
      const { items, nextToken } = (await as(() => account)('GET', '/sources')).body;
      const [{ id, createdAt, updatedAt, ...source }] = items;
      assert.deepEqual([items.length, nextToken, typeof id, updatedAt], [1, null, 'string', createdAt]);
      assert.deepEqual(source, {
        name: 'Articles',
        kind: 'articles',
        language: null,
        settings: {},
        state: 'idle',
        problem: null,
        counts: { published: 0, draft: 0, failed: 0, gone: 0 },
        lastRunId: null,
        nextSyncAt: null,
      });
      assert.deepEqual((await call('GET', `/sources/${id}`)).body, items[0]);
    });

    it('are created, changed, counted, paged and deleted with their documents', async () => {
      const made = await call('POST', '/sources', {
        name: ' Hardware ',
        kind: 'articles',
        language: 'pt-BR',
      });
      assert.deepEqual([made.status, made.body.name, made.body.language], [201, 'Hardware', 'pt-BR']);
      const { id } = made.body;
      const changed = await call('PATCH', `/sources/${id}`, { name: 'Devices', language: null });
      assert.deepEqual([changed.body.name, changed.body.language], ['Devices', null]);
      await write({ sourceId: id });
      const published = await write({ sourceId: id, state: 'published' });
      const { counts } = (await call('GET', `/sources/${id}`)).body;
      assert.deepEqual(counts, { published: 1, draft: 1, failed: 0, gone: 0 });
      const first = (await call('GET', '/sources?limit=1')).body;
      const second = (await call('GET', `/sources?limit=1&nextToken=${first.nextToken}`)).body;
      assert.deepEqual([first.items[0].name, second.items[0].id], ['Articles', id]);
      assert.equal((await call('DELETE', `/sources/${id}`)).status, 200);
      assert.equal((await call('GET', `/sources/${id}`)).status, 404);
      assert.equal((await call('GET', `/documents/${published.id}`)).status, 404);
    });

    it('the last one of articles stays', async () => {
      const answer = await call('DELETE', `/sources/${await articlesOf(account)}`);
      assert.deepEqual(refused(answer), [409, 'CONFLICT', 'the last source of articles cannot be deleted']);
    });

    it('of two deletions at once, one leaves the last source', async () => {
      const who = await service.createAccount();
      const own = as(() => who);
      const other = (await own('POST', '/sources', { name: 'Other', kind: 'articles' })).body.id;
      const answers = await Promise.all([
        own('DELETE', `/sources/${other}`),
        own('DELETE', `/sources/${await articlesOf(who)}`),
      ]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    });

    it('400 names what is wrong', async () => {
      const bodies: [object, RegExp][] = [
        [{ kind: 'articles' }, /name is required/],
        [{ name: ' ', kind: 'articles' }, /name is required/],
        [{ name: 'x', kind: 'newspaper' }, /^kind must be/],
        [{ name: 'x', kind: 'articles', language: 'English' }, /^language /],
      ];
      for (const [body, message] of bodies) {
        const answer = await call('POST', '/sources', body);
        assert.equal(answer.status, 400);
        assert.match(answer.body.message, message);
      }
    });

    it('409 for one more than 200', async () => {
      const who = await service.createAccount();
      const own = as(() => who);
      for (let made = 1; made < 200; made++) {
        assert.equal((await own('POST', '/sources', { name: `S${made}`, kind: 'articles' })).status, 201);
      }
      const answer = await own('POST', '/sources', { name: 'More', kind: 'articles' });
      assert.deepEqual(refused(answer), [
        409,
        'CONFLICT',
        'an account can have at most 200 knowledge sources',
      ]);
    });
  });

  describe('documents', () => {
    it('201 a draft, which is read with its text', async () => {
      const { id, sourceId, updatedAt, updatedBy, ...rest } = await write({
        title: ' Returns ',
        text: '30 days 😀',
      });
      assert.deepEqual(rest, {
        title: 'Returns',
        url: null,
        language: 'en',
        state: 'draft',
        version: 1,
        publishedVersion: null,
        characters: 10,
        problem: null,
        audience: 'public',
        collectionId: null,
        translationOf: null,
      });
      const { body } = await call('GET', `/documents/${id}`);
      assert.deepEqual(body, { id, sourceId, updatedAt, updatedBy, ...rest, text: '30 days 😀' });
    });

    it('the language is that of the document, its source or the account', async () => {
      const source = (await call('POST', '/sources', { name: 'Pt', kind: 'articles', language: 'pt' })).body
        .id;
      assert.equal((await write({ sourceId: source })).language, 'pt');
      assert.equal((await write({ sourceId: source, language: 'es' })).language, 'es');
    });

    it('a new version stays a draft beside the published one until it is published', async () => {
      const { id } = await write({ state: 'published' });
      const put = await call('PUT', `/documents/${id}`, {
        title: 'Returns 2',
        text: 'Forty days',
        expectedVersion: 1,
      });
      const { title, state, version, publishedVersion, characters } = put.body;
      assert.deepEqual(
        [title, state, version, publishedVersion, characters],
        ['Returns', 'published', 2, 1, 19],
      );
      assert.equal((await call('GET', `/documents/${id}`)).body.text, '# Returns\n\n30 days.');
      const second = (await call('GET', `/documents/${id}?version=2`)).body;
      assert.deepEqual([second.title, second.text, second.characters], ['Returns 2', 'Forty days', 10]);
      const published = await call('PATCH', `/documents/${id}`, { state: 'published' });
      assert.deepEqual([published.body.title, published.body.publishedVersion], ['Returns 2', 2]);
      const third = await call('PUT', `/documents/${id}`, {
        title: 'R3',
        text: 'x',
        state: 'published',
        expectedVersion: 2,
      });
      assert.deepEqual([third.body.publishedVersion, third.body.title], [3, 'R3']);
      const draft = (await call('PATCH', `/documents/${id}`, { state: 'draft' })).body;
      assert.deepEqual([draft.state, draft.publishedVersion, draft.version], ['draft', null, 3]);
    });

    it('409 for another expectedVersion; of two at once one wins', async () => {
      const { id } = await write();
      const put = (text: string, expectedVersion = 1) =>
        call('PUT', `/documents/${id}`, { title: 'R', text, expectedVersion });
      assert.deepEqual(refused(await put('x', 2)), [409, 'CONFLICT', 'the document has version 1, not 2']);
      const answers = await Promise.all([put('one'), put('two')]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    });

    it('keeps the last 20 versions and the published one, in pages', async () => {
      const { id } = await write({ state: 'published' });
      for (let version = 1; version <= 24; version++) {
        const answer = await call('PUT', `/documents/${id}`, {
          title: `V${version}`,
          text: `t${version}`,
          expectedVersion: version,
        });
        assert.equal(answer.status, 200);
      }
      const found: Json[] = [];
      for (let token = ''; ; ) {
        const { body } = await call('GET', `/documents/${id}/versions?limit=8${token}`);
        found.push(...body.items);
        if (body.nextToken === null) break;
        token = `&nextToken=${body.nextToken}`;
      }
      assert.deepEqual(
        found.map(({ version }) => version),
        [...Array.from({ length: 20 }, (_, i) => 25 - i), 1],
      );
      assert.deepEqual(
        found.filter(({ isPublished }) => isPublished).map(({ version }) => version),
        [1],
      );
      assert.equal((await call('GET', `/documents/${id}?version=3`)).status, 404);
    });

    it('passages are exactly parts of the text, in pages', async () => {
      const text = Array.from({ length: 5 }, (_, i) => `# Part ${i}\n\nText 😀 ${i}.`).join('\n\n');
      const { id } = await write({ text });
      const first = (await call('GET', `/documents/${id}/passages?limit=3`)).body;
      const rest = (await call('GET', `/documents/${id}/passages?limit=3&nextToken=${first.nextToken}`)).body;
      const passages: Json[] = [...first.items, ...rest.items];
      assert.deepEqual([first.items.length, passages.length, rest.nextToken], [3, 5, null]);
      for (const [number, passage] of passages.entries()) {
        assert.deepEqual([passage.number, passage.version, passage.heading], [number, 1, `Part ${number}`]);
        assert.equal(passage.excerpt, text.slice(passage.start, passage.end));
      }
    });

    it('are listed newest first, by source, state and title', async () => {
      const who = await service.createAccount();
      const own = as(() => who);
      const sourceId = await articlesOf(who);
      const titles = async (query: string) =>
        (await own('GET', `/documents?${query}`)).body.items.map(({ title }: Json) => title);
      for (const [title, state] of [
        ['Returns', 'published'],
        ['Shipping', 'draft'],
        ['RETURN of 100%', 'draft'],
      ])
        await own('POST', '/documents', { sourceId, title, text: '', state });
      assert.deepEqual(await titles(''), ['RETURN of 100%', 'Shipping', 'Returns']);
      assert.deepEqual(await titles('state=published'), ['Returns']);
      assert.deepEqual(await titles('q=return'), ['RETURN of 100%', 'Returns']);
      assert.deepEqual(await titles('q=0%25'), ['RETURN of 100%']);
      assert.equal((await titles(`sourceId=${sourceId}`)).length, 3);
      for (const none of [absentId, 'x', await articlesOf(account)])
        assert.deepEqual(await titles(`sourceId=${none}`), []);
      const page = (await own('GET', '/documents?limit=2')).body;
      const next = (await own('GET', `/documents?limit=2&nextToken=${page.nextToken}`)).body;
      assert.deepEqual([next.items.length, next.nextToken], [1, null]);
    });

    it('400 for more than 200 images', async () => {
      const sourceId = await articlesOf(account);
      const images = (count: number) =>
        Array.from({ length: count }, (_, n) => `![${n}](file:${absentId.slice(0, -3)}${n + 100})`).join(
          '\n',
        );
      const post = (count: number) =>
        call('POST', '/documents', { sourceId, title: 'Images', text: images(count) });
      assert.equal((await post(200)).status, 201);
      assert.deepEqual(refused(await post(201)), [
        400,
        'VALIDATION_FAILED',
        'an article can have at most 200 images',
      ]);
    });

    it('404 when deleted, unknown or of another account; 400 for a source of another', async () => {
      const { id } = await write({ state: 'published' });
      const other = as(() => service.admin as unknown as Account);
      assert.equal((await other('GET', `/documents/${id}`)).status, 404);
      assert.equal((await other('DELETE', `/documents/${id}`)).status, 404);
      const sourceId = await articlesOf(account);
      const foreign = await other('POST', '/documents', { sourceId, title: 'x', text: 'x' });
      assert.deepEqual(refused(foreign), [
        400,
        'VALIDATION_FAILED',
        'sourceId is not a knowledge source of this account',
      ]);
      assert.equal((await call('DELETE', `/documents/${id}`)).status, 200);
      for (const path of ['', '/versions', '/passages'])
        assert.equal((await call('GET', `/documents/${id}${path}`)).status, 404);
      assert.equal((await call('PATCH', `/documents/${absentId}`, {})).status, 404);
    });

    it('413 beyond what the account may have; what is deleted is free again', async () => {
      const who = await service.createAccount();
      const own = as(() => who);
      const limits = { knowledgeDocuments: 2, knowledgeBytes: 100 };
      const path = `/admin/accounts/${who.accountId}`;
      assert.equal(
        (await service.call('PATCH', path, { token: service.admin.jwt, body: { limits } })).status,
        200,
      );
      const sourceId = await articlesOf(who);
      const post = (text: string) => own('POST', '/documents', { sourceId, title: 'T', text });
      const first = await post('é'.repeat(30));
      assert.equal(first.status, 201);
      assert.deepEqual(refused(await post('é'.repeat(21))), [
        413,
        'KNOWLEDGE_QUOTA',
        'the account can have at most 100 bytes of knowledge',
      ]);
      assert.equal((await post('é'.repeat(20))).status, 201);
      assert.deepEqual(refused(await post('')), [
        413,
        'KNOWLEDGE_QUOTA',
        'the account can have at most 2 knowledge documents',
      ]);
      const put = (text: string, expectedVersion: number) =>
        own('PUT', `/documents/${first.body.id}`, { title: 'T', text, expectedVersion });
      assert.equal((await put('é'.repeat(31), 1)).status, 413);
      assert.equal((await put('short', 1)).status, 200);
      assert.equal((await own('DELETE', `/documents/${first.body.id}`)).status, 200);
      const last = await post('é'.repeat(30));
      assert.equal(last.status, 201);
      const one = `/documents/${last.body.id}`;
      const publish = () => own('PATCH', one, { state: 'published' });
      const draft = (text: string, expectedVersion: number) =>
        own('PUT', one, { title: 'T', text, expectedVersion });
      assert.equal((await publish()).status, 200);
      assert.equal((await draft('', 1)).status, 200);
      assert.equal((await draft('x', 2)).status, 413, 'the published text counts beside the draft');
      assert.equal((await publish()).status, 200);
      assert.equal((await draft('é'.repeat(30), 2)).status, 200, 'no longer, once the draft is published');
    });

    it('takes 200,000 characters also if each is escaped', async () => {
      const sourceId = await articlesOf(account);
      const long = '\\u00e9'.repeat(200_000);
      const body = (more: string) => `{"title":"x","text":"${long}",${more}}`;
      const send = (method: string, path: string, raw: string) =>
        service.call(method, `/knowledge${path}`, {
          token: account.jwt,
          headers: { 'content-type': 'application/json' },
          body: raw,
        });
      const made = await send('POST', '/documents', body(`"sourceId":"${sourceId}"`));
      assert.deepEqual([made.status, made.body.characters], [201, 200_000]);
      const put = await send('PUT', `/documents/${made.body.id}`, body('"expectedVersion":1'));
      assert.deepEqual([put.status, put.body.version], [200, 2]);
    });

    it('keeps 200,000 characters, and no more', async () => {
      const text = 'word '.repeat(40_000);
      const { id } = await write({ text, state: 'published' });
      assert.equal((await call('GET', `/documents/${id}`)).body.text, text);
      const sourceId = await articlesOf(account);
      assert.equal(
        (await call('POST', '/documents', { sourceId, title: 'x', text: `${text}!` })).status,
        400,
      );
    });

    it('the audit log names who changed what', async () => {
      const { id } = await write();
      await call('PATCH', `/documents/${id}`, { audience: 'internal', language: 'pt' });
      await call('DELETE', `/documents/${id}`);
      const { items } = (
        await service.call('GET', '/audit-log?targetType=knowledge_document&limit=3', { token: account.jwt })
      ).body;
      assert.deepEqual(
        items.map(({ action }: Json) => action),
        ['deleted', 'updated', 'created'].map((name) => `knowledge_document.${name}`),
      );
      assert.deepEqual(items[1].changes, {
        audience: { from: 'public', to: 'internal' },
        language: { from: 'en', to: 'pt' },
      });
    });
  });
});
