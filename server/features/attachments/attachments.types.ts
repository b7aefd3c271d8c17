/** What may be attached, told from the request alone. */
import { type AttachmentKind, attachmentKinds, limits } from '../../../contract/limits.ts';
import { badRequest } from '../../platform/errors.ts';

const kindByType = new Map(
  (Object.keys(attachmentKinds) as AttachmentKind[]).flatMap((kind) =>
    attachmentKinds[kind].types.map((type) => [type as string, kind] as const),
  ),
);

/** The type without its parameters: what is compared. */
export function essenceOf(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}

export function kindOf(contentType: string): AttachmentKind | null {
  return kindByType.get(essenceOf(contentType)) ?? null;
}

/** Visible ASCII only: the type comes back as a header. */
const headerForm = /^[\x20-\x7e]*$/;

/** Throws unless the kind is known and the file is within its kind's limit. `place` names the member, `attachments[0].`. */
export function checkFile({ contentType, size }: { contentType: string; size: number }, place = ''): void {
  const kind = headerForm.test(contentType) ? kindOf(contentType) : null;
  if (!kind) throw badRequest(`${place}contentType is not one that can be attached`);
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
