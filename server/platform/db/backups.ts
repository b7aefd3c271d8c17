/** The backups that were made of this database: an erasure names those that still hold the person. */
import { newId } from '../ids.ts';
import type { Reader, Tx } from './db.ts';
import { sql } from './sql.ts';

export async function noteBackup(tx: Tx, name: string, now: number): Promise<void> {
  await tx.query(sql`insert into backups (id, name, created_at) values (${newId(now)}, ${name}, ${now})`);
}

/** Newest first. */
export async function selectBackups(db: Reader): Promise<{ name: string; createdAt: number }[]> {
  return db.query(sql`
    select name, created_at as "createdAt" from backups order by created_at desc, id desc`);
}

/** It was removed from its place. */
export async function forgetBackup(tx: Tx, name: string): Promise<void> {
  await tx.query(sql`delete from backups where name = ${name}`);
}
