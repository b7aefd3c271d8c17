/** kill -9 while a person is erased, and while an account is deleted: the work goes on after the restart and ends. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createToken, eventually, isFull, openWorkshop, type Program, type Workshop } from './support.ts';

const kills = isFull ? 10 : 1;
const messages = isFull ? 20_000 : 2_000;

describe('kill -9', () => {
  let workshop: Workshop;
  let program: Program;
  let token: string;
  before(async () => {
    workshop = openWorkshop();
    program = await workshop.start();
    token = await createToken(program);
  });
  after(() => workshop.close());

  const call = async (method: string, path: string, body?: object) => {
    const reply = await program.call(method, path, body, { authorization: `Bearer ${token}` });
    assert.ok(reply.status < 300, JSON.stringify(reply.body));
    return reply.body;
  };
  const count = async (table: string, where: string) => {
    const [row] = await workshop.query<{ count: number }>(
      `select count(*)::int as count from ${table} where ${where}`,
    );
    return row!.count;
  };
  /** More messages than the API would take in a moment. */
  const fill = (sessionId: string) =>
    workshop.query(
      `insert into messages (account_id, session_id, position, id, role, content, created_at, updated_at)
       select s.account_id, s.session_id, 10 + n, gen_random_uuid(), 'user', 'message ' || n, 1, 1
       from sessions s, generate_series(1, $1::int) n where s.session_id = $2`,
      [messages, sessionId],
    );
  /** Each when a random share of what was left is gone. */
  const killWhile = async (left: () => Promise<number>) => {
    for (let kill = 0; kill < kills; kill++) {
      const until = Math.floor((await left()) * (0.5 + workshop.random() / 2));
      await eventually('some are gone', async () => (await left()) <= until, 60_000);
      await program.kill();
      program = await workshop.start();
    }
  };

  it('while a person is erased: nothing of the person is left, and nothing of others is missing', async () => {
    for (const sessionId of ['erased', 'kept']) {
      const externalUserId = sessionId === 'erased' ? '+5511977771111' : '+5511977772222';
      await call('POST', '/messages', {
        fromChannelIdentifier: 'api',
        sessionId,
        externalUserId,
        content: 'Hello',
      });
      await fill(sessionId);
    }
    const { contactId } = await call('GET', '/sessions/erased');
    const { erasureId } = await call('DELETE', `/contacts/${contactId}`);
    await killWhile(() => count('messages', "session_id = 'erased'"));
    await eventually(
      'the erasure is done',
      async () => (await call('GET', `/erasures/${erasureId}`)).state === 'done',
      120_000,
    );
    const { removed } = await call('GET', `/erasures/${erasureId}`);
    assert.ok(removed.messages > messages, JSON.stringify(removed));
    assert.equal(await count('messages', "session_id = 'erased'"), 0);
    assert.equal(await count('sessions', "session_id = 'erased'"), 0);
    assert.equal(await count('contacts', `id = '${contactId}'`), 0);
    assert.ok((await count('messages', "session_id = 'kept'")) > messages);
  });

  it('while an account is deleted: no row of it is left', async () => {
    const [account] = await workshop.query<{ id: string }>(
      `insert into accounts (id, name, crm_per_minute, crm_per_hour, messages_per_minute, created_at, suspended_at, deleting_at)
       values (gen_random_uuid(), 'Branch', 1, 1, 1, 1, 1, 1) returning id`,
    );
    const id = account!.id;
    await workshop.query(
      `insert into events (account_id, id, event, subject_id, sequence, created_at, body)
       select $1, gen_random_uuid(), 'note_created', 'x', n, 1, repeat('x', 500) from generate_series(1, $2::int) n`,
      [id, messages * 2],
    );
    await workshop.query(
      `insert into jobs (account_id, id, kind, payload, dedupe_key, max_attempts)
       values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'account_deletion',
         jsonb_build_object('accountId', $1::text), $1::text, 2147483647)`,
      [id],
    );
    await killWhile(() => count('events', `account_id = '${id}'`));
    await eventually(
      'the account is gone',
      async () => (await count('jobs', "kind = 'account_deletion'")) === 0,
      120_000,
    );
    assert.equal(await count('accounts', `id = '${id}'`), 0);
    assert.equal(await count('events', `account_id = '${id}'`), 0);
    await call('GET', '/account');
  });
});
