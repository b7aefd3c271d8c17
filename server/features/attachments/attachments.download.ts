/** Serves files: only with the detected type, and so that a browser can only show or save them. */
import type { Readable } from 'node:stream';
import { downloadUrlMinutes } from '../../../contract/limits.ts';
import type { DownloadAnswer } from '../../../contract/messaging/attachments.ts';
import type { ByteRange } from '../../platform/blobs/blob-store.ts';
import { notFound } from '../../platform/http/errors.ts';
import { hasVersion } from '../../platform/http/etag.ts';
import { isId } from '../../platform/ids.ts';
import { type FileReader, findReadableFile } from './attachments.access.sql.ts';
import { findStoredFile } from './attachments.derive.ts';
import { blobKey, thumbnailKey } from './attachments.keys.ts';
import type { StoredFile } from './attachments.sql.ts';
import { cleanContentType, kindOf } from './attachments.types.ts';
import { settleUploads, type UploadDeps } from './attachments.upload.ts';
import type { FileUse } from './attachments.urls.ts';

export const thumbnailType = 'image/webp';

export async function describeDownload(
  deps: UploadDeps,
  accountId: string,
  fileKey: string,
  baseUrl: string,
  /** Null: the caller has checked that the file may be read. */
  reader: FileReader | null,
): Promise<DownloadAnswer> {
  const file = await requireFile(deps, accountId, fileKey, reader);
  const { size, fileName, width, height, thumbnailSize } = file;
  const contentType = cleanContentType(file.contentType);
  const expiresAt = deps.clock.now() + downloadUrlMinutes * 60_000;
  const use = { method: 'GET', accountId, fileKey, contentType, size, variant: 'file', expiresAt } as const;
  const thumbnail = thumbnailSize !== null && {
    ...use,
    contentType: thumbnailType,
    size: thumbnailSize,
    variant: 'thumbnail' as const,
  };
  return {
    downloadUrl: `${baseUrl}${deps.urls.sign(use)}`,
    expiresAt,
    contentType,
    size,
    fileName,
    ...(width !== null && height !== null && { width, height }),
    ...(thumbnail && { thumbnailUrl: `${baseUrl}${deps.urls.sign(thumbnail)}` }),
  };
}

async function requireFile(
  deps: UploadDeps,
  accountId: string,
  fileKey: string,
  reader: FileReader | null,
): Promise<StoredFile> {
  if (!isId(fileKey)) throw notFound('file');
  const find = () =>
    reader
      ? findReadableFile(deps.db, accountId, fileKey, reader)
      : findStoredFile(deps.db, accountId, fileKey);
  let file = await find();
  if (!file && deps.blobs.takesUploads) {
    await settleUploads(deps, accountId, [fileKey]);
    file = await find();
  }
  if (!file) throw notFound('file');
  return file;
}

export interface Download {
  status: 200 | 206 | 304 | 416;
  headers: Record<string, string>;
  open(): Promise<Readable>;
}

/** Resolves the address and these headers; nothing is read before `open`. */
export async function prepareDownload(
  { db, blobs, clock }: UploadDeps,
  use: FileUse,
  asked: { range?: string; 'if-range'?: string; 'if-none-match'?: string },
): Promise<Download> {
  const { accountId, fileKey, size } = use;
  const file = await findStoredFile(db, accountId, fileKey);
  if (!file) throw notFound('file');
  const isThumbnail = use.variant === 'thumbnail';
  // The bytes under a key never change, so the key identifies them.
  const etag = `"${fileKey}${isThumbnail ? '-thumbnail' : ''}"`;
  const headers: Record<string, string> = {
    ...inertHeaders,
    'content-type': servedType(use.contentType),
    'content-disposition': disposition(file.fileName, isThumbnail || isShown(use.contentType)),
    'cache-control': `private, max-age=${Math.max(0, Math.floor((use.expiresAt - clock.now()) / 1000))}, immutable`,
    'accept-ranges': 'bytes',
    etag,
  };
  const key = isThumbnail ? thumbnailKey(accountId, fileKey) : blobKey(accountId, fileKey);
  const open = (range?: ByteRange) => async () => {
    const stream = await blobs.open(key, range);
    if (!stream) throw notFound('file');
    return stream;
  };
  const notRead = () => Promise.reject(new Error('this answer has no body'));
  if (hasVersion(asked['if-none-match'], etag)) return { status: 304, headers, open: notRead };
  const mayBePart = asked['if-range'] === undefined || asked['if-range'] === etag;
  const range = mayBePart ? readRange(asked.range, size) : null;
  if (range === 'unsatisfiable') {
    return { status: 416, headers: { 'content-range': `bytes */${size}` }, open: notRead };
  }
  if (!range) return { status: 200, headers: { ...headers, 'content-length': String(size) }, open: open() };
  const { start, end } = range;
  const part = {
    'content-range': `bytes ${start}-${end}/${size}`,
    'content-length': String(end - start + 1),
  };
  return { status: 206, headers: { ...headers, ...part }, open: open(range) };
}

/**
 * An uploaded file must not act in anyone's name: no type sniffing, no script, no frame, no referrer. Pages of other
 * origins may show it, since the address alone gives access anyway.
 */
const inertHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};

/** Raster images, audio and video are shown inline; everything else is saved. */
function isShown(contentType: string): boolean {
  const kind = kindOf(contentType);
  return kind !== null && kind !== 'document';
}

/** Rebuilt, never the stored or signed text: addresses signed by an older release may be valid for an hour. */
function servedType(contentType: string): string {
  const type = cleanContentType(contentType);
  return /^text\/[a-z]+$/.test(type) ? `${type}; charset=utf-8` : type;
}

/** Characters that end a header, lead out of a folder, or change the direction of text so that exe looks like txt. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not come through
const unsafe = /[\u0000-\u001f\u007f-\u009f"\\/:*?<>|\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function disposition(fileName: string, isInline: boolean): string {
  const name = fileName.replace(unsafe, '_').replace(/^\.+/, '_').slice(0, 200).toWellFormed();
  const ascii = name.replace(/[^\x20-\x7e]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${isInline ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** One range; several at once are answered with the whole file, which is allowed and works for players. */
export function readRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return null;
  const [first, last] = [match[1]!, match[2]!];
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return null;
  return start >= size ? 'unsatisfiable' : { start, end };
}
