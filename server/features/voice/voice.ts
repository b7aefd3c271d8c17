/** What the work on voice messages needs, and what both kinds of it share. */
import type { MessageAttachment } from '../../../contract/messages.ts';
import type { Converter } from '../../platform/audio/audio-converter.ts';
import type { AudioFile } from '../../platform/audio/audio-formats.ts';
import type { Recogniser } from '../../platform/audio/recognised.ts';
import type { Job } from '../../platform/jobs.ts';
import type { Logger } from '../../platform/logger.ts';
import { type FileDeps, withLocalFile } from '../attachments/attachments.ts';
import type { DirectoryCache } from '../channels/channels.ts';
import type { DefinitionsCache } from '../kanbans/kanbans.ts';
import { findMessage, type StoredMessage } from '../messages/messages.ts';
import { withScratch } from './voice.scratch.ts';

export interface VoiceContext extends FileDeps {
  logger: Logger;
  definitions: DefinitionsCache;
  directory: DirectoryCache;
  converter: Converter;
  recogniser: Recogniser;
}

export interface VoicePlace {
  accountId: string;
  sessionId: string;
  messageId: string;
}

/** A server that stays away is given up after so many tries. */
export const mostTries = 4;
/**
 * A file during whose work the service was ended so many times may be what ends it. Far more than tries: whoever ends a
 * service again and again mostly does so for other reasons, and its oldest work is hit each time.
 */
export const mostStarts = 9;

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
  // The same file may be named twice; it is worked on once.
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
