/** Who gets the address of a file: readers of a message that contains it, and before that its uploader. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { conversationsOf, unique } from '../../../test/support/conversations.ts';
import { filesOf } from '../../../test/support/files.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { newId } from '../../platform/ids.ts';
import { findReadableFile } from './attachments.access.sql.ts';

const text = Buffer.from('Hello');

describe('access to attachments', () => {
  let service: TestService;
  let files: Awaited<ReturnType<typeof filesOf>>;
  let talk: ReturnType<typeof conversationsOf>;
  let insider: Json;
  let outsider: Json;
  let closed: Json;
  before(async () => {
    service = await joinTestService();
    files = await filesOf(service);
    talk = conversationsOf(service);
    insider = await service.createUser('operator');
    outsider = await service.createUser('operator');
    closed = await talk.kanban();
    await service.call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds: [insider.id] } });
  });
  after(() => service.close());

  const upload = (token = service.token) => files.upload('text/plain', text, 'f', { token });
  const status = async (fileKey: string, token: string) =>
    (await service.call('GET', `/attachments/${fileKey}`, { token })).status;
  const sendTo = async (kanbanId: string | undefined, attachments: object[], token = service.token) => {
    const answer = await talk.send({ sessionId: unique('talk'), kanbanId, attachments }, { token });
    assert.equal(answer.status, 202, answer.text);
    return answer.body.sessionId as string;
  };

  it('404 for an operator when only conversations on closed boards name the file; others get it', async () => {
    const file = await upload();
    await sendTo(closed.id, [file]);
    assert.equal(await status(file.fileKey, outsider.jwt), 404);
    for (const token of [insider.jwt, service.admin.jwt, service.token]) {
      assert.equal(await status(file.fileKey, token), 200);
    }
    const reader = await service.createToken(service.admin.jwt, { scopes: ['messages:read'] });
    assert.equal(await status(file.fileKey, reader.token), 200, 'a token reads all of its account');
    const stranger = await service.createAccount();
    assert.equal(await status(file.fileKey, stranger.token), 404);
  });

  it('a message on an open board opens the file, and moving its conversation to a closed board closes it', async () => {
    const file = await upload();
    await sendTo(closed.id, [file]);
    const sessionId = await sendTo(undefined, [file]);
    assert.equal(await status(file.fileKey, outsider.jwt), 200);
    const moved = await service.call('POST', `/sessions/${sessionId}/transfer`, {
      body: { kanbanId: closed.id },
    });
    assert.equal(moved.status, 200, moved.text);
    assert.equal(await status(file.fileKey, outsider.jwt), 404);
  });

  it('before a message names it, a file is there for its uploader alone', async () => {
    for (const uploader of [insider.jwt, service.admin.jwt, service.token]) {
      const file = await upload(uploader);
      for (const token of [insider.jwt, outsider.jwt, service.admin.jwt, service.token]) {
        assert.equal(await status(file.fileKey, token), token === uploader ? 200 : 404);
      }
    }
  });

  it('after a message names it, being its uploader is not enough', async () => {
    const file = await upload(outsider.jwt);
    await sendTo(closed.id, [file]);
    assert.equal(await status(file.fileKey, outsider.jwt), 404);
  });

  it('400 a message that names a file which its sender cannot read, as if it were not uploaded', async () => {
    const hidden = await upload();
    await sendTo(closed.id, [hidden]);
    const unsent = await upload(insider.jwt);
    const open = await talk.accepted({ sessionId: unique('open') });
    const { channelId } = await talk.session(open.sessionId);
    const replies = `/channels/${channelId}/sessions/${open.sessionId}/agent-messages`;
    const writer = await service.createToken(service.admin.jwt, { scopes: ['messages:write'] });
    for (const file of [hidden, unsent]) {
      for (const token of [outsider.jwt, writer.token]) {
        const reply = await service.call('POST', replies, { token, body: { attachments: [file] } });
        const message = await talk.send({ content: '', attachments: [file] }, { token });
        for (const answer of [reply, message]) {
          assert.equal(answer.status, 400, answer.text);
          assert.equal(answer.body.message, 'attachments[0].fileKey does not belong to an uploaded file');
        }
      }
    }
    assert.equal(await status(hidden.fileKey, outsider.jwt), 404, 'the attempts opened nothing');
    const own = await upload(outsider.jwt);
    for (let times = 0; times < 2; times++) {
      const reply = await service.call('POST', replies, {
        token: outsider.jwt,
        body: { attachments: [own] },
      });
      assert.equal(reply.status, 201, reply.text);
    }
    assert.equal(await status(own.fileKey, outsider.jwt), 200);
  });

  it('one uploaded file can be sent in many messages at once', async () => {
    const file = await upload(outsider.jwt);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        talk.send({ sessionId: unique('at-once'), attachments: [file] }, { token: outsider.jwt }),
      ),
    );
    assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([202]));
  });

  it('converted audio is readable with the message whose audio was converted', async () => {
    const { accountId } = service.admin;
    const file = await upload();
    const sessionId = await sendTo(closed.id, [file]);
    const converted = newId();
    await service.context.db.transaction(async (tx) => {
      await tx.query(sql`
        insert into attachments (account_id, file_key, file_name, content_type, size, state, created_at, used_at,
          derived_from)
        values (${accountId}, ${converted}, 'f.ogg', 'audio/ogg', 5, 'stored', 1, 1, ${file.fileKey})`);
      await tx.query(sql`
        update messages set attachments = jsonb_set(attachments, '{0,converted}',
          jsonb_build_object('fileKey', ${converted}::text)) where session_id = ${sessionId}`);
    });
    assert.equal(await status(converted, insider.jwt), 200);
    assert.equal(await status(converted, outsider.jwt), 404);
  });

  it('uploads of an older release can still be sent after an upgrade', async () => {
    const file = await upload(insider.jwt);
    await service.context.db.transaction((tx) =>
      tx.query(sql`update attachments set uploaded_by = null where file_key = ${file.fileKey}`),
    );
    assert.equal(await status(file.fileKey, outsider.jwt), 200);
    await sendTo(undefined, [file], outsider.jwt);
  });

  it('the check is one query, which finds the message by an index among 20,000', async () => {
    const { db } = service.context;
    const { accountId } = service.admin;
    const file = await upload();
    const sessionId = await sendTo(closed.id, [file]);
    for (let from = 1_000; from < 21_000; from += 2_000) {
      await db.transaction((tx) =>
        tx.query(sql`
          insert into messages (account_id, session_id, position, id, role, content, created_at, updated_at,
            attachments)
          select ${accountId}, ${sessionId}, ${from}::int + n, gen_random_uuid(), 'user', '', 1, 1,
            case when n % 5 = 0 then jsonb_build_array(jsonb_build_object('fileKey', gen_random_uuid()))
              else '[]' end
          from generate_series(1, 2000) n`),
      );
    }
    await db.transaction((tx) => tx.query(sql`analyze messages`));
    const queries: Parameters<typeof db.query>[0][] = [];
    const recording = {
      query: (query: (typeof queries)[0]) => {
        queries.push(query);
        return db.query(query);
      },
    } as typeof db;
    const reader = { actorId: outsider.id, visible: [closed.id] };
    assert.ok(await findReadableFile(recording, accountId, file.fileKey, reader));
    assert.equal(queries.length, 1);
    const plan = await db.query<Json>(sql`explain (analyze, format json) ${queries[0]!}`);
    const shown = JSON.stringify(plan);
    assert.match(shown, /messages_files/);
    assert.ok(plan[0]['QUERY PLAN'][0]['Execution Time'] < 50, shown);
  });
});
