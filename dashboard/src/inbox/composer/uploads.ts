/** Uploads: announced, sent with progress, then referenced by a message. */
import { randomId } from '../../../../browser/random-id.ts';
import { type AttachmentKind, attachmentKinds, limits } from '../../../../contract/limits.ts';
import type { UploadAnswer } from '../../../../contract/messaging/attachments.ts';
import type { AttachmentRef } from '../../../../contract/messaging/messages.ts';
import { api } from '../../data/api.ts';
import { OfflineError } from '../../data/errors.ts';
import { putFile } from '../../data/transfer.ts';
import { bytes } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';

export interface Upload {
  id: string;
  file: File;
  contentType: string;
  /** For pictures and sound, shown before they are on the server. */
  previewUrl: string;
  /** 0 to 1; `onChange` reports changes. */
  progress: number;
  error: string | null;
  done: Promise<AttachmentRef>;
  cancel(): void;
}

export const essenceOf = (type: string) => type.split(';')[0]!.trim().toLowerCase();

export function kindOfType(contentType: string): AttachmentKind | null {
  const essence = essenceOf(contentType);
  const found = Object.entries(attachmentKinds).find(([, { types }]) =>
    (types as readonly string[]).includes(essence),
  );
  return (found?.[0] as AttachmentKind | undefined) ?? null;
}
export const acceptedTypes = Object.values(attachmentKinds)
  .flatMap(({ types }) => [...types])
  .join(',');

/** Null: may be sent. */
export function refusalOf(file: File): string | null {
  const kind = kindOfType(file.type);
  if (kind === null) return t('inbox.upload.type', { name: file.name });
  if (file.size === 0) return t('inbox.upload.empty', { name: file.name });
  const { maxBytes } = attachmentKinds[kind];
  if (file.size > maxBytes) {
    return t('inbox.upload.large', { name: file.name, size: bytes(file.size), limit: bytes(maxBytes) });
  }
  return null;
}

export function startUpload(file: File, onChange: () => void): Upload {
  const abort = new AbortController();
  const contentType = essenceOf(file.type);
  const fileName = file.name.slice(-limits.fileNameLength) || 'file';
  let cancelled = false;
  const run = async (): Promise<AttachmentRef> => {
    const facts = { fileName, contentType, size: file.size };
    const { uploadUrl, fileKey } = await api<UploadAnswer>('POST', '/messages/upload', { body: facts });
    if (cancelled) throw new Error('cancelled');
    const onProgress = (share: number) => {
      upload.progress = share;
      onChange();
    };
    await putFile(uploadUrl, file, contentType, onProgress, abort.signal);
    upload.progress = 1;
    onChange();
    return { ...facts, fileKey };
  };
  const upload: Upload = {
    id: randomId(),
    file,
    contentType,
    previewUrl: /^(image|audio|video)\//.test(contentType) ? URL.createObjectURL(file) : '',
    progress: 0,
    error: null,
    done: Promise.resolve().then(run),
    cancel() {
      cancelled = true;
      abort.abort();
      if (upload.previewUrl) URL.revokeObjectURL(upload.previewUrl);
    },
  };
  upload.done.catch((error) => {
    upload.error = error instanceof OfflineError ? t('inbox.upload.offline') : (error as Error).message;
    onChange();
  });
  return upload;
}
