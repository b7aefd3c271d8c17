/**
 * The accounts of a simulation, made by the same functions as those of an administrator, but without a request and a
 * new password for each. Their first records are inserted past the service.
 */
import pg from 'pg';
import type { Scope } from '../../contract/limits.ts';
import {
  createAccount,
  createToken,
  emailClaim,
  hashPassword,
  systemActor,
} from '../../server/features/accounts/accounts.ts';
import { accountStarters } from '../../server/new-account.ts';
import { createDirectory } from '../../server/platform/cells/directory.ts';
import { createDb, type Db } from '../../server/platform/db/db.ts';
import { newId } from '../../server/platform/ids.ts';
import { openSecrets } from '../../server/platform/secrets/open-secrets.ts';
import { insertRows, type Row } from '../corpus/fill.ts';
import type { Random } from '../corpus/random.ts';
import { sampleRecord } from '../corpus/sample-records.ts';
import type { CellServer } from './cell-server.ts';
import type { Deployment } from './deployment.ts';
import { accountSizes } from './skew.ts';

export interface SimulatedAccount {
  id: string;
  /** The first word of every title, name and text that belongs to the account. */
  tag: string;
  cell: string;
  token: string;
  kanbanId: string;
  apiChannelId: string;
  webChannelId: string;
  /** Records that were there before the traffic began. */
  size: number;
  /** Some of them, title by id. */
  sample: Map<string, string>;
  hasWebhook: boolean;
}

/** Bytes in PostgreSQL, indexes included. */
export interface Disk {
  perAccount: number;
  perRecord: number;
}

export const databaseSize = 'select pg_database_size(current_database())::float8 as bytes';

const lanesPerCell = 6;
const sampled = 20;
const webhookEvery = 4;
const scopes: Scope[] = ['crm:read', 'crm:write', 'messages:read', 'messages:write', 'manage'];

/** The largest first. Neighbours are in different cells. */
export async function createAccounts(
  deployment: Deployment,
  count: number,
  random: Random,
): Promise<{ accounts: SimulatedAccount[]; disk: Disk }> {
  const { cells } = deployment;
  const dbs = new Map(cells.map(({ name, connection }) => [name, openDb(connection)]));
  const pools = new Map(cells.map(({ name, connection }) => [name, new pg.Pool({ ...connection, max: 2 })]));
  try {
    const size = async () => {
      const asked = [...pools.values()].map((pool) => pool.query(databaseSize));
      return (await Promise.all(asked)).reduce((sum, { rows }) => sum + rows[0].bytes, 0);
    };
    const empty = await size();
    const accounts = await insertAccounts(deployment, dbs, count);
    const bare = await size();
    await Promise.all(
      cells.map(async ({ name }) => {
        const own = accounts.filter(({ cell }) => cell === name);
        const pool = pools.get(name)!;
        await finishAccounts(pool, own);
        await insertRows(pool, firstRecords(own, random));
        await pool.query('analyze');
      }),
    );
    const records = accounts.reduce((sum, account) => sum + account.size, 0);
    const disk = { perAccount: (bare - empty) / count, perRecord: ((await size()) - bare) / records };
    return { accounts, disk };
  } finally {
    await Promise.all([...dbs.values()].map((db) => db.close()));
    await Promise.all([...pools.values()].map((pool) => pool.end()));
  }
}

const openDb = (connection: CellServer['connection']): Db =>
  createDb({ connection, poolSize: lanesPerCell + 2 });

async function insertAccounts(
  { cells, secretKey, dataDir }: Deployment,
  dbs: ReadonlyMap<string, Db>,
  count: number,
): Promise<SimulatedAccount[]> {
  const home = dbs.get('home')!;
  const secrets = await openSecrets(home, { secretKey, previousSecretKeys: [], dataDir });
  const names = cells.slice(1).map(({ name }) => name);
  const directory = createDirectory({ home, names, dbOf: (cell) => dbs.get(cell) ?? null });
  if (names.length > 0) {
    for (const db of dbs.values()) {
      db.onClaim(emailClaim, (tx, email, accountId) =>
        directory.claimEmail(email, accountId, db === home ? tx : undefined),
      );
    }
  }
  const starters = accountStarters(secrets);
  const adminPasswordHash = await hashPassword('a password for one run');
  const sizes = accountSizes(count);
  const accounts: SimulatedAccount[] = new Array(count);

  const make = async (index: number, cell: string) => {
    const now = Date.now();
    const id = newId(now);
    const tag = `t${index}q`;
    const placed = await directory.place(id, { cell });
    const input = { id, name: `Account ${tag}`, adminEmail: `${tag}@simulation.example`, adminPasswordHash };
    const { token } = await dbs.get(cell)!.transaction(async (tx) => {
      await createAccount(tx, now, input, starters);
      return createToken(tx, systemActor(id), now, { name: 'simulation', scopes });
    });
    await directory.settle(placed);
    accounts[index] = {
      id,
      tag,
      cell,
      token,
      kanbanId: '',
      apiChannelId: '',
      webChannelId: '',
      size: sizes[index]!,
      sample: new Map(),
      hasWebhook: Math.floor(index / cells.length) % webhookEvery === 0,
    };
  };
  const lane = async (position: number, cell: string, first: number) => {
    for (let index = position + first * cells.length; index < count; index += cells.length * lanesPerCell) {
      await make(index, cell);
    }
  };
  await Promise.all(
    cells.flatMap(({ name }, position) =>
      Array.from({ length: lanesPerCell }, (_, first) => lane(position, name, first)),
    ),
  );
  return accounts;
}

/** Their limits are raised, not switched off: every request is still counted. */
async function finishAccounts(pool: pg.Pool, accounts: readonly SimulatedAccount[]): Promise<void> {
  await pool.query(`update accounts set crm_per_minute = 10000000, crm_per_hour = 100000000,
    messages_per_minute = 10000000, ai_replies_per_day = 100000000`);
  const kanbans = await pool.query('select account_id, id from kanbans');
  const channels = await pool.query('select account_id, id, type from channels');
  const byId = new Map(accounts.map((account) => [account.id, account]));
  for (const { account_id, id } of kanbans.rows) {
    const account = byId.get(account_id);
    if (account) account.kanbanId = id;
  }
  for (const { account_id, id, type } of channels.rows) {
    const account = byId.get(account_id);
    if (account) account[type === 'web' ? 'webChannelId' : 'apiChannelId'] = id;
  }
}

function* firstRecords(accounts: readonly SimulatedAccount[], random: Random): Generator<Row> {
  for (const account of accounts) {
    const began = Date.now() - (account.size + 60) * 1000;
    for (let index = 0; index < account.size; index++) {
      const createdAt = began + index * 1000;
      const id = newId(createdAt);
      const title = `${account.tag} ${sampleRecord(random, []).title}`;
      if (index < sampled) account.sample.set(id, title);
      const { id: accountId, kanbanId } = account;
      yield {
        accountId,
        id,
        kanbanId,
        title,
        status: 'new',
        customFields: {},
        createdAt,
        updatedAt: createdAt,
      };
    }
  }
}
