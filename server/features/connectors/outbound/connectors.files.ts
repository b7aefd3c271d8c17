/** A message's file as its provider takes it: by kind, voice messages as Ogg Opus, as bytes or as an address. */
import { readFile } from 'node:fs/promises';
import type { MessageAttachment } from '../../../../contract/messaging/messages.ts';
import { createFileUrls, downloadUrlOf, essenceOf, withLocalFile } from '../../attachments/attachments.ts';
import { convertToOpus, isAudio, type VoiceContext } from '../../messages/messages.ts';
import { type OutboundFile, ProviderError, type ProviderLimits } from '../connectors.provider.ts';

type Kind = OutboundFile['kind'];

/** Pictures that every provider shows; others are sent as documents. */
const pictures = ['image/jpeg', 'image/png', 'image/webp'];
const megabyte = 1024 * 1024;

/** Everything but its bytes, which are read when it is sent. */
export interface PreparedFile {
  file: OutboundFile;
  /** Bytes that sending it takes in memory. */
  size: number;
  read(): Promise<OutboundFile>;
}

export async function prepareFile(
  context: VoiceContext,
  accountId: string,
  attachment: MessageAttachment,
  limits: ProviderLimits,
): Promise<PreparedFile> {
  const voice = limits.hasVoice && isAudio(attachment) ? await opusOf(context, accountId, attachment) : null;
  const file = voice ?? attachment;
  const kind = kindFor(
    limits,
    voice ? 'voice' : kindByType(attachment.contentType),
    file.size,
    attachment.fileName,
  );
  const name = voice ? `${attachment.fileName.replace(/\.[^.]*$/, '')}.ogg` : attachment.fileName;
  const described: OutboundFile = {
    kind,
    name,
    mimeType: essenceOf(file.contentType),
    bytes: Buffer.alloc(0),
    url: null,
  };
  if (limits.files === 'url') {
    const urls = createFileUrls(context.secrets);
    const url = downloadUrlOf(urls, context.config.publicUrl, accountId, file, context.clock.now());
    const addressed = { ...described, url };
    return { file: addressed, size: 0, read: async () => addressed };
  }
  const read = async () => {
    const bytes = await withLocalFile(context.blobs, accountId, file.fileKey, (path) => readFile(path));
    if (!bytes) throw new ProviderError('final', `The file ${attachment.fileName} no longer exists.`);
    return { ...described, bytes };
  };
  return { file: described, size: file.size, read };
}

/** All files of one call, within the limit of all together. */
export async function prepareFiles(
  context: VoiceContext,
  accountId: string,
  attachments: readonly MessageAttachment[],
  limits: ProviderLimits,
): Promise<{ size: number; read(): Promise<OutboundFile[]> }> {
  const bytes = attachments.reduce((sum, { size }) => sum + size, 0);
  if (bytes > limits.fileBytes.document) {
    const most = Math.floor(limits.fileBytes.document / megabyte);
    throw new ProviderError(
      'final',
      `The files are larger than ${most} MB together, the most that the channel takes.`,
    );
  }
  const files: PreparedFile[] = [];
  for (const one of attachments) files.push(await prepareFile(context, accountId, one, limits));
  return { size: bytes, read: () => Promise.all(files.map((file) => file.read())) };
}

/** Null: it cannot be converted, and is sent as it is. */
async function opusOf(context: VoiceContext, accountId: string, attachment: MessageAttachment) {
  return attachment.converted ?? (await convertToOpus(context, accountId, attachment));
}

function kindByType(contentType: string): Kind {
  const type = essenceOf(contentType);
  if (pictures.includes(type)) return 'image';
  if (type.startsWith('video/')) return 'video';
  return type.startsWith('audio/') ? 'audio' : 'document';
}

/** What is too large for its kind goes as a document. */
function kindFor({ fileBytes }: ProviderLimits, kind: Kind, size: number, name: string): Kind {
  if (size <= fileBytes[kind === 'voice' ? 'audio' : kind]) return kind;
  if (size <= fileBytes.document) return 'document';
  const most = Math.floor(fileBytes.document / megabyte);
  throw new ProviderError(
    'final',
    `The file ${name} is larger than ${most} MB, the most that the channel takes.`,
  );
}
