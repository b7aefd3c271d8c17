/**
 * Sends transcripts. A job ends right after the server has accepted the message. If the process dies between the two,
 * the message is sent again with the same Message-ID: SMTP has no way to exclude that.
 */
import type { LanguageName } from '../../../contract/limits.ts';
import type { Db } from '../../platform/db/db.ts';
import type { JobHandler } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/logger.ts';
import { createMailer, isPermanent, type MailSettings } from '../../platform/mail/mail.ts';
import type { AccountConfigCache } from '../channels/channels.ts';
import { selectForCustomer } from '../messages/messages.ts';
import { findSession } from '../sessions/sessions.ts';
import { ownName, type TranscriptLine, writeTranscript } from './transcripts.text.ts';

interface TranscriptDeps {
  db: Db;
  logger: Logger;
  accountConfig: AccountConfigCache;
  config: { mail: MailSettings | null };
}

interface Payload {
  sessionId: string;
  email: string;
  language: LanguageName | null;
  timeZone: string;
  id: string;
}

/** The latest ones; more would not be read. */
const mostMessages = 1_000;

export function transcriptHandler({ db, logger, accountConfig, config }: TranscriptDeps): JobHandler {
  const mailer = config.mail && createMailer(config.mail);
  return async ({ accountId, payload }) => {
    const { sessionId, email, timeZone, id, ...wanted } = payload as unknown as Payload;
    const session = await findSession(db, accountId, sessionId);
    if (!mailer || !session) return;
    const { directory, definitions } = await accountConfig.fresh(accountId);
    const language = wanted.language ?? definitions.language;
    const found = await selectForCustomer(db, accountId, sessionId, null, mostMessages + 1);
    const lines = found
      .slice(0, mostMessages)
      .reverse()
      .map(
        ({ role, operator, agentId, timestamp, content, attachments }): TranscriptLine => ({
          author:
            role === 'user'
              ? ownName[language]
              : role === 'operator'
                ? (operator?.name ?? '')
                : (directory.agents.get(agentId ?? '')?.name ?? ''),
          at: timestamp,
          text: content,
          fileNames: (attachments as { fileName: string }[]).map(({ fileName }) => fileName),
        }),
      );
    const title = directory.channels.get(session.channelId)?.name ?? '';
    const mail = writeTranscript({ title, lines, isCut: found.length > mostMessages, language, timeZone });
    const domain = /@([^@>]+)>?$/.exec(config.mail!.from)?.[1] ?? 'localhost';
    try {
      await mailer.send({ ...mail, to: email, messageId: `<${id}@${domain}>` });
    } catch (error) {
      if (!isPermanent(error)) throw error;
      logger.warn({ accountId, sessionId, reason: (error as Error).message }, 'a transcript was rejected');
    }
  };
}
