/** A folder that had backups and is gone: its disk is not mounted. A new one would be on another disk. */
import type { Reader } from '../../db/db.ts';
import { hasGoodRun } from '../runs.sql.ts';
import type { BackupPlace } from './place.ts';

export const lostFolder = (to: string) => `the folder ${to} is missing: is its disk mounted?`;

export async function isLost(db: Reader, place: BackupPlace, to: string): Promise<boolean> {
  return !(await place.exists()) && (await hasGoodRun(db, to));
}
