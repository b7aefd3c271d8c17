/**
 * What is known of a stored backup, in a small file beside it that is written last. A backup without it is unfinished or
 * was made with a file name of its own, and is never listed as good.
 */
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { UnreadableFile } from './backup-error.ts';
import type { BackupPlace } from './places/place.ts';

export interface Manifest {
  name: string;
  /** Unix epoch milliseconds, as are the other times. */
  createdAt: number;
  version: string;
  cell: string;
  bytes: number;
  sha256: string;
  tables: number;
  rows: number;
  files: number;
  isEncrypted: boolean;
  /** Null: it was not restored for a test. */
  verifiedAt: number | null;
  /** Why it was not. */
  unverified: string | null;
}

const nameForm = /^talkboard-(?:([a-z][a-z0-9-]*?)-)?\d{8}-\d{6}\.backup\.gz(?:\.age)?$/;
const ending = '.json';

export function backupName(cell: string, now: number, isEncrypted: boolean): string {
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return `talkboard-${cell === 'home' ? '' : `${cell}-`}${time}.backup.gz${isEncrypted ? '.age' : ''}`;
}

function isBackupName(name: string): boolean {
  return nameForm.test(name);
}

/** A backup or its manifest, wherever it is in a bucket. */
export function isBackupKey(key: string): boolean {
  const name = key.slice(key.lastIndexOf('/') + 1);
  return isBackupName(name.endsWith(ending) ? name.slice(0, -ending.length) : name);
}

export async function saveManifest(place: BackupPlace, manifest: Manifest): Promise<void> {
  await place.write(
    `${manifest.name}${ending}`,
    Readable.from([Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)]),
  );
}

/** The manifest first: what is left of a removal that was interrupted is not listed as good. */
export async function removeBackup(place: BackupPlace, name: string): Promise<void> {
  await place.remove(`${name}${ending}`);
  await place.remove(name);
}

export interface Listed {
  name: string;
  bytes: number;
  /** Null: it is not known to be good. */
  manifest: Manifest | null;
}

/** Newest first. */
export async function listBackups(place: BackupPlace): Promise<Listed[]> {
  const found = await place.list();
  const sizes = new Map(found.map(({ name, bytes }) => [name, bytes]));
  const listed: Listed[] = [];
  for (const { name, bytes } of found.filter((one) => isBackupName(one.name))) {
    // Of another size: cut off or replaced since.
    const manifest = sizes.has(`${name}${ending}`) ? await readGoodManifest(place, { name, bytes }) : null;
    listed.push({ name, bytes, manifest });
  }
  const timeOf = ({ name, manifest }: Listed) => manifest?.createdAt ?? timeOfName(name);
  return listed.sort((a, b) => timeOf(b) - timeOf(a) || (a.name < b.name ? 1 : -1));
}

/** The names in the place alone, newest first. */
export async function listNames(
  place: BackupPlace,
): Promise<{ name: string; bytes: number; time: number }[]> {
  const found = (await place.list()).filter(({ name }) => isBackupName(name));
  return found
    .map(({ name, bytes }) => ({ name, bytes, time: timeOfName(name) }))
    .sort((a, b) => b.time - a.time || (a.name < b.name ? 1 : -1));
}

/** What the name says of one that has no manifest. */
export function readName(name: string): { cell: string; isEncrypted: boolean } {
  return { cell: nameForm.exec(name)?.[1] ?? 'home', isEncrypted: name.endsWith('.age') };
}

/** Null: it is not known to be good. */
export async function readGoodManifest(
  place: BackupPlace,
  { name, bytes }: { name: string; bytes: number },
): Promise<Manifest | null> {
  const manifest = await readManifest(place, name);
  return manifest?.bytes === bytes ? manifest : null;
}

/** Null: there is none of this name, or it is not known to be good. */
export async function findGoodBackup(place: BackupPlace, name: string): Promise<Manifest | null> {
  const stored = (await place.list()).find((one) => one.name === name);
  return stored ? readGoodManifest(place, stored) : null;
}

async function readManifest(place: BackupPlace, name: string): Promise<Manifest | null> {
  try {
    const content = await place.read(`${name}${ending}`);
    if (!content) return null;
    const manifest = JSON.parse(await text(content)) as Manifest | null;
    return manifest?.name === name && isWhole(manifest) ? manifest : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof UnreadableFile) return null;
    throw error;
  }
}

/** The file is untrusted input. */
function isWhole({ sha256, cell, isEncrypted, createdAt, bytes, verifiedAt }: Manifest): boolean {
  return (
    typeof sha256 === 'string' &&
    typeof cell === 'string' &&
    typeof isEncrypted === 'boolean' &&
    Number.isInteger(createdAt) &&
    Number.isInteger(bytes) &&
    (verifiedAt === null || Number.isInteger(verifiedAt))
  );
}

function timeOfName(name: string): number {
  const [, date = '', time = ''] = /(\d{8})-(\d{6})\.backup/.exec(name) ?? [];
  const part = (from: string, start: number) => from.slice(start, start + 2);
  return Date.parse(
    `${date.slice(0, 4)}-${part(date, 4)}-${part(date, 6)}T${part(time, 0)}:${part(time, 2)}:${part(time, 4)}Z`,
  );
}
