/**
 * Converts audio on a chat-app channel to Ogg Opus; the original is unchanged. The message_created that waited for
 * the copy is sent in the transaction that ends the job.
 */
import type { ConvertedFile } from '../../../../contract/messaging/attachments.ts';
import type { MessageAttachment } from '../../../../contract/messaging/messages.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { findEventBody, type Settled, settleEvent } from '../../../platform/events/awaited-event.ts';
import type { Job, JobHandler } from '../../../platform/jobs/jobs.ts';
import type { Directory } from '../../channels/channels.ts';
import { openSession } from '../../sessions/sessions.ts';
import { patchMessageAttachment, type StoredMessage } from '../messages.sql.ts';
import { isAudio } from '../messages.voice.ts';
import {
  convertToOpus,
  emitAfterwards,
  findVoiceMessage,
  maxStarts,
  placeOf,
  type VoiceContext,
  withDownloadUrl,
} from './voice.ts';

export function convertHandler(context: VoiceContext): JobHandler {
  return async (job) => {
    const { accountId } = job;
    const found = await findVoiceMessage(context, placeOf(job));
    const done = new Map<string, ConvertedFile>();
    for (const sound of found?.attachments.filter(isAudio) ?? []) {
      if (job.attempt > maxStarts) break;
      const converted = sound.converted ?? (await convertToOpus(context, accountId, sound));
      if (converted) done.set(sound.fileKey, converted);
    }
    const { directory } = await context.accountConfig.fresh(accountId);
    await commit(context, job, directory, done);
  };
}

async function commit(
  context: VoiceContext,
  job: Job,
  directory: Directory,
  done: ReadonlyMap<string, ConvertedFile>,
): Promise<void> {
  const { accountId, sessionId, messageId } = placeOf(job);
  const { awaitedEventId } = job.payload;
  await context.db.transaction(async (tx) => {
    const { state, isBlocked } = await openSession(tx, accountId, sessionId);
    const now = context.clock.now();
    let message: StoredMessage | null = null;
    for (const [fileKey, converted] of done) {
      message =
        (await patchMessageAttachment(tx, accountId, messageId, fileKey, { converted }, now)) ?? message;
    }
    if (typeof awaitedEventId === 'string') {
      const settled = await settle(tx, context, accountId, awaitedEventId, done, now);
      if (settled === 'sent' && state && message && !isBlocked()) {
        await emitAfterwards(tx, context, 'message_converted', { accountId, now, directory, state }, message);
      }
    }
    await job.complete(tx);
  });
}

/** The waiting message_created is sent now: with the converted files, or unchanged if there are none. */
async function settle(
  tx: Tx,
  context: VoiceContext,
  accountId: string,
  eventId: string,
  done: ReadonlyMap<string, ConvertedFile>,
  now: number,
): Promise<Settled> {
  const body = done.size === 0 ? null : await findEventBody(tx, accountId, eventId);
  if (body) {
    const { message } = body.data as { message: { attachments: MessageAttachment[] } };
    message.attachments = message.attachments.map((file) => {
      const converted = done.get(file.fileKey);
      return converted ? { ...file, converted: withDownloadUrl(context, accountId, now, converted) } : file;
    });
  }
  return settleEvent(tx, accountId, eventId, body);
}
