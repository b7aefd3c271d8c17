/** SIGTERM while a model is being asked: the call is aborted, and the next worker makes the reply, once. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { createTestDatabase, type TestDatabase, urlOf } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { hangs, type ModelServer, says, startOpenAiServer } from '../support/model-servers.ts';
import { adminPassword, createStage, type Program } from '../support/program.ts';
import type { Json } from '../support/service.ts';

const content = 'Are you there?';

describe('a stop while a model is being asked', () => {
  const stage = createStage();
  let database: TestDatabase;
  let outside: pg.Client;
  let model: ModelServer;
  let api: Program;
  let call: (method: string, path: string, body?: object) => Promise<{ status: number; body: Json }>;
  let env: Record<string, string>;
  let agentId: string;

  before(async () => {
    database = await createTestDatabase();
    outside = new pg.Client(database.connection);
    await outside.connect();
    model = await startOpenAiServer();
    env = {
      DATABASE_URL: urlOf(database.connection),
      SECRET_KEY: 'the same for all processes of a service',
      ADMIN_PASSWORD: adminPassword,
      OUTBOUND_ALLOW: '127.0.0.0/8',
    };
    api = await start('api');
    const send = async (
      token: string | null,
      method: string,
      path: string,
      body?: object,
    ): Promise<{ status: number; body: Json }> => {
      const response = await fetch(api.base + path, {
        method,
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    };
    const login = { email: 'admin@example.com', password: adminPassword };
    const { token } = (await send(null, 'POST', '/auth/login', login)).body;
    call = (...args) => send(token, ...args);
    const settings = { name: 'Model', provider: 'openai-compatible', model: 'm', baseUrl: model.baseUrl };
    agentId = (await call('POST', '/agents', settings)).body.id;
    const channel = { name: 'Stops', identifier: 'stops', type: 'api', defaultAgentId: agentId };
    assert.equal((await call('POST', '/channels', channel)).status, 201);
  });
  after(async () => {
    await stage.close();
    await outside.end();
    await model.close();
    await database.drop();
  });

  const start = (role: 'api' | 'worker') =>
    stage.start({ ...env, PROCESS_ROLE: role, DATA_DIR: stage.newDataDir() });
  const jobs = async (): Promise<Json[]> =>
    (
      await outside.query(
        "select attempts, lease_token, run_at <= now() as due from jobs where kind = 'ai-reply'",
      )
    ).rows;

  it('ends the worker at once, costs the job no attempt, and leaves exactly one reply', async () => {
    const stopped = await start('worker');
    model.choose(hangs);
    const asked = { content, sessionId: 'stopped', fromChannelIdentifier: 'stops' };
    assert.equal((await call('POST', '/messages', asked)).status, 202);
    await model.requested(1);
    // Before, the worker waited for the model until it was cut off after 14 s, with an exit code of 1.
    assert.equal((await stopped.stop()).code, 0);
    assert.deepEqual(await jobs(), [{ attempts: 0, lease_token: null, due: true }]);

    model.choose(() => says('Yes, I am.'));
    await start('worker');
    const replies = async (): Promise<Json[]> =>
      (await call('GET', '/sessions/stopped/messages?order=asc')).body.items;
    await eventually(async () => (await jobs()).length === 0, 20_000);
    assert.deepEqual(
      (await replies()).map(({ role, content: text }) => [role, text]),
      [
        ['user', content],
        ['assistant', 'Yes, I am.'],
      ],
    );
    assert.equal(model.requests.length, 2);
    const log = (await call('GET', '/sessions/stopped/replies')).body.items;
    assert.deepEqual(
      log.map(({ outcome }: Json) => outcome),
      ['sent'],
    );
  });

  it('answers 503 to a trial of an agent, and ends', async () => {
    model.choose(hangs);
    const before = model.requests.length;
    const tried = call('POST', `/agents/${agentId}/try`, { messages: [{ role: 'user', content }] });
    await model.requested(before + 1);
    const [end, answer] = await Promise.all([api.stop(), tried]);
    assert.equal(end.code, 0);
    assert.deepEqual([answer.status, answer.body.message], [503, 'the service is stopping']);
  });
});
