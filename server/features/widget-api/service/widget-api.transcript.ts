/** A visitor has the chat sent by e-mail. */
import type { TranscriptBody } from '../../../../contract/messaging/transcripts.ts';
import type { Context } from '../../../context.ts';
import { conflict, forbidden } from '../../../platform/http/errors.ts';
import { openSession } from '../../sessions/sessions.ts';
import { admitTranscript, requestTranscript, requireMail } from '../../transcripts/transcripts.ts';
import type { Widget } from '../widget-api.settings.sql.ts';
import type { Visitor } from '../widget-api.visitor.ts';

/** A blocked visitor gets the usual response. */
export async function receiveTranscriptRequest(
  { db, config, rateLimits }: Pick<Context, 'db' | 'config' | 'rateLimits'>,
  widget: Widget,
  { accountId, sessionId, userId }: Visitor,
  { email, language }: TranscriptBody,
): Promise<void> {
  requireMail(config.mail);
  if (!widget.offerTranscript) {
    throw forbidden('this channel does not offer transcripts: see its widget settings');
  }
  await admitTranscript(rateLimits, accountId, sessionId);
  await db.transaction(async (tx) => {
    const { state, isBlocked } = await openSession(tx, accountId, sessionId, userId);
    if (isBlocked()) return;
    if (!state) throw conflict('the conversation has not begun: send a message first');
    const timeZone = widget.hours?.timeZone ?? 'UTC';
    await requestTranscript(tx, accountId, {
      sessionId,
      email,
      language: language ?? null,
      timeZone,
    });
  });
}
