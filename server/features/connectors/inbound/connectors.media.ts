/** Files that come with a message: fetched, checked as any upload, stored. What cannot be stored becomes a line of text. */
import { attachmentKinds, limits } from '../../../../contract/limits.ts';
import type { AttachmentRef } from '../../../../contract/messaging/messages.ts';
import { AppError, isTemporary } from '../../../platform/http/errors.ts';
import {
  announceUpload,
  discardUpload,
  type FileDeps,
  kindOf,
  receiveUpload,
} from '../../attachments/attachments.ts';
import type { OpenLink } from '../connectors.links.ts';
import { type FetchedMedia, type InboundMedia, ProviderError } from '../connectors.provider.ts';

/** A provider that does not deliver a file within these attempts is not waited for any longer. */
const maxAttempts = 6;
const maxFileBytes = Math.max(...Object.values(attachmentKinds).map(({ maxBytes }) => maxBytes));

export interface ReceivedMedia {
  attachments: AttachmentRef[];
  /** What could not be received, and why. */
  lines: string[];
}

export async function receiveMedia(
  deps: FileDeps,
  opened: OpenLink,
  media: readonly InboundMedia[],
  attempts: number,
): Promise<ReceivedMedia> {
  const received: ReceivedMedia = { attachments: [], lines: [] };
  let bytes = 0;
  for (const one of media) {
    try {
      if (received.attachments.length >= limits.attachmentsPerMessage)
        throw new NotTaken(`a message has at most ${limits.attachmentsPerMessage} files`);
      const file = await fetchOne(opened, one);
      bytes += file.bytes.length;
      if (bytes > limits.attachmentBytesPerMessage) throw new NotTaken('the files are too large together');
      received.attachments.push(await store(deps, opened.link.accountId, one, file));
    } catch (error) {
      received.lines.push(lineOf(opened, one, reasonOf(error, attempts)));
    }
  }
  return received;
}

class NotTaken extends Error {}

async function fetchOne({ provider, link }: OpenLink, media: InboundMedia): Promise<FetchedMedia> {
  if (media.base64 !== undefined) {
    const { mimeType, fileName } = media;
    return { bytes: Buffer.from(media.base64, 'base64'), mimeType, fileName };
  }
  const kind = media.mimeType === null ? null : kindOf(media.mimeType);
  const maxBytes = kind === null ? maxFileBytes : attachmentKinds[kind].maxBytes;
  if (media.bytes !== null && media.bytes > maxBytes) throw tooLarge(maxBytes);
  const file = await provider.fetchMedia(link, media, maxBytes);
  if (file.bytes.length > maxBytes) throw tooLarge(maxBytes);
  return file;
}

const tooLarge = (maxBytes: number) => new NotTaken(`it is larger than ${maxBytes / 1024 / 1024} MB`);

async function store(
  deps: FileDeps,
  accountId: string,
  media: InboundMedia,
  file: FetchedMedia,
): Promise<AttachmentRef> {
  const contentType = typeOf(file.mimeType ?? media.mimeType);
  if (file.bytes.length === 0) throw new NotTaken('it is empty');
  const fileName = nameOf(file.fileName ?? media.fileName, media.kind, contentType);
  const announced = { fileName, contentType, size: file.bytes.length };
  const uploader = { accountId, id: 'system' };
  const use = await deps.db.transaction((tx) => announceUpload(tx, deps.clock.now(), uploader, announced));
  try {
    await receiveUpload(deps, use, chunksOf(file.bytes));
  } catch (error) {
    await deps.db.transaction((tx) => discardUpload(tx, accountId, use.fileKey));
    throw error;
  }
  return { fileKey: use.fileKey, ...announced };
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** Parameters that we do not take, such as those of a voice message's codec, are left out. */
function typeOf(mimeType: string | null): string {
  return (mimeType ?? 'application/octet-stream').split(';', 1)[0]!.trim().toLowerCase();
}

const endings: Record<string, string> = {
  'image/jpeg': 'jpg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'video/quicktime': 'mov',
  'text/plain': 'txt',
};

function nameOf(given: string | null, kind: InboundMedia['kind'], contentType: string): string {
  const name = given?.trim().slice(0, limits.fileNameLength).toWellFormed();
  return name || `${kind}.${endings[contentType] ?? contentType.split('/')[1] ?? 'bin'}`;
}

/** Rethrows what may go well later. */
function reasonOf(error: unknown, attempts: number): string {
  if (error instanceof NotTaken) return error.message;
  if (error instanceof ProviderError) {
    if (error.errorClass === 'gone') return 'it no longer exists at the provider';
    if (error.errorClass === 'final') return error.message;
    if (error.errorClass === 'credentials' || error.errorClass === 'unlinked') throw error;
    if (attempts + 1 < maxAttempts) throw error;
    return 'the provider did not deliver it';
  }
  if (!(error instanceof AppError) || isTemporary(error)) throw error;
  if (error.code === 'STORAGE_QUOTA' || error.code === 'DISK_FULL') return 'there is no storage left for it';
  return error.message.includes('not a supported file type')
    ? 'files of this type are not taken'
    : error.message;
}

function lineOf({ redact }: OpenLink, { fileName, kind }: InboundMedia, reason: string): string {
  return redact(`[File not received: ${fileName?.trim() || kind}. Reason: ${reason}.]`);
}
