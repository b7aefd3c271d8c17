import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { visitorTokenPrefix } from '../../../contract/widget/widget-protocol.ts';
import { runInProcess, settingsFor } from '../../../test/support/cli.ts';
import { secretKey as oldKey, startTestService, type TestService } from '../../../test/support/service.ts';
import { readConfig } from '../../config.ts';
import { createContext } from '../../service.ts';
import { sql } from '../db/sql.ts';
import { newId } from '../ids.ts';
import { StartError } from '../start/start-error.ts';
import { readSealedRows, sealedIn } from './rotate-key.ts';
import { sealedColumns, sealedFor } from './sealed-columns.ts';
import { createSecrets } from './secrets.ts';

const newKey = 'another key for tests that is long enough';
const rotating = { SECRET_KEY: newKey, SECRET_KEY_PREVIOUS: oldKey };

describe('the secret key', () => {
  let service: TestService;
  let settings: Record<string, string>;
  /** Of a customer whose identity the site has signed. */
  let customer: object;
  const post = { title: 'Sent twice' };
  const idempotent = { headers: { 'idempotency-key': 'before-the-rotation' }, body: post };
  let firstAnswer: string;

  before(async () => {
    service = await startTestService();
    settings = settingsFor(service.connection, service.context.config.dataDir);
    const hook = await service.call('POST', '/webhooks', {
      body: { url: 'https://hooks.example.com/in', events: ['crm_record_created'] },
    });
    assert.equal(hook.status, 201, hook.text);
    const rotated = await service.call('POST', `/webhooks/${hook.body.id}/rotate-secret`);
    assert.equal(rotated.status, 200, rotated.text);
    const agent = await service.call('POST', '/agents', {
      body: { name: 'Keyed', provider: 'anthropic', model: 'm', apiKey: 'sk-secret', instructions: '' },
    });
    assert.equal(agent.status, 201, agent.text);
    const embedding = {
      provider: 'openai-compatible',
      baseUrl: 'https://models.example.com/v1',
      model: 'm',
      apiKey: 'sk-secret',
    };
    const meaning = await service.call('PATCH', '/knowledge/settings', { body: { embedding } });
    assert.equal(meaning.status, 200, meaning.text);
    const elsewhere = { baseUrl: 'https://models.example.com/v1', apiKey: 'sk-of-the-draft' };
    const draft = await service.call('PUT', `/agents/${agent.body.id}/draft`, { body: elsewhere });
    assert.equal(draft.status, 200, draft.text);
    const connector = {
      kind: 'telegram',
      apiBase: 'https://bots.example.com',
      credentials: { botToken: '42:secret' },
    };
    const bot = { name: 'Bot', identifier: 'bot', type: 'chatbot', defaultAgentId: agent.body.id, connector };
    const connected = await service.call('POST', '/channels', { body: bot });
    assert.equal(connected.status, 201, connected.text);
    const channels = await service.call('GET', '/channels');
    const web = channels.body.items.find((channel: { type: string }) => channel.type === 'web');
    const identity = await service.call('POST', `/channels/${web.id}/widget/rotate-secret`);
    assert.equal(identity.status, 200, identity.text);
    const user = JSON.stringify({ id: 'customer-1' });
    const signature = createHmac('sha256', identity.body.identitySecret).update(user).digest('hex');
    customer = { channel: web.identifier, user, signature };
    const key = await service.call('GET', '/push/key', { token: service.admin.jwt });
    assert.equal(key.status, 200, key.text);
    const { jwt: token, password } = service.admin;
    const app = await service.call('POST', '/auth/factors/totp', { token, body: { password } });
    assert.equal(app.status, 201, app.text);
    const site = { startUrls: ['https://8.8.8.8/'], headers: { Authorization: 'Bearer x' } };
    const website = { name: 'Site', kind: 'website', settings: site };
    assert.equal((await service.call('POST', '/knowledge/sources', { body: website })).status, 201);
    const tool = {
      ...{ name: 'find_order', description: 'Finds an order.', kind: 'read', method: 'GET' },
      ...{
        url: 'https://8.8.8.8/orders',
        parameters: { type: 'object' },
        headers: { Authorization: 'Bearer x' },
      },
    };
    assert.equal((await service.call('POST', '/tools', { body: tool })).status, 201);
    const rule = {
      ...{ name: 'Tell the shop', trigger: { on: 'customer_message' } },
      steps: [{ type: 'call', url: 'https://8.8.8.8/' }],
    };
    assert.equal((await service.call('POST', '/automations', { body: rule })).status, 201);
    const [serverId, { secrets, db }] = [newId(), service.context];
    await db.query(sql`
      insert into mcp_servers (account_id, id, name, url, headers, header_names, refreshed_at, created_at)
      values (${service.admin.accountId}, ${serverId}, 'Shop', 'https://8.8.8.8/',
        ${secrets.seal('{}', sealedFor.mcpServer(serverId))}, '{}', 0, 0)`);
    for (const title of ['One', 'Two']) await service.call('POST', '/crm/records', { body: { title } });
    const created = await service.call('POST', '/crm/records', idempotent);
    assert.equal(created.status, 201, created.text);
    firstAnswer = created.text;
  });
  after(() => service.close());

  /** The step of a start that looks at the key. That the program ends with such an error is a test of start-stop. */
  const startWith = (SECRET_KEY: string) =>
    createContext(readConfig({ ...settings, SECRET_KEY }), service.context.logger, service.context.db);
  const cannotDecrypt = (error: Error) => {
    assert.ok(error instanceof StartError, 'ends the start with its message');
    assert.match(error.message, /^SECRET_KEY cannot decrypt the secrets in the database/);
    assert.ok(!error.message.includes(oldKey) && !error.message.includes(newKey));
    return true;
  };

  it('that does not open what is sealed ends the start with a message', async () => {
    await assert.rejects(startWith(newKey), cannotDecrypt);
  });

  it('that is wrong is noticed in a database of an earlier release, by a secret that is in use', async () => {
    const { db } = service.context;
    const kept = await db.query<{ name: string; sealed: string }>(
      sql`select name, sealed from instance_secrets`,
    );
    await db.transaction((tx) => tx.query(sql`delete from instance_secrets`));
    await assert.rejects(startWith(newKey), cannotDecrypt);
    // The right one creates the check again, and the lasting keys are the same as before.
    await (await service.startSecond()).close();
    const made = await db.query<{ name: string; sealed: string }>(
      sql`select name, sealed from instance_secrets`,
    );
    const { secrets } = service.context;
    const plain = (rows: typeof kept) =>
      rows.map(({ name, sealed }) => [name, secrets.open(sealed, `instance:${name}`)]).sort();
    assert.deepEqual(plain(made), plain(kept));
  });

  it('that is missing from DATA_DIR is not replaced by a new one', async () => {
    await assert.rejects(startWith(''), /SECRET_KEY is not set and \S+secret-key does not exist/);
    assert.ok(!existsSync(join(settings.DATA_DIR!, 'secret-key')));
  });

  it('is named by talkboard doctor when it is wrong', async () => {
    // Without the programs of this machine, which it would start.
    const examined = { ...settings, PATH: settings.DATA_DIR! };
    const right = await runInProcess(['doctor', '--json'], { ...examined, SECRET_KEY: oldKey });
    assert.equal(JSON.parse(right.stdout).secretKey.status, 'ok');
    const { code, stdout } = await runInProcess(['doctor', '--json'], { ...examined, SECRET_KEY: newKey });
    assert.equal(code, 1);
    assert.equal(JSON.parse(stdout).secretKey.status, 'fail');
  });

  it('may be replaced while SECRET_KEY_PREVIOUS has the old one: what that signed and sealed still counts', async () => {
    const before = await service.call('POST', '/widget/sessions', { token: null, body: customer });
    assert.equal(before.body.isKnown, true, before.text);
    const page = await service.call('GET', '/crm/records?limit=1');
    const second = await service.startSecond(rotating);
    try {
      const me = await second.call('GET', '/auth/me', { token: service.admin.jwt });
      assert.equal(me.status, 200, me.text);
      const next = await second.call('GET', `/crm/records?limit=1&nextToken=${page.body.nextToken}`);
      assert.equal(next.status, 200, next.text);
      const messages = await second.call('GET', '/widget/messages', { token: before.body.token });
      assert.notEqual(messages.status, 401, messages.text);
      const again = await second.call('POST', '/crm/records', idempotent);
      assert.equal(again.text, firstAnswer);
      const known = await second.call('POST', '/widget/sessions', { token: null, body: customer });
      assert.equal(sessionOf(known.body.token), sessionOf(before.body.token));
    } finally {
      await second.close();
    }
  });

  it('alone does not start a service whose rotation was cut off before its end', async () => {
    const { db } = service.context;
    const stop = sql`
      create function stop_rotation() returns trigger language plpgsql as $$ begin raise 'cut off'; end $$`;
    await db.transaction((tx) => tx.query(stop));
    await db.transaction((tx) =>
      tx.query(sql`
        create trigger stop_rotation before update on webhooks for each row execute function stop_rotation()`),
    );
    assert.equal((await runInProcess(['rotate-key'], { ...settings, ...rotating })).code, 1);
    await db.transaction((tx) => tx.query(sql`drop function stop_rotation cascade`));
    await assert.rejects(startWith(newKey), cannotDecrypt);
  });

  it('is replaced by talkboard rotate-key beside a running service, and a second run has nothing to do', async () => {
    const found = await listSealed();
    const { code, stdout, stderr } = await runInProcess(['rotate-key', '--json'], {
      ...settings,
      ...rotating,
    });
    assert.equal(code, 0, stderr);
    const { columns } = JSON.parse(stdout) as { columns: { name: string; resealed: number; lost: number }[] };
    for (const { name } of sealedColumns) {
      const column = columns.find((one) => one.name === name)!;
      assert.ok(column.resealed > 0, `${name}: ${stdout}`);
      assert.equal(column.lost, 0);
    }
    assert.equal((await listSealed()).length, found.length);
    const opener = createSecrets(newKey);
    for (const { context, sealed } of await listSealed()) opener.open(sealed, context);

    const again = await runInProcess(['rotate-key'], { ...settings, ...rotating });
    assert.equal(again.code, 0);
    assert.match(again.stdout, /webhook secrets +0 re-encrypted, [1-9]\d* already current/);
  });

  it('alone opens everything afterwards; what the old one signed has ended', async () => {
    const second = await service.startSecond({ SECRET_KEY: newKey });
    try {
      assert.equal((await second.call('GET', '/auth/me', { token: service.admin.jwt })).status, 401);
      const known = await second.call('POST', '/widget/sessions', { token: null, body: customer });
      assert.equal(known.body.isKnown, true);
    } finally {
      await second.close();
    }
    await assert.rejects(startWith(oldKey), cannotDecrypt);
  });

  it('that is lost can be given up: the service starts again with another one', async () => {
    const lost = { ...settings, SECRET_KEY: 'a third key for tests that is long enough' };
    assert.equal((await runInProcess(['rotate-key'], lost)).code, 1);
    const accepted = await runInProcess(['rotate-key', '--accept-loss'], lost);
    assert.equal(accepted.code, 0, accepted.stderr);
    assert.match(accepted.stderr, /values could not be decrypted with any key/);
    await (await service.startSecond({ SECRET_KEY: lost.SECRET_KEY! })).close();
  });

  /** Every sealed value of the listed columns; fails if another column has some too. */
  async function listSealed(): Promise<{ context: string; sealed: string }[]> {
    const { db } = service.context;
    const listed = sealedColumns.map(({ table, column }) => `${table}.${column}`);
    const columns = await db.query<{ table: string; column: string }>(sql`
      select table_name as table, column_name as column from information_schema.columns
      where table_schema = current_schema() and data_type in ('text', 'jsonb')`);
    for (const { table, column } of columns) {
      const text = `select count(*)::int as count from ${table} where ${column}::text ~ '(^|")v1\\.[A-Za-z0-9_-]{38,}'`;
      const [{ count } = { count: 0 }] = await queryText<{ count: number }>(text);
      if (count > 0) assert.ok(listed.includes(`${table}.${column}`), `${table}.${column} is not listed`);
    }
    const found: { context: string; sealed: string }[] = [];
    for (const column of sealedColumns) {
      for (const row of await readSealedRows(db, column, null, 1_000)) {
        const context = column.context(row.key as Record<string, string>);
        for (const sealed of sealedIn(column, row.value)) found.push({ context, sealed });
      }
    }
    return found;
  }

  async function queryText<R>(text: string): Promise<R[]> {
    const client = await service.context.db.connect();
    try {
      return (await client.query(text)).rows as R[];
    } finally {
      client.release();
    }
  }
});

/** A visitor's token is a prefix, then 32 bytes of signature and the JSON that they sign. */
function sessionOf(token: string): string {
  const bytes = Buffer.from(token.slice(visitorTokenPrefix.length), 'base64url');
  return JSON.parse(bytes.subarray(32).toString('utf8'))[2];
}
