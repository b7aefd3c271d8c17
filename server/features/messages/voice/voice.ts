/** What audio jobs need and share. */
import { createReadStream } from 'node:fs';
import type { ConvertedFile } from '../../../../contract/messaging/attachments.ts';
import type { MessageAttachment } from '../../../../contract/messaging/messages.ts';
import type { Converter } from '../../../platform/audio/audio-converter.ts';
import { type AudioFile, convertedType, maxConvertedBytes } from '../../../platform/audio/audio-formats.ts';
import { NotConverted } from '../../../platform/audio/ffmpeg.ts';
import type { Recogniser } from '../../../platform/audio/recognised.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { emitFrozen } from '../../../platform/events/outbox.ts';
import type { Job } from '../../../platform/jobs/jobs.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import {
  createFileUrls,
  downloadUrlOf,
  type FileDeps,
  findStoredFile,
  storeConverted,
  withLocalFile,
} from '../../attachments/attachments.ts';
import type { AccountConfigCache, Directory } from '../../channels/channels.ts';
import { type SessionState, updateSession } from '../../sessions/sessions.ts';
import { forwardedAs, messageEvent } from '../messages.events.ts';
import { findMessage, type StoredMessage } from '../messages.sql.ts';
import { withScratch } from './voice.scratch.ts';

export interface VoiceContext extends FileDeps {
  config: { publicUrl: string };
  secrets: Secrets;
  logger: Logger;
  accountConfig: AccountConfigCache;
  converter: Converter;
  recogniser: Recogniser;
}

export interface VoicePlace {
  accountId: string;
  sessionId: string;
  messageId: string;
}

/** Tries before an unreachable server is given up. */
export const maxTries = 4;
/**
 * A file may be the reason if the service ended this many times while working on it. Far more than tries: a service
 * that restarts repeatedly mostly does so for other reasons, and its oldest work is hit each time.
 */
export const maxStarts = 9;

export function placeOf({ accountId, payload }: Job): VoicePlace {
  return { accountId, sessionId: String(payload.sessionId), messageId: String(payload.messageId) };
}

/** Null: it was deleted meanwhile. */
export async function findVoiceMessage(
  { db }: VoiceContext,
  { accountId, sessionId, messageId }: VoicePlace,
): Promise<{ message: StoredMessage; attachments: MessageAttachment[] } | null> {
  const message = await findMessage(db, accountId, sessionId, messageId);
  if (!message) return null;
  // The same file may be listed twice; it is processed once.
  const byKey = new Map((message.attachments as MessageAttachment[]).map((file) => [file.fileKey, file]));
  return { message, attachments: [...byKey.values()] };
}

/** The file's bytes and an empty folder to work in. Null: the file is gone. */
export function withAudio<T>(
  { blobs }: VoiceContext,
  accountId: string,
  { fileKey, contentType }: MessageAttachment,
  use: (audio: AudioFile, folder: string) => Promise<T>,
): Promise<T | null> {
  return withLocalFile(blobs, accountId, fileKey, (path) =>
    withScratch((folder) => use({ path, contentType }, folder)),
  );
}

export type SentConvertedFile = ConvertedFile & { downloadUrl: string };

/** A converted file in message webhooks. */
export function withDownloadUrl(
  { config, secrets }: VoiceContext,
  accountId: string,
  now: number,
  converted: ConvertedFile,
): SentConvertedFile {
  const urls = createFileUrls(secrets);
  return { ...converted, downloadUrl: downloadUrlOf(urls, config.publicUrl, accountId, converted, now) };
}

/** Sends late audio results to the webhook that got the message. */
export async function emitAfterwards(
  tx: Tx,
  context: VoiceContext,
  event: 'message_transcribed' | 'message_converted',
  place: { accountId: string; now: number; directory: Directory; state: SessionState },
  message: StoredMessage,
): Promise<void> {
  const { accountId, now, directory, state } = place;
  const channel = directory.channels.get(state.channelId);
  if (!channel?.webhookUrl) return;
  const isCustomers = message.role === 'user';
  const direction = isCustomers ? forwardedAs(channel, message.isEcho) : 'outgoing';
  if (!direction) return;
  const agentId = isCustomers ? state.agentId : message.agentId;
  const session: SessionState = { ...state, eventSequence: state.eventSequence + 1, updatedAt: now };
  const attachments = (message.attachments as MessageAttachment[]).map(({ converted, ...file }) => ({
    ...file,
    ...(converted && { converted: withDownloadUrl(context, accountId, now, converted) }),
  }));
  await emitFrozen(
    tx,
    messageEvent({
      accountId,
      event,
      direction,
      session,
      channel,
      agent: agentId === null ? null : (directory.agents.get(agentId) ?? null),
      message: { ...message, attachments },
      sequence: session.eventSequence,
      now,
    }),
  );
  await updateSession(tx, accountId, session);
}

/** Null: it cannot be converted, and a retry would not help. */
export async function convertToOpus(
  context: VoiceContext,
  accountId: string,
  sound: MessageAttachment,
): Promise<ConvertedFile | null> {
  const { fileKey } = sound;
  const stored = await findStoredFile(context.db, accountId, fileKey);
  if (stored?.converted) return stored.converted;
  try {
    return await withAudio(context, accountId, sound, async (audio, folder) => {
      const path = await context.converter.toOpus(audio, folder);
      return storeConverted(context, accountId, fileKey, {
        chunks: createReadStream(path),
        maxBytes: maxConvertedBytes,
        fileName: `${sound.fileName.replace(/\.[^.]*$/, '')}.ogg`,
        contentType: convertedType,
      });
    });
  } catch (error) {
    if (!(error instanceof NotConverted)) throw error;
    context.logger.warn({ accountId, fileKey, reason: error.message }, 'audio was not converted');
    return null;
  }
}
