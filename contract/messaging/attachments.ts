import type { Static } from 'typebox';
import { attachmentKinds, limits } from '../limits.ts';
import { Type } from '../shapes/type.ts';

const allTypes = Object.values(attachmentKinds).flatMap(({ types }) => [...types]);

/** Declared by an upload and repeated by a message. */
export const fileProperties = {
  fileName: Type.String({ minLength: 1, maxLength: limits.fileNameLength, examples: ['hello.txt'] }),
  contentType: Type.String({
    minLength: 1,
    maxLength: limits.nameLength,
    description: `One of ${allTypes.join(', ')}. Audio and video may have a codecs parameter (audio/ogg;codecs=opus), text may have charset=utf-8; any other parameter, a comma, a quote or a second type is a 400.`,
    examples: ['text/plain'],
  }),
  size: Type.Integer({ minimum: 1, description: 'In bytes.', examples: [5] }),
};

export const UploadRequest = Type.Object(fileProperties);
export type UploadRequest = Static<typeof UploadRequest>;

export const UploadAnswer = Type.Object({
  uploadUrl: Type.String({
    description: 'Accepts one PUT of exactly this size with this Content-Type; needs no token.',
  }),
  fileKey: Type.String(),
  expiresAt: Type.Number(),
});
export type UploadAnswer = Static<typeof UploadAnswer>;

export const DownloadAnswer = Type.Object({
  downloadUrl: Type.String({ description: 'Valid for an hour; needs no token.' }),
  expiresAt: Type.Number(),
  contentType: Type.String(),
  size: Type.Integer(),
  fileName: Type.String(),
  width: Type.Optional(Type.Integer({ description: 'For images, once known.' })),
  height: Type.Optional(Type.Integer()),
  thumbnailUrl: Type.Optional(
    Type.String({
      description:
        'A small WebP of an image, without metadata such as location and camera; valid for the same time.',
    }),
  ),
});
export type DownloadAnswer = Static<typeof DownloadAnswer>;

export const AttachmentUsage = Type.Object({
  files: Type.Integer(),
  bytes: Type.Integer({ description: 'Total size of all files of the account, including derived files.' }),
});
export type AttachmentUsage = Static<typeof AttachmentUsage>;

/** Audio on a chat-app channel, as Ogg Opus. */
export interface ConvertedFile {
  fileKey: string;
  contentType: string;
  size: number;
}

/** What was said, or why it could not be transcribed. */
export type Transcript = { text: string; language: string; engine: string } | { error: string };
