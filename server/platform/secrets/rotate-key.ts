/**
 * Seals everything again with the current SECRET_KEY, in batches: an interrupted run continues with values still
 * sealed with a previous key. Each update compares the old value, so a change by a running service is never
 * overwritten.
 */
import { isNotElsewhere } from '../cells/move/served-here.ts';
import type { Db, Reader, Tx } from '../db/db.ts';
import { Sql } from '../db/sql.ts';
import { type SealedColumn, sealedColumns } from './sealed-columns.ts';
import type { Secrets } from './secrets.ts';

export interface RotationCount {
  name: string;
  /** Sealed again in this run. */
  resealed: number;
  /** Already sealed with the current key. */
  current: number;
  /** No key opens them; left unchanged. */
  lost: number;
}

const batchRows = 500;
/** A running service without the new key still seals with the old one; a second pass finds what it wrote. */
const maxPasses = 3;

export async function rotateKey(db: Db, secrets: Secrets): Promise<RotationCount[]> {
  const counts: RotationCount[] = [];
  for (const column of sealedColumns) {
    const total: RotationCount = { name: column.name, resealed: 0, current: 0, lost: 0 };
    for (let pass = 0; pass < maxPasses; pass++) {
      const found = await passOver(db, secrets, column);
      if (pass === 0) total.current = found.current;
      total.lost = found.lost;
      total.resealed += found.resealed;
      if (found.resealed === 0) break;
    }
    counts.push(total);
  }
  return counts;
}

export interface SealedRow {
  key: Record<string, unknown>;
  value: string;
}

/** The sealed values of a row: one, or those of a list. */
export function sealedIn(column: SealedColumn, value: string): string[] {
  if (column.holds === 'value') return [value];
  return (JSON.parse(value) as { secret: string }[]).map(({ secret }) => secret);
}

export async function readSealedRows(
  reader: Reader,
  column: SealedColumn,
  after: SealedRow | null,
  limit: number,
): Promise<SealedRow[]> {
  const names = Object.keys(column.key);
  const parts = [`select ${names.join(', ')}, ${column.column}::text as sealed_value from ${column.table}`];
  const values: unknown[] = [];
  const isFilled = column.holds === 'list' ? `${column.column} <> '[]'` : `${column.column} is not null`;
  parts[0] += ` where ${isFilled}`;
  // What a move has left behind cannot be changed, and is removed soon.
  if ('account_id' in column.key) {
    parts[0] += ' and ';
    parts.push('');
    values.push(isNotElsewhere(new Sql([`${column.table}.account_id`], [])));
  }
  if (after) {
    parts[parts.length - 1] += ` and (${names.join(', ')}) > (`;
    for (const [index, name] of names.entries()) {
      values.push(after.key[name]);
      parts.push(`::${column.key[name]}${index === names.length - 1 ? ')' : ', '}`);
    }
  }
  parts[parts.length - 1] += ` order by ${names.join(', ')} limit `;
  values.push(limit);
  parts.push('');
  const rows = await reader.query<Record<string, unknown>>(new Sql(parts, values), { timeoutMs: 60_000 });
  return rows.map(({ sealed_value, ...key }) => ({ key, value: sealed_value as string }));
}

async function passOver(db: Db, secrets: Secrets, column: SealedColumn): Promise<RotationCount> {
  const count: RotationCount = { name: column.name, resealed: 0, current: 0, lost: 0 };
  for (let after: SealedRow | null = null; ; ) {
    const rows = await readSealedRows(db, column, after, batchRows);
    const changes: { row: SealedRow; value: string }[] = [];
    for (const row of rows) {
      const { value, isLost } = resealed(secrets, column, row);
      if (isLost) count.lost++;
      if (value !== row.value) changes.push({ row, value });
      else if (!isLost) count.current++;
    }
    await db.transaction(async (tx) => {
      for (const { row, value } of changes) count.resealed += await update(tx, column, row, value);
    });
    if (rows.length < batchRows) return count;
    after = rows.at(-1)!;
  }
}

/**
 * The row's value with everything that can be opened sealed with the current key; the same text if nothing changes.
 */
function resealed(
  secrets: Secrets,
  column: SealedColumn,
  { key, value }: SealedRow,
): { value: string; isLost: boolean } {
  const context = column.context(key as Record<string, string>);
  let isLost = false;
  const reseal = (sealed: string): string | null => {
    try {
      return secrets.reseal(sealed, context);
    } catch {
      isLost = true;
      return null;
    }
  };
  if (column.holds === 'value') return { value: reseal(value) ?? value, isLost };
  const entries = JSON.parse(value) as { secret: string }[];
  const changed = entries.map((entry) => ({ entry, secret: reseal(entry.secret) }));
  if (changed.every(({ secret }) => secret === null)) return { value, isLost };
  const list = changed.map(({ entry, secret }) => ({ ...entry, secret: secret ?? entry.secret }));
  return { value: JSON.stringify(list), isLost };
}

async function update(tx: Tx, column: SealedColumn, row: SealedRow, value: string): Promise<number> {
  const type = column.holds === 'list' ? 'jsonb' : 'text';
  const names = Object.keys(column.key);
  const parts = [`update ${column.table} set ${column.column} = `, `::${type} where ${column.column} = `];
  parts.push(`::${type}`);
  const values: unknown[] = [value, row.value];
  for (const name of names) {
    parts[parts.length - 1] += ` and ${name} = `;
    parts.push(`::${column.key[name]}`);
    values.push(row.key[name]);
  }
  parts[parts.length - 1] += ' returning 1';
  return (await tx.query(new Sql(parts, values))).length;
}
