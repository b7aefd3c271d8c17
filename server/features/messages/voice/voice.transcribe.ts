/**
 * The transcript of a voice message: on the message, to the channel's webhook, and to the reply that waits for it, in
 * one transaction. Every failure ends as `transcript { error }`, and the conversation continues.
 */
import type { Transcript } from '../../../../contract/messaging/attachments.ts';
import type { MessageAttachment } from '../../../../contract/messaging/messages.ts';
import { NotConverted } from '../../../platform/audio/ffmpeg.ts';
import { NotRecognised } from '../../../platform/audio/recognised.ts';
import type { Job, JobHandler } from '../../../platform/jobs/jobs.ts';
import { findStoredFile, keepTranscript } from '../../attachments/attachments.ts';
import type { Directory } from '../../channels/channels.ts';
import { findSession, openSession } from '../../sessions/sessions.ts';
import { endWaitForTranscript } from '../messages.commit.sql.ts';
import { patchMessageAttachment, type StoredMessage } from '../messages.sql.ts';
import { wantsTranscript } from '../messages.voice.ts';
import {
  emitAfterwards,
  findVoiceMessage,
  maxStarts,
  maxTries,
  placeOf,
  type VoiceContext,
  withAudio,
} from './voice.ts';

const failed: Transcript = { error: 'the transcription failed' };

export function transcribeHandler(context: VoiceContext): JobHandler {
  return async (job) => {
    const place = placeOf(job);
    const found = await findVoiceMessage(context, place);
    const { directory } = await context.accountConfig.fresh(place.accountId);
    const done = new Map<string, Transcript>();
    const session = await findSession(context.db, place.accountId, place.sessionId);
    const channel = session && directory.channels.get(session.channelId);
    for (const file of found?.attachments ?? []) {
      if (!channel || file.transcript || !wantsTranscript(channel, file)) continue;
      done.set(file.fileKey, await transcribe(context, job, file));
    }
    await commit(context, job, directory, done);
  };
}

async function transcribe(context: VoiceContext, job: Job, file: MessageAttachment): Promise<Transcript> {
  const { accountId } = job;
  const stored = await findStoredFile(context.db, accountId, file.fileKey);
  if (stored?.transcript) return stored.transcript;
  if (job.attempt > maxStarts) return failed;
  try {
    const recognised = await withAudio(context, accountId, file, (audio, folder) =>
      context.recogniser.recognise(audio, folder),
    );
    return recognised ?? { error: 'the file is gone' };
  } catch (error) {
    if (error instanceof NotRecognised || error instanceof NotConverted) return { error: error.message };
    if (job.attempt < maxTries) throw error;
    context.logger.warn(
      { err: error, accountId, fileKey: file.fileKey },
      'a voice message was not transcribed',
    );
    return failed;
  }
}

async function commit(
  context: VoiceContext,
  job: Job,
  directory: Directory,
  done: ReadonlyMap<string, Transcript>,
): Promise<void> {
  const { accountId, sessionId, messageId } = placeOf(job);
  const batchWindowMs = Number(job.payload.batchWindowMs ?? 0);
  await context.db.transaction(async (tx) => {
    const { state, isBlocked } = await openSession(tx, accountId, sessionId);
    const now = context.clock.now();
    let message: StoredMessage | null = null;
    for (const [fileKey, transcript] of done) {
      const patched = await patchMessageAttachment(tx, accountId, messageId, fileKey, { transcript }, now);
      message = patched ?? message;
      // An error may be local or transient; another message with the file tries again.
      if ('text' in transcript) await keepTranscript(tx, accountId, fileKey, transcript);
    }
    if (state && message && !isBlocked()) {
      await emitAfterwards(tx, context, 'message_transcribed', { accountId, now, directory, state }, message);
    }
    await endWaitForTranscript(tx, accountId, { sessionId, messageId, batchWindowMs });
    await job.complete(tx);
  });
}
