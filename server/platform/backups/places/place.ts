/** Where backups are kept: a folder, or a prefix in a bucket. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

export interface Written {
  bytes: number;
  sha256: string;
}

export interface BackupPlace {
  /** As in BACKUP_TO. */
  readonly text: string;
  /** False: the folder is missing. A bucket answers with an error itself. */
  exists(): Promise<boolean>;
  /** Unfinished files are not part of it. */
  list(): Promise<{ name: string; bytes: number }[]>;
  /**
   * Stores all of it under the name, or nothing; durable when it returns. `onDraft` receives what `discard` needs if
   * this process is killed.
   */
  write(name: string, content: Readable, onDraft?: (draft: string) => Promise<void>): Promise<Written>;
  /** What a killed process has left. */
  discard(name: string, draft: string): Promise<void>;
  /** Null: there is none. */
  read(name: string): Promise<Readable | null>;
  /** A missing one is not an error. */
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}

const bucketForm = /^s3:\/\/([a-z0-9][a-z0-9.-]+)(?:\/([A-Za-z0-9_.\-/]*))?$/;

/** Null: it is a folder. Throws what is wrong. */
export function parseBucket(place: string): { bucket: string; prefix: string } | null {
  if (!place.startsWith('s3:')) return null;
  const found = bucketForm.exec(place);
  if (!found) throw new Error('must be a folder, or s3://bucket/prefix');
  const prefix = (found[2] ?? '').replaceAll(/^\/+|\/+$/g, '');
  return { bucket: found[1]!, prefix: prefix && `${prefix}/` };
}

/** Counts and hashes what passes. */
export async function* measure(content: Readable, onEnd: (written: Written) => void): AsyncGenerator<Buffer> {
  const sum = createHash('sha256');
  let bytes = 0;
  for await (const chunk of content) {
    sum.update(chunk);
    bytes += chunk.length;
    yield chunk;
  }
  onEnd({ bytes, sha256: sum.digest('hex') });
}
