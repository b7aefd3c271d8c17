/** Addresses of mails on this service that need no token: a frame cannot send one. The signature covers everything. */
import { forbidden } from '../../../platform/http/errors.ts';
import { hmac, isSignedBy, type Secrets } from '../../../platform/secrets/secrets.ts';
import type { MailTheme } from './mail-view.document.ts';

export interface MailUse {
  accountId: string;
  messageId: string;
  remoteImages: boolean;
  theme: MailTheme;
  expiresAt: number;
}

export interface MailUrls {
  /** Path and query. */
  sign(use: MailUse): string;
  /** Throws a 403 unless everything is as signed and the time is not over. */
  verify(
    path: { accountId: string; messageId: string },
    query: Record<string, unknown>,
    now: number,
  ): MailUse;
}

const names = ['images', 'theme', 'expires', 'signature'] as const;

export function createMailUrls(secrets: Secrets): MailUrls {
  const keys = secrets.deriveKeys('mail-urls');
  return {
    sign(use) {
      const query = new URLSearchParams({
        images: use.remoteImages ? 'all' : 'own',
        theme: use.theme,
        expires: String(use.expiresAt),
        signature: hmac(keys[0]!, signedText(use)).toString('base64url'),
      });
      return `/mail-view/${use.accountId}/${use.messageId}?${query}`;
    },
    verify(path, query, now) {
      const given = names.map((name) => query[name]);
      if (Object.keys(query).length !== names.length || !given.every((one) => typeof one === 'string')) {
        throw altered();
      }
      const [images, theme, expires, signature] = given as [string, MailTheme, string, string];
      const use = { ...path, remoteImages: images === 'all', theme, expiresAt: Number(expires) };
      const bytes = Buffer.from(signature, 'base64url');
      // Another spelling of the same values is a modified address too.
      const isPlain =
        String(use.expiresAt) === expires && (images === 'all') !== (images === 'own') && bytes.length === 32;
      if (!isPlain || bytes.toString('base64url') !== signature) throw altered();
      if (!isSignedBy(keys, signedText(use), bytes)) throw altered();
      if (now >= use.expiresAt) throw forbidden('the address has expired');
      return use;
    },
  };
}

function signedText({ accountId, messageId, remoteImages, theme, expiresAt }: MailUse): string {
  return JSON.stringify(['mail', accountId, messageId, remoteImages, theme, expiresAt]);
}

const altered = () => forbidden('the address is not valid');
