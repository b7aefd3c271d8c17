/** Which files may be attached, judged by the request alone, and the Content-Type each one is served with. */
import {
  type AttachmentKind,
  attachmentKinds,
  knowledgeFileTypes,
  limits,
} from '../../../contract/limits.ts';
import { badRequest } from '../../platform/http/errors.ts';

const kindByType = new Map(
  (Object.keys(attachmentKinds) as AttachmentKind[]).flatMap((kind) =>
    attachmentKinds[kind].types.map((type) => [type as string, kind] as const),
  ),
);

/** Of files that are uploaded and never served: knowledge. */
const unattachedTypes: ReadonlySet<string> = new Set(Object.values(knowledgeFileTypes).flat());

/** The type without its parameters, for comparisons. Not validated: see `parseContentType`. */
export function essenceOf(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}

export function kindOf(contentType: string): AttachmentKind | null {
  return kindByType.get(essenceOf(contentType)) ?? null;
}

/**
 * One type with at most one parameter, both plain tokens. Browsers read `image/gif;,text/html` as a list and take its
 * last type, so a comma, a quote or a second type must never get into a header.
 */
const form = /^([a-z0-9.+/-]+)(?:[ \t]*;[ \t]*([a-z]+)=([a-z0-9._+-]+))?$/i;

/**
 * The type in its canonical form, or null unless it may be attached and has at most `codecs` or `charset=utf-8`.
 */
export function parseContentType(contentType: string): string | null {
  return kindOf(contentType) ? parseUploadType(contentType) : null;
}

/** Also a type of knowledge. */
export function parseUploadType(contentType: string): string | null {
  const [, essence, parameter, value] = form.exec(contentType.trim()) ?? [];
  const type = essence?.toLowerCase();
  if (!type || !(kindByType.has(type) || unattachedTypes.has(type))) return null;
  if (parameter === undefined || value === undefined) return type;
  switch (parameter.toLowerCase()) {
    case 'codecs':
      return /^(audio|video)\//.test(type) ? `${type}; codecs=${value}` : null;
    case 'charset':
      return type.startsWith('text/') && value.toLowerCase() === 'utf-8' ? `${type}; charset=utf-8` : null;
    default:
      return null;
  }
}

/** For stored types: older releases stored parameters as they were sent. Never returns any part unparsed. */
export function cleanContentType(stored: string): string {
  return parseContentType(stored) ?? (kindOf(stored) ? essenceOf(stored) : 'application/octet-stream');
}

const parameterProblem =
  'may have no parameters other than codecs (audio and video) and charset=utf-8 (text)';

/** For upload routes, before the body is read: the framework answers 415 to a header that it cannot parse. */
export async function checkUploadType({ headers }: { headers: { 'content-type'?: string } }): Promise<void> {
  const declared = headers['content-type'];
  if (declared === undefined || parseUploadType(declared)) return;
  throw badRequest(`Content-Type ${kindOf(declared) ? parameterProblem : 'is not a supported file type'}`);
}

/** Throws unless the type is allowed and the file is within its kind's limit. `place` is a prefix such as `attachments[0].`. */
export function checkFile({ contentType, size }: { contentType: string; size: number }, place = ''): void {
  const kind = kindOf(contentType);
  if (!kind) throw badRequest(`${place}contentType is not a supported file type`);
  if (!parseContentType(contentType)) {
    throw badRequest(`${place}contentType ${parameterProblem}`);
  }
  const { maxBytes } = attachmentKinds[kind];
  if (size > maxBytes) {
    throw badRequest(`${place}size must be at most ${megabytes(maxBytes)} MB for ${kind} files`);
  }
}

export function checkFiles(files: readonly { contentType: string; size: number }[]): void {
  for (const [index, file] of files.entries()) checkFile(file, `attachments[${index}].`);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > limits.attachmentBytesPerMessage) {
    throw badRequest(
      `attachments must have at most ${megabytes(limits.attachmentBytesPerMessage)} MB in all`,
    );
  }
}

function megabytes(bytes: number): number {
  return bytes / (1024 * 1024);
}
