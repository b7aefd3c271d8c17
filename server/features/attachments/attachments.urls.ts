/**
 * Addresses on this service that need no token. The signature covers the whole address: the method, the file, its
 * type and exact size, which variant, and until when.
 */
import { downloadUrlMinutes } from '../../../contract/limits.ts';
import { forbidden } from '../../platform/http/errors.ts';
import { hmac, isSignedBy, type Secrets } from '../../platform/secrets/secrets.ts';

export interface FileUrls {
  /** Path and query. */
  sign(use: FileUse): string;
  /** Throws a 403 unless everything is as signed and the time is not over. */
  verify(method: string, place: FilePlace, query: Record<string, unknown>, now: number): FileUse;
}

export interface FilePlace {
  accountId: string;
  fileKey: string;
}

export interface FileUse extends FilePlace {
  method: 'GET' | 'PUT';
  contentType: string;
  size: number;
  variant: 'file' | 'thumbnail';
  expiresAt: number;
}

const names = ['type', 'size', 'variant', 'expires', 'signature'] as const;

export function createFileUrls(secrets: Secrets): FileUrls {
  const keys = secrets.deriveKeys('file-urls');
  return {
    sign(use) {
      const { contentType, size, variant, expiresAt } = use;
      const query = new URLSearchParams({
        type: contentType,
        size: String(size),
        variant,
        expires: String(expiresAt),
        signature: hmac(keys[0]!, signedText(use)).toString('base64url'),
      });
      return `/files/${use.accountId}/${use.fileKey}?${query}`;
    },
    verify(method, place, query, now) {
      const given = names.map((name) => query[name]);
      if (Object.keys(query).length !== names.length || !given.every((value) => typeof value === 'string')) {
        throw altered();
      }
      const [contentType, size, variant, expires, signature] = given as string[];
      const use = {
        ...place,
        method: method === 'HEAD' ? 'GET' : method,
        contentType,
        size: Number(size),
        variant,
        expiresAt: Number(expires),
      } as FileUse;
      // Another spelling of the same number would have the same signature: "1e3", " 1000".
      const isPlain = String(use.size) === size && String(use.expiresAt) === expires;
      const bytes = Buffer.from(signature!, 'base64url');
      // Another spelling of the same bytes is a modified address too.
      const isGenuine = bytes.toString('base64url') === signature && isSignedBy(keys, signedText(use), bytes);
      if (!isPlain || !isGenuine) throw altered();
      if (now >= use.expiresAt) throw forbidden('the address has expired');
      return use;
    },
  };
}

/** The address of a whole file, for one that the service sends out itself. */
export function downloadUrlOf(
  urls: FileUrls,
  baseUrl: string,
  accountId: string,
  file: { fileKey: string; contentType: string; size: number },
  now: number,
): string {
  const { fileKey, contentType, size } = file;
  const expiresAt = now + downloadUrlMinutes * 60_000;
  const use = { method: 'GET', accountId, fileKey, contentType, size, variant: 'file', expiresAt } as const;
  return baseUrl + urls.sign(use);
}

/** No part can run into its neighbour: in JSON each has its quotes. */
function signedText(use: FileUse): string {
  const { method, accountId, fileKey, contentType, size, variant, expiresAt } = use;
  return JSON.stringify([method, accountId, fileKey, contentType, size, variant, expiresAt]);
}

const altered = () => forbidden('the address is not valid');
