/** Where the commands find backups and private keys. */
import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { Config } from '../../server/config.ts';
import { readPrivateKeys } from '../../server/platform/backups/encryption.ts';
import { openPlace } from '../../server/platform/backups/places/open.ts';
import type { BackupPlace } from '../../server/platform/backups/places/place.ts';
import { CommandError, UsageError } from '../command.ts';

/** `--to` of the command, or BACKUP_TO. */
export function choosePlace(given: string | undefined, config: Config): string {
  const place = given || config.backups.to;
  if (!place) throw new UsageError('--to is required unless BACKUP_TO is set');
  return place;
}

export function openAt(config: Config, place: string): BackupPlace {
  try {
    return openPlace(config, place);
  } catch (error) {
    throw new UsageError(`${place} ${(error as Error).message}`);
  }
}

/** The path of a file, s3://bucket/prefix/name, or the name of a backup in BACKUP_TO. */
export async function openBackup(
  config: Config,
  from: string,
): Promise<{ name: string; stored: Readable; close(): Promise<void> }> {
  const isName = !from.includes('/') && config.backups.to !== '';
  const inBucket = from.startsWith('s3://');
  const path = inBucket ? from : resolve(from);
  const name = isName ? from : basename(path);
  const place = openAt(
    config,
    isName ? config.backups.to : inBucket ? path.slice(0, -name.length - 1) : dirname(path),
  );
  const stored = await place.read(name);
  if (!stored) {
    await place.close();
    throw new CommandError(`${isName ? `${place.text}/${name}` : path} does not exist`);
  }
  return { name, stored, close: () => place.close() };
}

export function readKeyFile(path: string | undefined): string[] {
  if (!path) return [];
  try {
    return readPrivateKeys(readFileSync(resolve(path), 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new CommandError(`the key file ${path} cannot be read (${code})`);
  }
}
