/**
 * Makes one backup: writes it, reads it back as it is stored, restores it into a scratch database, and writes its
 * manifest last. At no time is more than a few megabytes of it in memory.
 */
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { ClientConfig } from 'pg';
import { version } from '../../../contract/version.ts';
import { BackupError } from './backup-error.ts';
import { type FileSource, listDataFiles } from './data-files.ts';
import { createKeyPair, encrypt } from './encryption.ts';
import { type Manifest, removeBackup, saveManifest } from './manifest.ts';
import type { BackupPlace } from './places/place.ts';
import { ScratchRefused } from './scratch.sql.ts';
import { openSnapshot } from './snapshot.sql.ts';
import { verifyBackup } from './verify.ts';
import { type Counts, linesOf } from './write.ts';

export interface MakeOptions {
  connection: ClientConfig;
  /** `home`, or the name of another cell. */
  cell: string;
  /** Null: another cell's backup has them. */
  files: FileSource | null;
  place: BackupPlace;
  name: string;
  publicKeys: readonly string[];
  /** Where it is restored for a test; null: not at all. */
  scratch: ClientConfig | null;
  /** False: the file has a name of its own. */
  hasManifest: boolean;
  now: number;
  onDraft?(draft: string): Promise<void>;
  /** Called often, with what was read so far. Throws to stop. */
  onStep?(phase: 'writing' | 'verifying', counts: Counts): void;
  /** Just before the manifest: throws if another process has taken over. */
  onDone?(): Promise<void>;
}

export interface Made {
  manifest: Manifest;
  vanished: number;
}

export async function makeBackup(options: MakeOptions): Promise<Made> {
  const { connection, cell, files, place, name, publicKeys, scratch, now, onStep = () => {} } = options;
  const counts: Counts = { tables: 0, rows: 0, files: 0, vanished: 0 };
  const isEncrypted = publicKeys.length > 0;
  // A second key for the test restore of what is stored. It is never written anywhere and is gone when this returns.
  const own = isEncrypted && scratch ? await createKeyPair() : null;
  const snapshot = await openSnapshot(connection).catch((error) => {
    if (error.code !== '42P01') throw error;
    throw new BackupError('the database is empty: there is nothing to back up');
  });
  try {
    const lines = linesOf(snapshot, files ? listDataFiles(files) : none(), counts, {
      cell: cell === 'home' ? null : cell,
      now,
    });
    async function* steps(): AsyncGenerator<string> {
      for await (const line of lines) {
        onStep('writing', counts);
        yield line;
      }
    }
    const packed = pipeline(Readable.from(steps()), createGzip(), () => {});
    // The reader gets the error too. Without a reader it must not end the process.
    packed.on('error', () => {});
    const content = isEncrypted
      ? await encrypt(packed, own ? [...publicKeys, own.publicKey] : publicKeys)
      : packed;
    content.on('error', () => {});
    const written = await place.write(name, content, options.onDraft).catch((error) => {
      // Before the snapshot is closed: a read of it that is under way would fail.
      for (const stream of [content, packed]) stream.destroy();
      throw error;
    });
    await snapshot.close();
    const manifest: Manifest = {
      name,
      createdAt: now,
      version,
      cell,
      ...written,
      tables: counts.tables,
      rows: counts.rows,
      files: counts.files,
      isEncrypted,
      verifiedAt: null,
      unverified: scratch ? null : 'not asked for',
    };
    try {
      if (scratch)
        Object.assign(manifest, await test(options, manifest, own ? [own.privateKey] : [], counts));
      await options.onDone?.();
      if (options.hasManifest) await saveManifest(place, manifest);
    } catch (error) {
      await removeBackup(place, name).catch(() => {}); // it has no manifest: never listed as good
      throw error;
    }
    return { manifest, vanished: counts.vanished };
  } finally {
    await snapshot.close();
  }
}

async function test(
  { place, name, scratch, onStep }: MakeOptions,
  manifest: Manifest,
  privateKeys: string[],
  counts: Counts,
): Promise<Pick<Manifest, 'verifiedAt' | 'unverified'>> {
  const stored = await place.read(name);
  if (!stored) throw new BackupError('the backup is gone from its place');
  try {
    const found = await verifyBackup({
      stored,
      privateKeys,
      server: scratch!,
      onStep: () => onStep?.('verifying', counts),
    });
    if (found.rows !== manifest.rows || found.files !== manifest.files || found.tables !== manifest.tables) {
      throw new BackupError('what was stored is not what was written');
    }
    return { verifiedAt: Date.now(), unverified: null };
  } catch (error) {
    if (!(error instanceof ScratchRefused)) throw error;
    return { verifiedAt: null, unverified: error.message };
  }
}

async function* none() {}
