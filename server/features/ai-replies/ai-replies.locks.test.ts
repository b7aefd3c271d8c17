/**
 * One lock order for everything that writes to a conversation: the conversation, then the definitions, then records.
 * With two orders a change of definitions causes a deadlock: the tool holds the conversation and waits for the
 * change, the change waits for a transfer that holds the definitions, and the transfer waits for the conversation.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { type Answer, startTestService, type TestService } from '../../../test/support/service.ts';
import { createAgentTools, ReplySuppressed } from './ai-replies.actions.ts';

describe('locks of a conversation', () => {
  let service: TestService;
  let talk: Conversations;
  /** Past the service's pool, as the superuser. */
  let outside: pg.Client;

  before(async () => {
    service = await startTestService();
    talk = conversationsOf(service);
    outside = new pg.Client({ ...service.connection, user: 'postgres' });
    await outside.connect();
    // PostgreSQL breaks a deadlock after this time. Without it a deadlock lasts until the statements time out.
    await outside.query(`alter database ${service.connection.database} set deadlock_timeout = '1min'`);
    await outside.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`);
    await eventually(() => service.context.db.stats().total === 0);
  });
  after(async () => {
    await outside.end();
    await service.close();
  });

  const call: TestService['call'] = (...args) => service.call(...args);
  const waiting = async (): Promise<number> => {
    const { rows } = await outside.query(`select count(*)::int as count from pg_locks
      where not granted and database = (select oid from pg_database where datname = current_database())`);
    return rows[0].count;
  };
  const deadlocks = async (): Promise<number> => {
    const { rows } = await outside.query(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    );
    return rows[0].deadlocks;
  };
  const toolsOf = async (sessionId: string, messageId: string) => {
    const { agentId } = await talk.session(sessionId);
    const agent = { id: agentId, name: 'Assistant', allowedKanbanIds: [] };
    const { accountId } = service.admin;
    return createAgentTools(service.context, { accountId, sessionId, messageId, agent });
  };
  const changeDefinitions = async (): Promise<Answer> => {
    const { fields } = (await call('GET', '/crm/fields')).body;
    const body = { description: unique('Changed') };
    return call('PATCH', `/crm/fields/${fields[0].fieldId}`, { body });
  };

  /** The tool is first in the queue for the conversation, the other one second, when the definitions change. */
  async function crossing(
    { sessionId, messageId }: { sessionId: string; messageId: string },
    other: () => Promise<Answer>,
  ) {
    const tools = await toolsOf(sessionId, messageId);
    await outside.query('begin');
    await outside.query("select pg_advisory_xact_lock(hashtextextended($1 || '/session/' || $2, 0))", [
      service.admin.accountId,
      sessionId,
    ]);
    const tool = tools.setStatus('done');
    await eventually(async () => (await waiting()) === 1);
    const second = other();
    await eventually(async () => (await waiting()) === 2);
    let changed = false;
    const change = changeDefinitions().finally(() => {
      changed = true;
    });
    await eventually(async () => changed || (await waiting()) === 3);
    await outside.query('rollback');
    const [told, ...answers] = await Promise.all([tool, second, change]);
    assert.equal(told, 'status is done');
    return answers.map(({ status }) => status);
  }

  it('a tool, a transfer and a change of definitions never wait in a circle', async () => {
    const { sessionId, userMessage } = await talk.accepted();
    const { kanbanId } = await talk.session(sessionId);
    const statuses = await crossing({ sessionId, messageId: userMessage.id }, () =>
      call('POST', `/sessions/${sessionId}/transfer`, { body: { kanbanId } }),
    );
    assert.deepEqual(statuses, [200, 200]);
  });

  it('a tool, a message of the website chat and a change of definitions never wait in a circle', async () => {
    const visitor = await talk.expect(
      200,
      call('POST', '/widget/sessions', { token: null, body: { channel: 'web' } }),
    );
    const say = (content: string) =>
      call('POST', '/widget/messages', {
        token: visitor.token,
        body: { clientId: unique('client'), content },
      });
    await talk.expect(202, say('Hello'));
    const { items } = (await call('GET', '/sessions?limit=1')).body;
    const [{ sessionId }] = items;
    const [message] = await talk.messages(sessionId);
    assert.deepEqual(await crossing({ sessionId, messageId: message.id }, () => say('And?')), [202, 200]);
  });

  it('tools, transfers, messages and changes of definitions at the same time: none fails, none deadlocks', async () => {
    const boards = [await talk.kanban(), await talk.kanban()];
    const before = await deadlocks();
    const { sessionId, userMessage } = await talk.accepted();
    const statuses: number[] = [];
    const repeat = async (run: (round: number) => Promise<unknown>) => {
      for (let round = 0; round < 12; round++) await run(round);
    };
    const answered = async (answer: Promise<Answer>) => void statuses.push((await answer).status);
    let latest = userMessage.id;
    await Promise.all([
      repeat(async () => {
        const tools = await toolsOf(sessionId, latest);
        // An earlier transfer revokes the permission of the reply, and with it that of its tools.
        await tools.setStatus('done').catch((error) => assert.ok(error instanceof ReplySuppressed));
      }),
      repeat((round) =>
        answered(
          call('POST', `/sessions/${sessionId}/transfer`, { body: { kanbanId: boards[round % 2]!.id } }),
        ),
      ),
      repeat(() =>
        // A message is retried when the definitions change under it, but not forever.
        eventually(async () => {
          const { status, body } = await talk.send({ sessionId });
          if (status === 202) latest = body.userMessage.id;
          return status === 202;
        }),
      ),
      repeat(() => answered(changeDefinitions())),
    ]);
    assert.deepEqual([...new Set(statuses)], [200]);
    assert.equal(await deadlocks(), before);
  });
});
