/** Uploads: announced, sent with progress, then referenced by a message. */
import { randomId } from '../../../../browser/random-id.ts';
import { type AttachmentKind, attachmentKinds, limits } from '../../../../contract/limits.ts';
import type { UploadAnswer } from '../../../../contract/messaging/attachments.ts';
import type { AttachmentRef } from '../../../../contract/messaging/messages.ts';
import { api } from '../../data/api.ts';
import { OfflineError } from '../../data/errors.ts';
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
  const request = new XMLHttpRequest();
  const contentType = essenceOf(file.type);
  const fileName = file.name.slice(-limits.fileNameLength) || 'file';
  let cancelled = false;
  const run = async (): Promise<AttachmentRef> => {
    const facts = { fileName, contentType, size: file.size };
    const { uploadUrl, fileKey } = await api<UploadAnswer>('POST', '/messages/upload', { body: facts });
    if (cancelled) throw new Error('cancelled');
    await put(request, uploadUrl, contentType, file, (share) => {
      upload.progress = share;
      onChange();
    });
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
      request.abort();
      if (upload.previewUrl) URL.revokeObjectURL(upload.previewUrl);
    },
  };
  upload.done.catch((error) => {
    upload.error = error instanceof OfflineError ? t('inbox.upload.offline') : (error as Error).message;
    onChange();
  });
  return upload;
}

/** XMLHttpRequest, because fetch reports no upload progress. */
function put(
  request: XMLHttpRequest,
  url: string,
  contentType: string,
  file: File,
  onProgress: (share: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    request.open('PUT', url);
    request.setRequestHeader('content-type', contentType);
    request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    request.onload = () => (request.status < 300 ? resolve() : reject(new Error(messageOf(request))));
    request.onerror = () => reject(new OfflineError());
    request.onabort = () => reject(new Error('cancelled'));
    request.send(file);
  });
}

function messageOf(request: XMLHttpRequest): string {
  try {
    return (JSON.parse(request.responseText) as { message: string }).message;
  } catch {
    return request.statusText;
  }
}
