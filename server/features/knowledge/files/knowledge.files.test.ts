import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { absentId } from '../../../../test/support/api-samples.ts';
import { docxOf, docxParagraph, pdfOf } from '../../../../test/support/documents.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { filesOf } from '../../../../test/support/files.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Job } from '../../../platform/jobs/jobs.ts';
import { attachFiles, pruneFiles, removeOldFiles } from '../../attachments/attachments.ts';
import { knowledgeFileHandler } from './knowledge.files.jobs.ts';

const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

describe('files as knowledge', () => {
  let service: TestService;
  let files: Awaited<ReturnType<typeof filesOf>>;
  let account: Awaited<ReturnType<TestService['createAccount']>>;
  let sourceId: string;
  before(async () => {
    service = await joinTestService({ worker: true });
    files = await filesOf(service);
    account = await service.createAccount();
    sourceId = (await call('POST', '/sources', { name: 'Files', kind: 'files' })).body.id;
  });
  after(() => service.close());

  const call = (method: string, path: string, body?: object) =>
    service.call(method, `/knowledge${path}`, { token: account.jwt, ...(body && { body }) });
  const announce = (file: object, source = sourceId) =>
    call('POST', `/sources/${source}/upload`, {
      fileName: 'a.txt',
      contentType: 'text/plain',
      size: 5,
      ...file,
    });
  const upload = async (
    contentType: string,
    content: Buffer | string,
    fileName = 'a file',
  ): Promise<string> => {
    const bytes = Buffer.from(content as string);
    const announced = await announce({ fileName, contentType, size: bytes.length });
    assert.equal(announced.status, 200, announced.text);
    const stored = await files.put(announced.body.uploadUrl, bytes, { 'content-type': contentType });
    assert.equal(stored.status, 200, stored.bytes.toString());
    return announced.body.fileKey;
  };
  const add = (fileKey: string, fileName = 'a file', source = sourceId) =>
    call('POST', `/sources/${source}/files`, { fileKey, fileName });
  const documentOf = async (
    contentType: string,
    content: Buffer | string,
    fileName = 'a file',
  ): Promise<Json> => {
    const answer = await add(await upload(contentType, content, fileName), fileName);
    assert.equal(answer.status, 202, answer.text);
    return answer.body;
  };
  const read = async (id: string): Promise<Json> => {
    await eventually(async () => (await call('GET', `/documents/${id}`)).body.state !== 'draft', 30_000);
    return (await call('GET', `/documents/${id}`)).body;
  };
  const refused = ({ status, body }: { status: number; body: Json }) => [status, body.code, body.message];
  const used = async (): Promise<number> =>
    (await service.call('GET', '/account', { token: account.jwt })).body.usage.storageBytes;

  it('202 a draft without text, which is published once it is read', async () => {
    const pdf = pdfOf(
      [
        [
          { text: 'Returns', size: 20 },
          { text: 'Within 30 days.', gap: 40 },
        ],
      ],
      { title: 'Policy', language: 'pt-BR' },
    );
    const { id, updatedAt, updatedBy, ...rest } = await documentOf(
      'application/pdf',
      pdf,
      'policy.final.pdf',
    );
    assert.deepEqual(rest, {
      sourceId,
      title: 'policy.final',
      url: null,
      language: 'en',
      state: 'draft',
      version: 0,
      publishedVersion: null,
      characters: 0,
      problem: null,
      audience: 'public',
      collectionId: null,
      translationOf: null,
    });
    const { text, title, state, version, publishedVersion, language, characters } = await read(id);
    assert.equal(text, '## Returns\n\nWithin 30 days.');
    assert.deepEqual([title, state, version, publishedVersion], ['Policy', 'published', 1, 1]);
    assert.deepEqual([language, characters], ['pt-BR', text.length]);
    const found = await call('POST', '/search', { q: 'returns' });
    assert.deepEqual(
      found.body.passages.map((one: Json) => one.documentId),
      [id],
    );
    assert.equal((await call('GET', `/sources/${sourceId}`)).body.counts.published, 1);
  });

  it('reads each type, by the ending too where the type is plain text', async () => {
    const rows = 'question,answer\nOpen?,Yes\n';
    const texts: [string, string, string | Buffer, string][] = [
      ['text/html', 'a.html', '<h2>A</h2><p>b</p>', '## A\n\nb'],
      ['text/markdown; charset=utf-8', 'a.md', '# A\n\nb', '# A\n\nb'],
      ['text/plain', 'a.md', '# A', '# A'],
      ['text/plain', 'a.txt', Buffer.from('\ufeffGr\u00fc\u00dfe', 'utf16le'), 'Gr\u00fc\u00dfe'],
      ['text/csv', 'a.csv', rows, '## Open?\n\nYes'],
      ['text/plain', 'a.CSV', rows, '## Open?\n\nYes'],
      [word, 'a.docx', docxOf(docxParagraph('A', 'H1')), '# A'],
    ];
    for (const [type, name, content, text] of texts) {
      const { id } = await documentOf(type, content, name);
      assert.equal((await read(id)).text, text, `${type} ${name}`);
    }
  });

  it('failed, with the reason: a file without text, with a password, or of another type', async () => {
    const problems: [string, string | Buffer, RegExp][] = [
      ['application/pdf', pdfOf([[]]), /^no text in it: it is probably a scan$/],
      [word, Buffer.from('d0cf11e0a1b11ae1', 'hex'), /^protected by a password$/],
      ['application/pdf', 'not a PDF', /^it cannot be read as a PDF/],
    ];
    for (const [type, content, problem] of problems) {
      const { id } = await documentOf(type, content);
      const failed = await read(id);
      assert.deepEqual([failed.state, failed.version, failed.text], ['failed', 0, '']);
      assert.match(failed.problem, problem);
      assert.deepEqual((await call('GET', `/documents/${id}/passages`)).body.items, []);
      const published = await call('PATCH', `/documents/${id}`, { state: 'published' });
      assert.deepEqual(refused(published), [
        409,
        'CONFLICT',
        'the document has no text that could be published',
      ]);
      assert.equal(
        (await call('PATCH', `/documents/${id}`, { audience: 'internal', state: 'draft' })).body.state,
        'failed',
      );
    }
  });

  it('PATCH works as for articles; PUT is a 400', async () => {
    const { id } = await documentOf('text/plain', 'text');
    await read(id);
    const draft = await call('PATCH', `/documents/${id}`, { state: 'draft', audience: 'internal' });
    assert.deepEqual([draft.body.state, draft.body.audience], ['draft', 'internal']);
    assert.equal((await call('PATCH', `/documents/${id}`, { state: 'published' })).body.publishedVersion, 1);
    const put = await call('PUT', `/documents/${id}`, { title: 'x', text: 'x', expectedVersion: 1 });
    assert.equal(put.status, 400);
    assert.match(put.body.message, /only the text of an article can be written/);
    assert.equal(
      (await call('PUT', `/documents/${id}`, { title: 'x', text: 'x', expectedVersion: 9 })).status,
      400,
    );
  });

  it('the language of the source counts more than that of the file', async () => {
    const source = (await call('POST', '/sources', { name: 'Es', kind: 'files', language: 'es' })).body.id;
    const fileKey = await upload('text/html', '<html lang="de"><p>Hallo</html>');
    const { id } = (await add(fileKey, 'a.html', source)).body;
    assert.equal((await read(id)).language, 'es');
  });

  it('400 for another type, parameters or size; 404 for another source; 400 for one of articles', async () => {
    const wrong: [object, RegExp][] = [
      [{ contentType: 'image/png' }, /^contentType must be one of application\/pdf/],
      [{ contentType: 'application/msword' }, /^contentType must be one of/],
      [{ contentType: 'text/plain; charset=latin1' }, /^contentType may have no parameters/],
      [{ size: 25 * 1024 * 1024 + 1 }, /^size must be at most 25 MB$/],
      [{ size: 0 }, /^size /],
      [{ fileName: '' }, /^fileName /],
    ];
    for (const [file, message] of wrong) {
      const answer = await announce(file);
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.body.message, message);
    }
    const articles = (await call('GET', '/sources')).body.items[0].id;
    for (const answer of [await announce({}, articles), await add(absentId, 'a', articles)])
      assert.deepEqual(refused(answer), [400, 'VALIDATION_FAILED', 'the source is not of the kind files']);
    for (const id of [absentId, 'x'])
      assert.deepEqual([(await announce({}, id)).status, (await add(absentId, 'a', id)).status], [404, 404]);
    const article = await call('POST', '/documents', { sourceId, title: 'x', text: 'x' });
    assert.deepEqual(refused(article), [400, 'VALIDATION_FAILED', 'sourceId is not a source of articles']);
  });

  it('400 for a key that is not of a file for knowledge, 409 for one that has a document', async () => {
    const unknown = 'fileKey does not belong to a file that was uploaded for knowledge';
    const pending = (await announce({})).body.fileKey;
    const { fileKey: ofMessages } = await files.upload('text/plain', Buffer.from('Hello'), 'a', {
      token: account.jwt,
    });
    for (const key of [absentId, 'x', pending, ofMessages])
      assert.deepEqual(refused(await add(key)), [400, 'VALIDATION_FAILED', unknown]);
    const fileKey = await upload('text/plain', 'text');
    assert.deepEqual(refused(await add(fileKey, ' ')), [400, 'VALIDATION_FAILED', 'fileName is required']);
    const answers = await Promise.all([add(fileKey), add(fileKey)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409]);
    assert.deepEqual(refused(await add(fileKey)), [
      409,
      'CONFLICT',
      'the file belongs to a document already',
    ]);
    const foreign = await service.call('POST', '/messages/upload', {
      body: { fileName: 'a', contentType: 'text/html', size: 1 },
    });
    assert.equal(foreign.status, 400, 'a type for knowledge only');
  });

  it('the file counts as storage, is never served, and goes with its document and its source', async () => {
    const source = (await call('POST', '/sources', { name: 'More', kind: 'files' })).body.id;
    await pruneFiles(service.context);
    const before = await used();
    const keys = [await upload('text/plain', 'a'.repeat(100)), await upload('text/plain', 'b'.repeat(100))];
    assert.equal(await used(), before + 200);
    const ids = [];
    for (const key of keys) ids.push((await add(key, 'a', source)).body.id);
    const administrator = { actorId: 'any', visible: null };
    for (const fileKey of keys) {
      assert.equal(
        (await service.call('GET', `/attachments/${fileKey}`, { token: account.jwt })).status,
        404,
      );
      const ref = { fileKey, fileName: 'a', contentType: 'text/plain', size: 100 };
      const attach = service.context.db.transaction((tx) =>
        attachFiles(tx, account.accountId, [ref], Date.now(), administrator),
      );
      await assert.rejects(attach, /does not belong to an uploaded file/);
    }
    assert.equal((await call('DELETE', `/documents/${ids[0]}`)).status, 200);
    await eventually(async () => (await used()) === before + 100);
    assert.equal((await call('DELETE', `/sources/${source}`)).status, 200);
    await eventually(async () => (await used()) === before);
  });

  it('the retention of messages leaves its file alone', async () => {
    const fileKey = await upload('text/plain', 'text');
    await add(fileKey);
    const before = 'ffffffff-ffff-7fff-8fff-ffffffffffff';
    const { db } = service.context;
    const { accountId } = account;
    await db.transaction((tx) =>
      removeOldFiles(tx, accountId, { after: null, before, limit: 1_000, now: Date.now() }),
    );
    const [row] = await db.query<{ state: string }>(
      sql`select state from attachments where account_id = ${accountId} and file_key = ${fileKey}`,
    );
    assert.equal(row!.state, 'stored');
  });

  it('413 beyond the documents that the account may have; failed beyond its text', async () => {
    const who = await service.createAccount();
    const own = (method: string, path: string, body?: object) =>
      service.call(method, `/knowledge${path}`, { token: who.jwt, ...(body && { body }) });
    await service.call('PATCH', `/admin/accounts/${who.accountId}`, {
      token: service.admin.jwt,
      body: { limits: { knowledgeDocuments: 1, knowledgeBytes: 3 } },
    });
    const source = (await own('POST', '/sources', { name: 'F', kind: 'files' })).body.id;
    const uploaded = async () => {
      const { body } = await own('POST', `/sources/${source}/upload`, {
        fileName: 'a',
        contentType: 'text/plain',
        size: 4,
      });
      await files.put(body.uploadUrl, Buffer.from('text'), { 'content-type': 'text/plain' });
      return own('POST', `/sources/${source}/files`, { fileKey: body.fileKey, fileName: 'a' });
    };
    const first = await uploaded();
    assert.equal(first.status, 202);
    const problem = 'the account can have at most 3 bytes of knowledge';
    await eventually(
      async () => (await own('GET', `/documents/${first.body.id}`)).body.problem === problem,
      30_000,
    );
    assert.deepEqual(refused(await uploaded()), [
      413,
      'KNOWLEDGE_QUOTA',
      'the account can have at most 1 knowledge documents',
    ]);
  });

  describe('the job of a file', () => {
    const jobOf = (documentId: string, attempt: number): Job =>
      ({
        accountId: account.accountId,
        payload: { documentId },
        attempt,
        signal: new AbortController().signal,
        complete: async () => {},
      }) as unknown as Job;
    /** As a file that waits to be read, without a job that does so. */
    const waiting = async (): Promise<string> => {
      const { db } = service.context;
      const fileKey = await upload('text/plain', 'text');
      const { body } = await add(fileKey);
      await read(body.id);
      await db.transaction(async (tx) => {
        await tx.query(sql`delete from knowledge_passages where document_id = ${body.id}`);
        await tx.query(sql`update knowledge_documents set state = 'draft', version = 0, published_version = null
          where id = ${body.id}`);
        await tx.query(sql`delete from knowledge_versions where document_id = ${body.id}`);
      });
      return body.id;
    };
    const stateOf = async (id: string) => (await call('GET', `/documents/${id}`)).body;

    it('is repeated after an error that is not of the file, and changes nothing before', async () => {
      const id = await waiting();
      const broken = { extract: () => Promise.reject(new Error('no thread')), stop: async () => {} };
      const failing = knowledgeFileHandler({ ...service.context, extraction: broken });
      await assert.rejects(failing(jobOf(id, 1)), /no thread/);
      assert.equal((await stateOf(id)).state, 'draft');
      await knowledgeFileHandler(service.context)(jobOf(id, 2));
      assert.deepEqual([(await stateOf(id)).state, (await stateOf(id)).text], ['published', 'text']);
      await knowledgeFileHandler(service.context)(jobOf(id, 3));
      assert.equal((await stateOf(id)).version, 1, 'a job that runs again finds its work done');
    });

    it('gives up after ten attempts: the document says so', async () => {
      const id = await waiting();
      await knowledgeFileHandler(service.context)(jobOf(id, 11));
      assert.deepEqual(
        [(await stateOf(id)).state, (await stateOf(id)).problem],
        ['failed', 'it could not be read: upload it again'],
      );
    });

    it('ends without a document', async () => {
      await knowledgeFileHandler(service.context)(jobOf(absentId, 1));
    });
  });
});
