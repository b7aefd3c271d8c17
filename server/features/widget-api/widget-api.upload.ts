/** Uploads of visitors: only into an existing conversation, and within the quotas of visitor and channel. */

import { visitorLimits } from '../../../contract/limits.ts';
import type { UploadRequest } from '../../../contract/messaging/attachments.ts';
import type { Db, Tx } from '../../platform/db/db.ts';
import { forbidden, storageQuota } from '../../platform/http/errors.ts';
import { utcDay } from '../../platform/limits/account-usage.ts';
import { type DiskFloor, requireFreeDisk } from '../../platform/limits/storage-quota.ts';
import type { Logger } from '../../platform/logger.ts';
import {
  announceUpload,
  discardUpload,
  type FileDeps,
  receiveUpload,
  visitorUpload,
} from '../attachments/attachments.ts';
import { openVisitorSession } from '../sessions/sessions.ts';
import { addUploadUsage, deleteUploadUsage, insertUpload, removeUploadUsage } from './widget-api.sql.ts';
import type { Visitor } from './widget-api.visitor.ts';

const dayMs = 86_400_000;

export interface VisitorUploadDeps extends FileDeps {
  config: DiskFloor;
  logger: Logger;
}

/** Returns the key of the file. Everything is counted before the first byte is read, and released if it fails. */
export async function takeVisitorUpload(
  deps: VisitorUploadDeps,
  visitor: Visitor,
  file: UploadRequest,
  chunks: AsyncIterable<Buffer>,
): Promise<string> {
  const { db, clock, config, logger } = deps;
  const { accountId, sessionId } = visitor;
  if (file.size > visitorLimits.fileBytes) {
    throw storageQuota(`a visitor's file has at most ${megabytes(visitorLimits.fileBytes)} MB`);
  }
  await requireFreeDisk(config);
  const now = clock.now();
  const day = utcDay(now);
  const use = await db.transaction(async (tx) => {
    await requireConversation(tx, visitor);
    const announced = await announceUpload(tx, now, { accountId, id: visitorUpload }, file);
    await insertUpload(tx, accountId, announced.fileKey, sessionId);
    await countUpload(tx, visitor, day, file.size);
    return announced;
  });
  try {
    await receiveUpload(deps, use, chunks);
  } catch (error) {
    await db
      .transaction((tx) => giveBack(tx, visitor, use.fileKey, day, file.size))
      .catch((err) => logger.warn({ err }, 'the quota of a failed visitor upload was not released'));
    throw error;
  }
  return use.fileKey;
}

/** A blocked visitor's messages are dropped silently; their upload is accepted for the same reason. */
async function requireConversation(tx: Tx, visitor: Visitor): Promise<void> {
  const { state, isBlocked } = await openVisitorSession(tx, visitor);
  if (!state && !isBlocked()) throw forbidden('send a message before you upload a file');
}

const subjectsOf = ({ sessionId, channelId }: Visitor) => ({
  visitor: `visitor/${sessionId}`,
  channel: `channel/${channelId}`,
});

async function countUpload(tx: Tx, visitor: Visitor, day: string, bytes: number): Promise<void> {
  const { accountId } = visitor;
  const subjects = subjectsOf(visitor);
  const { bytesPerDay, channelBytesPerDay } = visitorLimits;
  if (!(await addUploadUsage(tx, accountId, { subject: subjects.visitor, day, bytes, limit: bytesPerDay }))) {
    throw storageQuota(`a visitor uploads at most ${megabytes(bytesPerDay)} MB a day`);
  }
  const ofChannel = { subject: subjects.channel, day, bytes, limit: channelBytesPerDay };
  if (!(await addUploadUsage(tx, accountId, ofChannel))) {
    throw storageQuota(
      `the visitors of this channel upload at most ${megabytes(channelBytesPerDay)} MB a day`,
    );
  }
}

/** Locks in the order of the upload: the counter of the account, then those of visitor and channel. */
async function giveBack(
  tx: Tx,
  visitor: Visitor,
  fileKey: string,
  day: string,
  bytes: number,
): Promise<void> {
  const { accountId } = visitor;
  if (!(await discardUpload(tx, accountId, fileKey))) return;
  for (const subject of Object.values(subjectsOf(visitor))) {
    await removeUploadUsage(tx, accountId, { subject, day, bytes });
  }
}

/** Counters of past days, also by a clock that is a day behind. */
export async function pruneUploadUsage(db: Db, now: number): Promise<void> {
  await db.transaction((tx) => deleteUploadUsage(tx, utcDay(now - dayMs)));
}

const megabytes = (bytes: number) => bytes / 1024 / 1024;
