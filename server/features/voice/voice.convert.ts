/** Audio on a chat-app channel gets a copy in Ogg Opus; the original stays as it is. */
import { createReadStream } from 'node:fs';
import type { ConvertedFile } from '../../../contract/attachments.ts';
import type { MessageAttachment } from '../../../contract/messages.ts';
import { convertedType, mostConvertedBytes } from '../../platform/audio/audio-formats.ts';
import { NotConverted } from '../../platform/audio/ffmpeg.ts';
import type { JobHandler } from '../../platform/jobs.ts';
import { findStoredFile, storeConverted } from '../attachments/attachments.ts';
import { isAudio, patchMessageAttachment } from '../messages/messages.ts';
import { findVoiceMessage, mostStarts, placeOf, type VoiceContext, withAudio } from './voice.ts';

export function convertHandler(context: VoiceContext): JobHandler {
  return async (job) => {
    const { accountId, messageId } = placeOf(job);
    const found = await findVoiceMessage(context, placeOf(job));
    const sounds = found?.attachments.filter((file) => isAudio(file) && !file.converted) ?? [];
    const done = new Map<string, ConvertedFile>();
    for (const sound of sounds) {
      if (job.attempt > mostStarts) break;
      const converted = await convert(context, accountId, sound);
      if (converted) done.set(sound.fileKey, converted);
    }
    await context.db.transaction(async (tx) => {
      for (const [fileKey, converted] of done) {
        await patchMessageAttachment(tx, accountId, messageId, fileKey, { converted }, context.clock.now());
      }
      await job.complete(tx);
    });
  };
}

/** Null: it cannot be converted, and trying again would not help. */
async function convert(
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
        maxBytes: mostConvertedBytes,
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
