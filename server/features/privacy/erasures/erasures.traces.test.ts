/** The parts of an erasure that look through other people's data, each by itself. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { limits } from '../../../../contract/limits.ts';
import { conversationsOf, unique } from '../../../../test/support/conversations.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { filesOf } from '../../../../test/support/files.ts';
import { keptImportsOf } from '../../../../test/support/kept-imports.ts';
import { startTestService, type TestService } from '../../../../test/support/service.ts';
import type { BlobStore } from '../../../platform/blobs/blob-store.ts';
import { noteBackup, selectBackups } from '../../../platform/db/backups.ts';
import { sql } from '../../../platform/db/sql.ts';
import { newId } from '../../../platform/ids.ts';
import { markErased } from '../../attachments/attachments.ts';
import { requireContact } from '../../contacts/contacts.ts';
import { eraseImportsOf } from '../../imports/imports.ts';
import { exportPerson } from './erasures.export.ts';
import { deleteJobs, selectBodies } from './erasures.person.sql.ts';

describe('the parts of an erasure', () => {
  let service: TestService;
  let accountId: string;
  before(async () => {
    service = await startTestService();
    ({ accountId } = service.admin);
  });
  after(() => service.close());

  it('reads bodies in batches of so many bytes, a larger one alone', async () => {
    const { db } = service.context;
    const ids = [newId(), newId(), newId(), newId()].sort();
    const bodies = ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(500), 'd'];
    await db.transaction((tx) =>
      tx.query(sql`
        insert into connector_inbound (account_id, channel_id, id, body, received_at, failed_at)
        select ${accountId}::uuid, ${newId()}::uuid, b.id, b.body, 1, 1
        from unnest(${ids}::uuid[], ${bodies}::text[]) as b (id, body)`),
    );
    const batches: string[] = [];
    for (let last: string | null = null; ; ) {
      const rows = await selectBodies(db, 'connector_inbound', accountId, last, 100, 100);
      if (rows.length === 0) break;
      batches.push(rows.map(({ body }) => body[0]).join(''));
      last = rows.at(-1)!.id;
    }
    assert.deepEqual(batches, ['ab', 'c', 'd']);
  });

  it('removes jobs of a conversation, not those that use its id as another word', async () => {
    const { db } = service.context;
    const payloads = [{ sessionId: 'user' }, { all: [{ sessionIds: ['x', 'user'] }] }, { role: 'user' }];
    const left = await db.transaction(async (tx) => {
      await tx.query(sql`
        insert into jobs (account_id, id, kind, payload, run_at, created_at, max_attempts)
        select ${accountId}::uuid, gen_random_uuid(), 'planted', p::jsonb, now() + interval '1 day', now(), 1
        from unnest(${payloads.map((one) => JSON.stringify(one))}::text[]) p`);
      assert.equal(await deleteJobs(tx, accountId, { sessionIds: ['user'], recordIds: [] }), 2);
      return tx.query(sql`delete from jobs where kind = 'planted' returning payload`);
    });
    assert.deepEqual(left, [{ payload: { role: 'user' } }]);
  });

  it('leaves a file that a message attaches at that moment', async () => {
    const { db } = service.context;
    const talk = conversationsOf(service);
    const sessionId = unique('s');
    await talk.accepted({ sessionId });
    const fileKey = newId();
    await db.transaction((tx) =>
      tx.query(sql`
        insert into attachments (account_id, file_key, file_name, content_type, size, state, created_at, used_at)
        values (${accountId}, ${fileKey}, 'a', 'text/plain', 1, 'stored', 1, 1)`),
    );
    let erasing: Promise<number> | undefined;
    await db.transaction(async (tx) => {
      // As a message does: it takes the file, then it is stored.
      await tx.query(sql`update attachments set used_at = 2 where file_key = ${fileKey}`);
      const [self] = await tx.query<{ pid: number }>(sql`select pg_backend_pid() as pid`);
      erasing = db.transaction((other) => markErased(other, accountId, [fileKey]));
      await eventually(async () => {
        const [row] = await tx.query<{ waits: boolean }>(sql`
          select exists (select from pg_stat_activity where ${self!.pid} = any(pg_blocking_pids(pid))) as waits`);
        return row!.waits;
      });
      await tx.query(sql`
        update messages set attachments = ${JSON.stringify([{ fileKey }])}::jsonb
        where account_id = ${accountId} and session_id = ${sessionId}`);
    });
    assert.equal(await erasing, 0);
    const [file] = await db.query(sql`select state from attachments where file_key = ${fileKey}`);
    assert.deepEqual(file, { state: 'stored' });
  });

  it('removes an import that names the person or cannot be read to its end, and no other one', async () => {
    const imports = keptImportsOf(service);
    const { id: kanbanId } = await imports.createBoard();
    const [named, broken, other] = [
      await imports.uploaded('title,Company\nAda,x\n', { kanbanId }),
      await imports.uploaded('title,Company\nCy,x\n', { kanbanId }),
      await imports.uploaded('title,Company\nBo,42\n', { kanbanId }),
    ];
    const { blobs } = service.context;
    const unreadable = Buffer.from('Bo,"y"z\n'.repeat(limits.csvBrokenRows + 1));
    const deps = {
      ...service.context,
      blobs: {
        open: async (key: string) =>
          key.endsWith(broken.id) ? Readable.from([unreadable]) : await blobs.open(key),
        delete: (key: string) => blobs.delete(key),
      } as BlobStore,
    };
    assert.equal(await eraseImportsOf(deps, accountId, [], (cell) => cell === 'Ada'), 2);
    const states = await Promise.all([named, broken, other].map(({ id }) => imports.get(id)));
    assert.deepEqual(
      states.map(({ state }) => state),
      [undefined, undefined, other.state],
    );
  });

  it('names all backups', async () => {
    const { db } = service.context;
    await db.transaction(async (tx) => {
      for (let n = 0; n <= 100; n++) await noteBackup(tx, `${n}.backup.gz`, n);
    });
    assert.equal((await selectBackups(db)).length, 101);
  });

  it('exports conversations without a contact, scheduled messages, originals and transcripts', async () => {
    const { db, blobs } = service.context;
    const talk = conversationsOf(service);
    const files = await filesOf(service);
    const [one, two] = [unique('s'), unique('s')];
    const externalUserId = '5511955550001';
    for (const sessionId of [one, two]) await talk.accepted({ sessionId, externalUserId });
    const { contactId } = await talk.session(one);
    const { fileKey } = await files.upload('text/plain', Buffer.from('the original'), 'mail.txt');
    await db.transaction(async (tx) => {
      await tx.query(sql`
        update sessions set contact_id = null where account_id = ${accountId} and session_id = ${two}`);
      await tx.query(sql`
        insert into mail_messages (account_id, message_id, channel_id, session_id, is_incoming, headers, original_key,
          created_at)
        values (${accountId}, ${newId()}, ${newId()}, ${two}, true, '{}', ${fileKey}, 1)`);
      await tx.query(sql`
        insert into scheduled_messages (account_id, id, session_id, send_at, content, pause_ai, cancel_on_reply,
          author_id, author_name, created_at, updated_at)
        values (${accountId}, ${newId()}, ${two}, 9000000000000, 'See you', false, false, 'x', 'Ana', 1, 1)`);
      await tx.query(sql`
        update attachments set transcript = '{"text":"what was spoken"}' where file_key = ${fileKey}`);
    });
    const contact = await requireContact(db, { accountId } as never, null, contactId);
    const parts: Buffer[] = [];
    for await (const part of exportPerson({ db, blobs }, accountId, contact, 1, null)) parts.push(part);
    const archive = Buffer.concat(parts).toString();
    for (const text of [one, two, 'See you', 'the original', 'what was spoken']) {
      assert.ok(archive.includes(text), text);
    }
  });
});
