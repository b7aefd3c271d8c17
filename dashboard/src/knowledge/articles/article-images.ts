/** Images of an article: uploaded like attachments of messages, then named in its text by their key. */
import { attachmentKinds, limits } from '../../../../contract/limits.ts';
import type { UploadAnswer } from '../../../../contract/messaging/attachments.ts';
import { api } from '../../data/api.ts';
import { ExplainedError } from '../../data/errors.ts';
import { putFile } from '../../data/transfer.ts';
import { bytes } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';

const { types, maxBytes } = attachmentKinds.image;
export const imageTypes = types.join(',');
/** Those of this page. The service shows an image once an article that is stored names it. */
const uploaded = new Map<string, string>();

export const uploadedImage = (fileKey: string): string | undefined => uploaded.get(fileKey);

export const imagesIn = (files: Iterable<File>): File[] =>
  [...files].filter(({ type }) => (types as readonly string[]).includes(type));

/** The key of the file, which nothing uses yet. */
export async function sendImage(file: File): Promise<string> {
  if (file.size > maxBytes) throw new ExplainedError(t('knowledge.upload.large', { limit: bytes(maxBytes) }));
  const fileName = nameOf(file);
  const { uploadUrl, fileKey } = await api<UploadAnswer>('POST', '/messages/upload', {
    body: { fileName, contentType: file.type, size: file.size },
  });
  await putFile(uploadUrl, file, file.type, () => {}, new AbortController().signal);
  return fileKey;
}

const nameOf = (file: File): string => file.name.slice(-limits.fileNameLength) || 'image';

/** What stands for it in the text. */
export async function uploadImage(file: File): Promise<string> {
  const fileKey = await sendImage(file);
  uploaded.set(fileKey, URL.createObjectURL(file));
  const alt = nameOf(file)
    .replace(/\.[^.]*$/, '')
    .replace(/[[\]\n]/g, ' ');
  return `![${alt}](file:${fileKey})`;
}

/** On a line of its own, in the place of what is selected. */
export function insertLine(text: string, line: string, from: number, to: number): string {
  const [before, after] = [text.slice(0, from), text.slice(to)];
  const start = before === '' || before.endsWith('\n') ? '' : '\n';
  const end = after.startsWith('\n') ? '' : '\n';
  return `${before}${start}${line}${end}${after}`;
}
