/**
 * Indexes in files, so that the first search after a start need not read all records. A file is used only if its
 * checksums are right, this code could have written it, and the database says that it counts. Otherwise it is removed, and
 * the index is built from the database. A file that only could not be read stays.
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
import {
  deleteFiles,
  deleteFilesOf,
  type FileState,
  insertFile,
  isFileGood,
  selectGoodFiles,
  selectTimeline,
} from './search.files.sql.ts';

/** An index and how far it is. */
export interface KeptIndex {
  index: SearchIndex;
  position: Position;
  /** The position of its first read: what was removed later may still be in it. */
  builtAt: Position;
  /** When the position was read, by the clock of the database. */
  readAt: number;
  /** Of the server, when the first read began. */
  timeline: string;
}

/** `refused`: the index must be built anew. `stopped`: it has changed meanwhile. */
export type SaveOutcome = 'saved' | 'stopped' | 'refused' | 'failed';

export interface IndexFiles {
  /** Smaller indexes are built faster than a file is worth. */
  readonly minRecords: number;
  load(accountId: string): Promise<KeptIndex | null>;
  save(accountId: string, kept: KeptIndex, mayGoOn: () => boolean): Promise<SaveOutcome>;
  /** At once here; other processes remove theirs with the next sweep. */
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

interface About extends FileState {
  documents: number;
  xid: string;
}

/** The file stays, and the index is not built: the next query asks again. */
class NotAnswered extends Error {}

const sweepEveryMs = 30_000;
const minRecords = 2_000;

export function createIndexFiles(db: Db, settings: FilesSettings): IndexFiles {
  const { logger } = settings;
  /** A problem is said once, and again after it was over. */
  const said = new Set<string>();
  const sayOnce = (problem: string, about: { accountId?: string; reason: string }, text: string) => {
    if (said.has(problem)) return;
    said.add(problem);
    logger.warn(about, text);
  };
  let isClosed = false;
  let isSwept = true;
  const sweepFailed = (error: unknown, accountId?: string) => {
    isSwept = false;
    const reason = (error as Error).message;
    sayOnce(
      'sweep',
      { ...(accountId && { accountId }), reason },
      'files of search indexes could not be read or removed',
    );
  };
  const folder = new FileFolder(settings.folder, sweepFailed);

  const discard = async (files: readonly IndexFile[]) => {
    if (files.length === 0) return;
    for (const file of files) await folder.remove(file);
    await deleteFiles(
      db,
      files.map(({ id }) => id),
    );
  };

  const timelineIfGood = async (about: About): Promise<string | null> => {
    try {
      const timeline = await selectTimeline(db);
      return (await isFileGood(db, { ...about, timeline })) ? timeline : null;
    } catch (error) {
      throw new NotAnswered('the database did not say whether a file counts', { cause: error });
    }
  };

  const read = async ({ id, accountId, path }: IndexFile): Promise<KeptIndex> => {
    const file = await open(path, 'r');
    try {
      const opened = await readHeader<About>(file);
      const { about } = opened.header;
      if (about.documents !== DOCUMENTS_VERSION) throw new UnusableFile('it has another version');
      if (about.accountId !== accountId || about.id !== id)
        throw new UnusableFile('it is of another account');
      const timeline = await timelineIfGood(about);
      if (timeline === null) {
        throw new UnusableFile('it is too old, of another database, or from before an erasure');
      }
      const { position, builtAt, readAt } = about;
      return { index: await readIndex(file, opened), position, builtAt, readAt, timeline };
    } finally {
      await file.close();
    }
  };

  /** What is in the way; null: there is room. */
  const makeRoom = async (bytes: number, accountId: string): Promise<string | null> => {
    if (bytes > settings.maxBytes) return 'it is larger than SEARCH_FILES_MB';
    // Those of the account itself are replaced.
    const others = (await folder.all()).filter((file) => file.accountId !== accountId);
    let taken = others.reduce((sum, file) => sum + file.bytes, bytes);
    const removed: IndexFile[] = [];
    for (const file of others.sort((a, b) => a.usedAt - b.usedAt)) {
      if (taken <= settings.maxBytes) break;
      removed.push(file);
      taken -= file.bytes;
    }
    const { bavail, bsize } = await statfs(dirname(dirname(settings.folder)));
    const freed = removed.reduce((sum, file) => sum + file.bytes, 0);
    if (bavail * bsize + freed - bytes < settings.minFreeBytes) return 'the disk is full';
    await discard(removed);
    return null;
  };

  const save: IndexFiles['save'] = async (accountId, { index, timeline, ...kept }, mayGoOn) => {
    const { changes } = index;
    const isUnchanged = () => index.changes === changes && mayGoOn();
    const obstacle = await makeRoom(index.byteLength, accountId);
    if (obstacle) {
      sayOnce(accountId, { accountId, reason: obstacle }, 'a search index could not be written');
      return 'failed';
    }
    said.delete(accountId);
    const before = await folder.filesOf(accountId);
    const state: FileState = { id: randomUUID(), accountId, ...kept };
    if (!isUnchanged()) return 'stopped';
    const xid = await insertFile(db, { ...state, timeline });
    if (xid === null) return 'refused';
    const about: About = { documents: DOCUMENTS_VERSION, ...state, xid };
    const isWritten = await folder
      .write(
        accountId,
        state.id,
        (file) => writeIndex(file, index, about, isUnchanged),
        () => isFileGood(db, { ...about, timeline }),
      )
      .catch(async (error) => {
        await deleteFiles(db, [state.id]).catch(() => undefined);
        throw error;
      });
    if (!isWritten) {
      await deleteFiles(db, [state.id]).catch(() => undefined);
      return 'refused';
    }
    await discard(before);
    return 'saved';
  };

  const sweep = async () => {
    isSwept = true;
    await folder.removeAbandoned();
    const files = await folder.all();
    const ids = files.map(({ id }) => id);
    const good = ids.length === 0 ? new Set() : await selectGoodFiles(db, ids);
    const removed: string[] = [];
    for (const file of files) {
      if (isClosed) break;
      if (good.has(file.id)) continue;
      await folder.remove(file).then(
        () => removed.push(file.id),
        (error) => sweepFailed(error, file.accountId),
      );
    }
    if (removed.length > 0) await deleteFiles(db, removed);
    if (isSwept) said.delete('sweep');
  };

  let sweeping: Promise<void> = Promise.resolve();
  const sweepNow = () => {
    // One after the other; the next one tries again what failed.
    sweeping = sweeping.then(() => (isClosed ? undefined : sweep())).catch((error) => sweepFailed(error));
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
          if (error instanceof NotAnswered) throw error.cause;
          // Another process has just replaced it.
          if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
          const about = { accountId, reason: (error as Error).message };
          if (error instanceof UnusableFile) {
            logger.info(about, 'a search index is built anew');
            await discard([file]).catch(() => undefined);
          } else {
            // As too many open files: it says nothing about this file.
            logger.warn(about, 'a search index could not be read from its file');
          }
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
      await deleteFilesOf(db, accountId);
      for (const file of await folder.filesOf(accountId)) await folder.remove(file);
    },

    sweep: sweepNow,
    timeline: () => selectTimeline(db),

    async close() {
      clearInterval(timer);
      isClosed = true;
      await sweeping;
    },
  };
}
