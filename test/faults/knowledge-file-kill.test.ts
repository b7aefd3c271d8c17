/** kill -9 while uploaded files are read: each becomes one published version, and none is lost. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pdfOf } from '../support/documents.ts';
import { send } from '../support/files.ts';
import { type Json, password } from '../support/service.ts';
import { eventually, isFull, openWorkshop, type Program, type Workshop } from './support.ts';

const kills = isFull ? 20 : 1;
const files = isFull ? 200 : 8;
const contentType = 'application/pdf';

describe('kill -9 while files are read as knowledge', () => {
  let workshop: Workshop;
  let auth: Record<string, string>;
  before(() => {
    workshop = openWorkshop();
  });
  after(() => workshop.close());

  const call = async (program: Program, method: string, path: string, body?: object): Promise<Json> => {
    const reply = await program.call(method, `/knowledge${path}`, body, auth);
    assert.ok(reply.status < 300, JSON.stringify(reply.body));
    return reply.body;
  };
  const count = async (condition: string): Promise<number> => {
    const [row] = await workshop.query<{ count: number }>(
      `select count(*)::int as count from knowledge_documents d where ${condition}`,
    );
    return row!.count;
  };

  it('loses no file and publishes none twice', async () => {
    let program = await workshop.start();
    const login = await program.call('POST', '/auth/login', { email: 'admin@example.com', password });
    auth = { authorization: `Bearer ${login.body.token}` };
    const source = (await call(program, 'POST', '/sources', { name: 'Files', kind: 'files' })).id;
    const page = Array.from({ length: 50 }, (_, line) => ({
      text: `Line ${line} of a page that takes a while.`,
    }));
    const bytes = pdfOf(Array(isFull ? 100 : 40).fill(page));
    for (let number = 0; number < files; number++) {
      const fileName = `${number}.pdf`;
      const request = { fileName, contentType, size: bytes.length };
      const { uploadUrl, fileKey } = await call(program, 'POST', `/sources/${source}/upload`, request);
      const stored = await send(uploadUrl, {
        method: 'PUT',
        headers: { 'content-type': contentType },
        body: bytes,
      });
      assert.equal(stored.status, 200);
      await call(program, 'POST', `/sources/${source}/files`, { fileKey, fileName });
    }
    for (let kill = 1; kill <= kills; kill++) {
      const done = Math.min(Math.floor((files * kill) / (kills + 1)), files - 2);
      await eventually('some are read', async () => (await count("state <> 'draft'")) >= done, 60_000);
      await program.kill();
      assert.ok((await count("state = 'draft'")) > 0, 'the kill came before the last one was read');
      program = await workshop.start();
    }
    await eventually('all are read', async () => (await count("state = 'draft'")) === 0, 120_000);
    assert.equal(
      await count(`state = 'published' and version = 1 and published_version = 1 and exists (
      select from knowledge_passages p where p.document_id = d.id)`),
      files,
    );
    const [rows] = await workshop.query<{ versions: number; documents: number }>(
      'select (select count(*) from knowledge_versions)::int as versions, documents from knowledge_state',
    );
    assert.deepEqual(rows, { versions: files, documents: files });
    const jobs = () => workshop.query("select from jobs where kind = 'knowledge-file'");
    await eventually('no job is left', async () => (await jobs()).length === 0, 30_000);
  });
});
