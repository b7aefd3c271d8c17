import { MailAnswer, TranscriptAnswer, TranscriptBody } from '../../../../contract/messaging/transcripts.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import type { Context } from '../../../context.ts';
import type { App } from '../../../platform/http/http.ts';
import { audit, findUserIds, requireMay } from '../../accounts/accounts.ts';
import { requireContact } from '../../contacts/contacts.ts';
import { requireSession } from '../../sessions/sessions.ts';
import { admitTranscript, requestTranscript, requireMail, requireRecipient } from './transcripts.ts';

const tags = ['Sessions'];

/**
 * The request is not the repetition of an Idempotency-Key, so it counts for the limits. They cannot be asked inside the
 * transaction: waiting for a second connection could deadlock with others that do the same.
 */
class NotAdmitted extends Error {}

export function transcriptsRoutes(app: App, context: Context): void {
  const { db, clock, config, rateLimits, write, visibleTo } = context;

  app.get(
    '/mail',
    {
      config: { access: { scope: 'messages:read', permission: 'conversations.view' } },
      schema: { tags, summary: 'Whether this instance can send e-mail', response: { 200: MailAnswer } },
    },
    () => ({ isConfigured: config.mail !== null }),
  );

  app.post(
    '/sessions/:sessionId/transcript',
    {
      config: { access: { scope: 'messages:write', permission: 'conversations.reply' } },
      schema: {
        tags,
        summary: 'Send a conversation by e-mail, without notes',
        description:
          'Only to an address of the conversation (of its customer) or of a user of the account: 400 otherwise. Links that the customer wrote are left out. Needs SMTP_URL; without it a 409. A token also needs `messages:read`, because the mail contains the messages. At most 5 an hour for a conversation. Each request is in the audit log.',
        params: Type.Object({ sessionId: Type.String() }),
        body: TranscriptBody,
        response: { 202: TranscriptAnswer },
      },
    },
    async (request, reply) => {
      const { actor, body } = request;
      const { accountId } = actor;
      const visible = await visibleTo(actor);
      const session = await requireSession(db, actor, visible, request.params.sessionId);
      requireMay(actor, 'conversations.view');
      requireMail(config.mail);
      const { sessionId, contactId, customerEmail } = session;
      const contact = contactId ? await requireContact(db, actor, visible, contactId) : null;
      const users = await findUserIds(db, accountId, [body.email]);
      requireRecipient(body.email, [
        customerEmail ?? null,
        ...(contact?.identifiers ?? []).filter(({ kind }) => kind === 'email').map(({ value }) => value),
        ...users.keys(),
      ]);
      let isAdmitted = false;
      const send = () =>
        write(request, reply, async (tx) => {
          if (!isAdmitted) throw new NotAdmitted();
          await requestTranscript(tx, accountId, {
            sessionId,
            email: body.email,
            language: body.language ?? null,
            timeZone: 'UTC',
          });
          await audit(tx, actor, clock.now(), {
            action: 'session.transcript_requested',
            target: { type: 'session', id: sessionId },
            changes: { email: { from: null, to: body.email } },
          });
          return { status: 202, body: { sessionId, email: body.email } };
        });
      try {
        return await send();
      } catch (error) {
        if (!(error instanceof NotAdmitted)) throw error;
      }
      await admitTranscript(rateLimits, accountId, { sessionId, visitor: null });
      isAdmitted = true;
      return send();
    },
  );
}
