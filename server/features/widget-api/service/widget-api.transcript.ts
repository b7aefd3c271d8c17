/** A visitor has the chat sent by e-mail. */
import type { TranscriptBody } from '../../../../contract/messaging/transcripts.ts';
import type { Db } from '../../../platform/db/db.ts';
import { conflict, forbidden } from '../../../platform/http/errors.ts';
import type { RateLimits } from '../../../platform/limits/rate-limit.ts';
import type { MailSettings } from '../../../platform/mail.ts';
import {
  admitTranscript,
  requestTranscript,
  requireMail,
  requireRecipient,
} from '../../messages/messages.ts';
import { findSession, openVisitorSession } from '../../sessions/sessions.ts';
import type { Widget } from '../widget-api.settings.sql.ts';
import type { Visitor } from '../widget-api.visitor.ts';

interface TranscriptDeps {
  db: Db;
  rateLimits: RateLimits;
  config: { mail: MailSettings | null };
}

/** A blocked visitor gets the usual response. Only a request for a conversation that exists counts for the limits. */
export async function receiveTranscriptRequest(
  { db, config, rateLimits }: TranscriptDeps,
  widget: Widget,
  visitor: Visitor,
  client: string,
  { email, language }: TranscriptBody,
): Promise<void> {
  const { accountId, sessionId } = visitor;
  requireMail(config.mail);
  if (!widget.offerTranscript) {
    throw forbidden('this channel does not offer transcripts: see its widget settings');
  }
  const isBlocked = await db.transaction(async (tx) => {
    const opened = await openVisitorSession(tx, visitor);
    if (!opened.isBlocked() && !opened.state) {
      throw conflict('the conversation has not begun: send a message first');
    }
    return opened.isBlocked();
  });
  if (isBlocked) return;
  const session = await findSession(db, accountId, sessionId);
  requireRecipient(email, [visitor.email, session?.customerEmail ?? null]);
  await admitTranscript(rateLimits, accountId, { sessionId, visitor: { client, email } });
  const timeZone = widget.hours?.timeZone ?? 'UTC';
  await db.transaction((tx) =>
    requestTranscript(tx, accountId, { sessionId, email, language: language ?? null, timeZone }),
  );
}
