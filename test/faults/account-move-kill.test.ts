/**
 * Accounts move between two PostgreSQL servers under load, and each move is killed at a random moment and started again.
 * Nothing acknowledged is lost, every message has one reply, and search is complete right after each move.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../server/platform/embedded-postgres/embedded-postgres.ts';
import { copyCluster } from '../support/cluster.ts';
import { newFolder } from '../support/scratch.ts';
import { createToken, eventually, isFull, openWorkshop, type Program, type Workshop } from './support.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const moves = isFull ? 20 : 1;
/** A move is killed within this time after its first step: most of the others are in it. */
const killedWithinMs = 4_000;
/** Between two requests of one line. */
const pauseMs = isFull ? 5 : 40;
/** docs/cells.md: also if the command is killed at the worst moment. */
const refusedForMs = 2_000;
const password = 'correct horse battery';
const silent = { info() {}, warn() {}, error() {} };

describe('kill -9 of account moves under load', () => {
  let workshop: Workshop;
  let other: EmbeddedPostgres;
  let otherDir: string;
  let env: Record<string, string>;
  before(async () => {
    workshop = openWorkshop();
    otherDir = newFolder('talkboard-cell-');
    copyCluster(otherDir);
    other = await startEmbeddedPostgres({ dataDir: otherDir, logger: silent });
    const { host, user, database } = other.connection;
    env = { CELLS: `eu2=postgres://${user}@/${database}?host=${encodeURIComponent(String(host))}` };
  });
  after(async () => {
    await workshop.close();
    await other.stop();
    rmSync(otherDir, { recursive: true, force: true });
  });

  const startMove = (accountId: string, to: string) => {
    const args = ['cli/talkboard.mjs', 'account', 'move', '--account', accountId, '--to', to, '--json'];
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        DATA_DIR: workshop.dataDir,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    return { child, exited: once(child, 'exit'), output: () => output, printed: () => printed };
  };

  async function createAccount(program: Program): Promise<{ accountId: string; authorization: string }> {
    const login = async (email: string) => {
      const { body } = await program.call('POST', '/auth/login', { email, password });
      return { authorization: `Bearer ${body.token}` };
    };
    await createToken(program);
    const admin = await login('admin@example.com');
    const adminEmail = 'mover@example.com';
    const made = await program.call(
      'POST',
      '/admin/accounts',
      { name: 'Mover', adminEmail, adminPassword: password },
      admin,
    );
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const accountId = made.body.account.id;
    const most = 1_000_000_000;
    const limits = { crmPerMinute: most, crmPerHour: most, messagesPerMinute: most, aiRepliesPerDay: most };
    await program.call('PATCH', `/admin/accounts/${accountId}`, { limits }, admin);
    const scopes = ['crm:read', 'crm:write', 'messages:read', 'messages:write', 'manage'];
    const token = await program.call(
      'POST',
      '/api-tokens',
      { name: 'faults', scopes },
      await login(adminEmail),
    );
    return { accountId, authorization: `Bearer ${token.body.token}` };
  }

  it('loses nothing and does nothing twice', async () => {
    const program = await workshop.start(env);
    const { accountId, authorization } = await createAccount(program);
    const call = (method: string, path: string, body?: object) =>
      program.call(method, path, body, { authorization });
    const [kanban] = (await call('GET', '/kanbans')).body.items;
    const records = new Set<string>();
    const conversations = new Set<string>();
    let longestRefusal = 0;
    let refused = 0;

    /** Until it is acknowledged: a refused write says when to come back. */
    const write = async (path: string, body: object, status: number) => {
      for (let since: number | null = null; ; ) {
        const reply = await call('POST', path, body);
        if (reply.status === status) return reply.body;
        assert.equal(reply.status, 503, JSON.stringify(reply.body));
        assert.ok(reply.headers['retry-after']);
        refused++;
        since ??= performance.now();
        longestRefusal = Math.max(longestRefusal, performance.now() - since);
        await sleep(20);
      }
    };
    const load = workshop.load(6, async (n) => {
      if (n % 3 === 0) {
        const { recordId } = await write('/crm/records', { kanbanId: kanban.id, title: `Moved ${n}` }, 201);
        const read = await call('GET', `/crm/records/${recordId}`);
        assert.equal(read.status, 200, JSON.stringify(read.body));
        records.add(recordId);
      } else if (n % 3 === 1) {
        const sessionId = `customer-${n}`;
        await write('/messages', { fromChannelIdentifier: 'api', sessionId, content: 'Hello' }, 202);
        conversations.add(sessionId);
      } else {
        const list = await call('GET', '/crm/records?limit=1');
        assert.equal(list.status, 200, JSON.stringify(list.body));
      }
      await sleep(pauseMs);
    });

    const cellOf = async () => {
      const rows = await workshop.query<{ cell: string }>(
        'select cell from cell_accounts where account_id = $1',
        [accountId],
      );
      return rows[0]?.cell ?? 'home';
    };
    let kills = 0;
    for (let number = 0; number < moves; number++) {
      const to = (await cellOf()) === 'home' ? 'eu2' : 'home';
      const first = startMove(accountId, to);
      await eventually(
        'the move has begun',
        async () =>
          first.child.exitCode !== null ||
          (await workshop.query('select from account_moves where ended_at is null')).length > 0,
        60_000,
      );
      await Promise.race([first.exited, sleep(workshop.random() * killedWithinMs)]);
      if (first.child.exitCode === null) {
        first.child.kill('SIGKILL');
        kills++;
      }
      await first.exited;
      const again = startMove(accountId, to);
      const [code] = await again.exited;
      assert.equal(code, 0, again.output());
      assert.equal(await cellOf(), to);
      const known = [...records];
      const found = await call('GET', '/crm/search?q=moved&pageSize=1');
      assert.ok(found.body.total >= known.length, `${found.body.total} of ${known.length}`);
      const { closedMs } = JSON.parse(again.printed());
      console.log(`move ${number + 1} to ${to}: closed for ${closedMs} ms`);
    }
    await load.stop();

    const ids = new Set<string>();
    for (let next = ''; ; ) {
      const { body } = await call('GET', `/crm/records?limit=100${next}`);
      for (const { recordId } of body.items) ids.add(recordId);
      if (!body.nextToken) break;
      next = `&nextToken=${body.nextToken}`;
    }
    const lost = [...records].filter((id) => !ids.has(id));
    assert.deepEqual(lost, []);
    const found = await call('GET', '/crm/search?q=moved&pageSize=1');
    assert.equal(found.body.total, [...ids].length - (await countOthers(call, ids.size, found.body.total)));
    const count = async () => {
      const client = (await cellOf()) === 'home' ? workshop.query : queryOther;
      return client<{ session: string; asked: number; answered: number }>(
        `select session_id as session, count(*) filter (where role = 'user')::int as asked,
           count(*) filter (where role = 'assistant')::int as answered
         from messages where account_id = $1 group by session_id`,
        [accountId],
      );
    };
    await eventually(
      'every message has a reply',
      async () => (await count()).every(({ asked, answered }) => answered >= asked),
      60_000,
    );
    const counted = await count();
    const known = new Map(counted.map((one) => [one.session, one]));
    for (const sessionId of conversations) assert.equal(known.get(sessionId)?.asked, 1, sessionId);
    assert.ok(counted.every(({ asked, answered }) => asked === answered));
    assert.ok(longestRefusal <= refusedForMs, `refused for ${longestRefusal} ms`);
    console.log(
      `${moves} moves, ${kills} killed: ${records.size} records, ${conversations.size} messages, lost 0; ` +
        `${refused} writes refused, for ${Math.round(longestRefusal)} ms at most`,
    );
    assert.equal(await program.stop(), 0, program.output());
  });

  async function queryOther<R>(text: string, values: unknown[]): Promise<R[]> {
    const { default: pg } = await import('pg');
    const client = new pg.Client(other.connection as object);
    await client.connect();
    try {
      return (await client.query(text, values)).rows as R[];
    } finally {
      await client.end();
    }
  }
});

/** Cards of conversations are records too; their titles are others. */
async function countOthers(
  call: (method: string, path: string) => Promise<{ body: { total: number } }>,
  all: number,
  found: number,
): Promise<number> {
  const { body } = await call('GET', '/crm/search?pageSize=1');
  assert.equal(body.total, all, 'search knows every record');
  return all - found;
}
