/**
 * Visitor tokens: a signed statement that the visitor may write in one conversation of one channel. They are not rows
 * in the database: most visitors open the chat and write nothing.
 */
import { randomBytes } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { VisitorStart, VisitorStarted } from '../../../contract/widget/widget.ts';
import { emailPattern, visitorTokenPrefix } from '../../../contract/widget/widget-protocol.ts';
import { textProblem } from '../../platform/http/json-body.ts';
import { sealedFor } from '../../platform/secrets/sealed-columns.ts';
import { hmac, isSignedBy, type Secrets, sameBytes } from '../../platform/secrets/secrets.ts';
import type { Widget } from './widget-api.settings.sql.ts';

export interface Visitor {
  accountId: string;
  channelId: string;
  sessionId: string;
  /** Of a customer whose identity the site has signed. */
  userId: string | null;
  name: string | null;
  email: string | null;
  /** The secret that signed it; null for unknown visitors. */
  generation: number | null;
  expiresAt: number;
}

export interface VisitorTokens {
  issue(visitor: Visitor): string;
  /** Null: not a token of ours, or expired. */
  read(token: string, now: number): Visitor | null;
}

const unknownForMs = 365 * 86_400_000;
/** A customer who signs out of a shared computer should not stay readable there for long. */
const knownForMs = 7 * 86_400_000;

export function createVisitorTokens(secrets: Secrets): VisitorTokens {
  const keys = secrets.deriveKeys('widget-visitor');
  return {
    issue(visitor) {
      const { accountId, channelId, sessionId, userId, name, generation, expiresAt, email } = visitor;
      const fields = [accountId, channelId, sessionId, userId, name, generation, expiresAt, email];
      const text = JSON.stringify(fields);
      const signed = Buffer.concat([hmac(keys[0]!, text), Buffer.from(text)]);
      return `${visitorTokenPrefix}${signed.toString('base64url')}`;
    },
    read(token, now) {
      if (!token.startsWith(visitorTokenPrefix)) return null;
      const encoded = token.slice(visitorTokenPrefix.length);
      const bytes = Buffer.from(encoded, 'base64url');
      const text = bytes.subarray(32).toString('utf8');
      if (bytes.toString('base64url') !== encoded) return null;
      if (!isSignedBy(keys, text, bytes.subarray(0, 32))) return null;
      // Tokens of earlier releases have no address.
      const [accountId, channelId, sessionId, userId, name, generation, expiresAt, email = null] =
        JSON.parse(text);
      return expiresAt > now
        ? { accountId, channelId, sessionId, userId, name, email, generation, expiresAt }
        : null;
    },
  };
}

/** Whether the token is still valid for the channel's current settings. */
export function stillHolds(visitor: Visitor, widget: Widget): boolean {
  return visitor.generation === null || visitor.generation === widget.identityGeneration;
}

export interface SignedUser {
  id: string;
  name: string | null;
  email: string | null;
}

/** Null: not signed with this channel's secret, or expired. The signature covers the text byte by byte. */
function readSignedUser(
  secrets: Secrets,
  { channelId, identitySecret }: Widget,
  { user, signature }: Pick<VisitorStart, 'user' | 'signature'>,
  now: number,
): SignedUser | null {
  if (user === undefined || signature === undefined || identitySecret === null) return null;
  const secret = secrets.open(identitySecret, sealedFor.widgetIdentity(channelId));
  if (
    !sameBytes(
      Buffer.from(signature.toLowerCase()),
      Buffer.from(hmac(Buffer.from(secret), user).toString('hex')),
    )
  )
    return null;
  let claims: unknown;
  try {
    claims = JSON.parse(user);
  } catch {
    return null;
  }
  if (typeof claims !== 'object' || claims === null) return null;
  const { id, name, email, expiresAt } = claims as { [key: string]: unknown };
  if (typeof id !== 'string' && typeof id !== 'number') return null;
  const text = String(id).trim();
  if (!isUsable(text)) return null;
  if (expiresAt !== undefined && !(typeof expiresAt === 'number' && expiresAt > now)) return null;
  return {
    id: text,
    name: typeof name === 'string' && isUsable(name.trim()) ? name.trim() : null,
    email: typeof email === 'string' && isEmail(email) ? email.toLowerCase() : null,
  };
}

const emailForm = new RegExp(emailPattern);
const isEmail = (text: string) => text.length <= 254 && emailForm.test(text);

export const isUsable = (text: string) =>
  text !== '' && [...text].length <= limits.nameLength && textProblem(text) === null;

/**
 * A known customer has one conversation on all devices; an unknown one keeps that of their token. A token of a known
 * customer is not continued without a signature: they have signed out.
 */
export function startVisit(
  deps: { secrets: Secrets; tokens: VisitorTokens; now: number },
  widget: Widget,
  input: VisitorStart,
): VisitorStarted {
  const { secrets, tokens, now } = deps;
  const { accountId, channelId, identityGeneration } = widget;
  const user = readSignedUser(secrets, widget, input, now);
  const earlier = input.token === undefined ? null : tokens.read(input.token, now);
  const isContinued =
    earlier !== null &&
    earlier.channelId === channelId &&
    earlier.accountId === accountId &&
    earlier.userId === null;
  const given = input.name?.trim();
  const visitor: Visitor = user
    ? {
        accountId,
        channelId,
        sessionId: `web-${hmac(secrets.lastingKey('widget-session'), JSON.stringify([channelId, user.id]))
          .toString('base64url')
          .slice(0, 32)}`,
        userId: user.id,
        name: user.name,
        email: user.email,
        generation: identityGeneration,
        expiresAt: now + knownForMs,
      }
    : {
        accountId,
        channelId,
        sessionId: isContinued ? earlier.sessionId : `web-${randomBytes(24).toString('base64url')}`,
        userId: null,
        name: given && isUsable(given) ? given : isContinued ? earlier.name : null,
        email: isContinued ? earlier.email : null,
        generation: null,
        expiresAt: now + unknownForMs,
      };
  return toStarted(tokens, visitor);
}

/** What the widget gets to know about its visitor. */
export function toStarted(tokens: VisitorTokens, visitor: Visitor): VisitorStarted {
  const { expiresAt, userId, name, email } = visitor;
  return { token: tokens.issue(visitor), expiresAt, isKnown: userId !== null, name, email };
}
