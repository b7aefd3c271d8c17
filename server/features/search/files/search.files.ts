/**
 * Indexes in files, so that the first search after a start need not read all records. A file is used only if its
 * checksums are right, this code could have written it, and the database says that it counts. Everything else is
 * removed, and the index is built from the database.
 */
import { randomUUID } from 'node:crypto';
import { open, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Db } from '../../../platform/db/db.ts';
import type { Logger } from '../../../platform/logger.ts';
import { UnusableFile } from '../../../search-engine/snapshot/format.ts';
import { readHeader, readIndex } from '../../../search-engine/snapshot/read-index.ts';
import { WriteStopped, writeIndex } from '../../../search-engine/snapshot/write-index.ts';
import type { SearchIndex } from '../../../search-engine/store/index.ts';
import { DOCUMENTS_VERSION } from '../account-index/search.documents.ts';
import type { Position } from '../account-index/search.source.ts';
import { FileFolder, type IndexFile } from './search.file-folder.ts';
import { deleteFiles, insertFile, isFileGood, selectGoodFiles, selectTimeline } from './search.files.sql.ts';

/** An index and how far it is. */
export interface KeptIndex {
  index: SearchIndex;
  position: Position;
  /** The position of its first read: what was removed later may still be in it. */
  builtAt: Position;
  /** Of the server, then. */
  timeline: string;
}

/** `refused`: the index must be built anew. `stopped`: it has changed meanwhile. */
export type SaveOutcome = 'saved' | 'stopped' | 'refused' | 'failed';

export interface StoredIndex extends KeptIndex {
  writtenAt: number;
}

export interface IndexFiles {
  /** Smaller indexes are built faster than a file is worth. */
  readonly minRecords: number;
  load(accountId: string): Promise<StoredIndex | null>;
  save(accountId: string, kept: KeptIndex, mayGoOn: () => boolean): Promise<SaveOutcome>;
  /** Those of this process's folder. */
  remove(accountId: string): Promise<void>;
  /** Removes files that no longer count: of deleted and moved accounts, and of accounts with an erased person. */
  sweep(): Promise<void>;
  timeline(): Promise<string>;
  close(): Promise<void>;
}

export interface FilesSettings {
  folder: string;
  maxBytes: number;
  /** As much of the disk stays free. */
  minFreeBytes: number;
  logger: Pick<Logger, 'info' | 'warn'>;
  minRecords?: number;
}

interface About {
  writtenAt: number;
  documents: number;
  accountId: string;
  id: string;
  xid: string;
  position: Position;
  builtAt: Position;
}

const sweepEveryMs = 30_000;
const minRecords = 2_000;

export function createIndexFiles(db: Db, settings: FilesSettings): IndexFiles {
  const { logger } = settings;
  const folder = new FileFolder(settings.folder);

  const discard = async (files: readonly IndexFile[]) => {
    if (files.length === 0) return;
    for (const file of files) await folder.remove(file);
    await deleteFiles(
      db,
      files.map(({ id }) => id),
    );
  };

  const read = async ({ id, accountId, path }: IndexFile): Promise<StoredIndex> => {
    const file = await open(path, 'r');
    try {
      const opened = await readHeader<About>(file);
      const { about } = opened.header;
      if (about.documents !== DOCUMENTS_VERSION) throw new UnusableFile('it has another version');
      if (about.accountId !== accountId || about.id !== id)
        throw new UnusableFile('it is of another account');
      if (!(await isFileGood(db, about))) {
        throw new UnusableFile('it is too old, of another database, or from before an erasure');
      }
      const timeline = await selectTimeline(db);
      const index = await readIndex(file, opened);
      const { position, builtAt, writtenAt } = about;
      return { index, position, builtAt, timeline, writtenAt };
    } finally {
      await file.close();
    }
  };

  const makeRoom = async (bytes: number, accountId: string): Promise<boolean> => {
    if (bytes > settings.maxBytes) return false;
    // Those of the account itself are replaced.
    const others = (await folder.all()).filter((file) => file.accountId !== accountId);
    let taken = others.reduce((sum, file) => sum + file.bytes, bytes);
    const removed: IndexFile[] = [];
    for (const file of others.sort((a, b) => a.usedAt - b.usedAt)) {
      if (taken <= settings.maxBytes) break;
      removed.push(file);
      taken -= file.bytes;
    }
    await discard(removed);
    const { bavail, bsize } = await statfs(dirname(dirname(settings.folder)));
    return bavail * bsize - bytes >= settings.minFreeBytes;
  };

  const save: IndexFiles['save'] = async (accountId, { index, position, builtAt, timeline }, mayGoOn) => {
    const { changes } = index;
    const isUnchanged = () => index.changes === changes && mayGoOn();
    if (!(await makeRoom(index.byteLength, accountId))) return 'failed';
    if (timeline !== (await selectTimeline(db))) return 'refused';
    const before = await folder.filesOf(accountId);
    const state = { id: randomUUID(), accountId, position, builtAt };
    if (!isUnchanged()) return 'stopped';
    const xid = await insertFile(db, state);
    if (xid === null) return 'refused';
    const about: About = { documents: DOCUMENTS_VERSION, writtenAt: Date.now(), ...state, xid };
    const isWritten = await folder
      .write(
        accountId,
        state.id,
        (file) => writeIndex(file, index, about, isUnchanged),
        () => isFileGood(db, about),
      )
      .catch(async (error) => {
        await deleteFiles(db, [state.id]).catch(() => undefined);
        throw error;
      });
    if (!isWritten) return 'refused';
    await discard(before);
    return 'saved';
  };

  const sweep = async () => {
    await folder.removeAbandoned();
    const files = await folder.all();
    if (files.length === 0) return;
    const good = await selectGoodFiles(
      db,
      files.map(({ id }) => id),
    );
    await discard(files.filter(({ id }) => !good.has(id)));
  };

  let sweeping: Promise<void> = Promise.resolve();
  const sweepNow = () => {
    // One after the other; the next one tries again what failed.
    sweeping = sweeping.then(sweep).catch(() => undefined);
    return sweeping;
  };
  const timer = setInterval(sweepNow, sweepEveryMs).unref();
  sweepNow();

  return {
    minRecords: settings.minRecords ?? minRecords,

    async load(accountId) {
      for (const file of await folder.filesOf(accountId).catch(() => [])) {
        try {
          const kept = await read(file);
          await folder.touch(file);
          return kept;
        } catch (error) {
          // Another process has just replaced it.
          if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
          logger.info({ accountId, reason: (error as Error).message }, 'a search index is built anew');
          await discard([file]).catch(() => undefined);
        }
      }
      return null;
    },

    async save(accountId, kept, mayGoOn) {
      try {
        return await save(accountId, kept, mayGoOn);
      } catch (error) {
        if (error instanceof WriteStopped) return 'stopped';
        logger.warn({ accountId, reason: (error as Error).message }, 'a search index could not be written');
        return 'failed';
      }
    },

    async remove(accountId) {
      await discard(await folder.filesOf(accountId));
    },

    sweep: sweepNow,
    timeline: () => selectTimeline(db),

    async close() {
      clearInterval(timer);
      await sweeping;
    },
  };
}
