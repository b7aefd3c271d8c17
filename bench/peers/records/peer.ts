/** A product that stores records and answers the same four requests over HTTP. */
import pg from 'pg';
import type { LoadRequest } from '../../load/load.ts';
import { type PeerName, type Peers, peerVersions } from '../../peers.ts';
import type { Side } from '../../processes.ts';
import type { Stage } from '../../stage.ts';

/** The same for every product. `id` is the product's own. */
export interface PlainRecord {
  title: string;
  status: string;
  town: string;
  email: string;
  phone: string;
  plan: string;
  seats: number;
  renewal: string;
  newsletter: boolean;
}

/** Names of the columns after title and status, in the order of `sampleFields`. */
export const fieldNames = ['town', 'email', 'phone', 'plan', 'seats', 'renewal', 'newsletter'] as const;

// biome-ignore lint/suspicious/noExplicitAny: each product knows its own answers; a wrong one fails the check
export type Json = any;

/** A product that runs and holds the records. */
export interface RecordStore {
  side: Side;
  headers: Record<string, string>;
  /** Ids of the records, oldest first. */
  ids: string[];
  get(id: string): LoadRequest;
  newest(count: number): LoadRequest;
  withTown(town: string): LoadRequest;
  create(record: PlainRecord): LoadRequest;
  /** The record in the answer of a get. */
  record(body: Json): PlainRecord;
  /** The records in the answer of a list. */
  records(body: Json): PlainRecord[];
  /** The id in the answer of a create. */
  createdId(body: Json): string;
}

export interface RecordPeer {
  name: string;
  packages: readonly PeerName[];
  /** Its tables are created by the product itself, the rows by SQL. */
  start(stage: Stage, peers: Peers, records: readonly PlainRecord[]): Promise<RecordStore>;
}

/** Every product gets as many connections as Talkboard. */
export const poolSize = 16;
export const json = { 'content-type': 'application/json' };

export const versionOf = (name: PeerName) => peerVersions[name];

export async function openDatabase(stage: Stage, name: string): Promise<pg.Pool> {
  await stage.createDatabase(name);
  const pool = new pg.Pool({ ...stage.connection, database: name, max: 2 });
  stage.onClose(() => pool.end());
  return pool;
}

export async function callPeer(
  store: Pick<RecordStore, 'side' | 'headers'>,
  { method, path, body }: LoadRequest,
): Promise<{ status: number; body: Json }> {
  const headers = { ...store.headers };
  const response = await fetch(store.side.url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
  return { status: response.status, body: JSON.parse(text) };
}

/** The common columns of an object that has others too. */
export function plainOf(found: Record<string, unknown>): PlainRecord {
  const names = ['title', 'status', ...fieldNames];
  return Object.fromEntries(names.map((name) => [name, found[name]])) as unknown as PlainRecord;
}

export interface Column {
  name: string;
  type: string;
  value(record: PlainRecord, index: number): unknown;
}

/** The columns that have the same name and meaning everywhere. */
export function plainColumns(numberType: string): Column[] {
  const types: Record<string, string> = { seats: numberType, newsletter: 'boolean' };
  return ['title', 'status', ...fieldNames].map((name) => ({
    name,
    type: types[name] ?? 'text',
    value: (record) => record[name as keyof PlainRecord],
  }));
}

const rowsAtATime = 2_000;

export async function fillTable(
  pool: pg.Pool,
  table: string,
  columns: readonly Column[],
  records: readonly PlainRecord[],
): Promise<void> {
  const names = columns.map(({ name }) => `"${name}"`).join();
  const lists = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join();
  for (let first = 0; first < records.length; first += rowsAtATime) {
    const rows = records.slice(first, first + rowsAtATime);
    const values = columns.map(({ value }) => rows.map((record, index) => value(record, first + index)));
    await pool.query(`insert into "${table}" (${names}) select * from unnest(${lists})`, values);
  }
  await pool.query(`vacuum analyze "${table}"`);
}

/** One second apart until now, as Talkboard's are. */
export const createdAt = (index: number, count: number) => new Date(Date.now() - (count - index) * 1000);
