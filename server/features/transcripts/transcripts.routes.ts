import { Type } from 'typebox';
import { MailAnswer, TranscriptAnswer, TranscriptBody } from '../../../contract/messaging/transcripts.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { requireSession } from '../sessions/sessions.ts';
import { admitTranscript, requestTranscript, requireMail } from './transcripts.ts';

const tags = ['Sessions'];

export function transcriptsRoutes(app: App, context: Context): void {
  const { db, config, rateLimits, write, visibleTo } = context;

  app.get(
    '/mail',
    {
      config: { access: { scope: 'messages:read' } },
      schema: { tags, summary: 'Whether this instance can send e-mail', response: { 200: MailAnswer } },
    },
    () => ({ isConfigured: config.mail !== null }),
  );

  app.post(
    '/sessions/:sessionId/transcript',
    {
      config: { access: { scope: 'messages:write' } },
      schema: {
        tags,
        summary: 'Send a conversation by e-mail, without notes',
        description: 'Needs SMTP_URL; without it a 409. At most 5 an hour for a conversation.',
        params: Type.Object({ sessionId: Type.String() }),
        body: TranscriptBody,
        response: { 202: TranscriptAnswer },
      },
    },
    async (request, reply) => {
      const { actor, body } = request;
      const { accountId } = actor;
      const session = await requireSession(db, actor, await visibleTo(actor), request.params.sessionId);
      requireMail(config.mail);
      const { sessionId } = session;
      await admitTranscript(rateLimits, accountId, sessionId);
      return write(request, reply, async (tx) => {
        await requestTranscript(tx, accountId, {
          sessionId,
          email: body.email,
          language: body.language ?? null,
          timeZone: 'UTC',
        });
        return { status: 202, body: { sessionId, email: body.email } };
      });
    },
  );
}
