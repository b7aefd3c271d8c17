/**
 * Sends transcripts. A job ends right after the server has accepted the message. If the process dies between the two,
 * the message is sent again with the same Message-ID: SMTP has no way to exclude that.
 */
import type { LanguageName } from '../../../../contract/limits.ts';
import type { Db } from '../../../platform/db/db.ts';
import type { JobHandler } from '../../../platform/jobs/jobs.ts';
import type { Logger } from '../../../platform/logger.ts';
import { createMailer, isPermanent, type MailSettings } from '../../../platform/mail.ts';
import type { AccountConfig, AccountConfigCache } from '../../channels/channels.ts';
import { findSession } from '../../sessions/sessions.ts';
import { selectForCustomer } from '../messages.customer.sql.ts';
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

type Message = Awaited<ReturnType<typeof selectForCustomer>>[number];

/** The latest ones; more would not be read. */
const maxMessages = 1_000;
/** Larger mails are rejected by many servers. */
const maxCharacters = 1_000_000;
const pageSize = 100;

export function transcriptHandler({ db, logger, accountConfig, config }: TranscriptDeps): JobHandler {
  const mailer = config.mail && createMailer(config.mail);
  return async ({ accountId, payload, signal }) => {
    const { sessionId, email, timeZone, id, ...wanted } = payload as unknown as Payload;
    const session = await findSession(db, accountId, sessionId);
    if (!session) return;
    // The process that accepted the request has other settings than this one.
    if (!mailer) throw new Error('this worker cannot send e-mail: set SMTP_URL and MAIL_FROM');
    const { directory, definitions } = await accountConfig.fresh(accountId);
    const language = wanted.language ?? definitions.language;
    const { messages, isCut } = await readLatest(db, accountId, sessionId);
    const lines = messages.map((message) => lineOf(message, directory, language));
    const title = directory.channels.get(session.channelId)?.name ?? '';
    const mail = writeTranscript({ title, lines, isCut, language, timeZone });
    const domain = config.mail!.from.address.split('@').at(-1);
    try {
      await mailer.send({ ...mail, to: email, messageId: `<${id}@${domain}>` }, signal);
    } catch (error) {
      if (!isPermanent(error)) throw error;
      logger.warn({ accountId, sessionId, reason: (error as Error).message }, 'a transcript was rejected');
    }
  };
}

/** In order. Read in pages from the end, so that a long conversation is never in memory as a whole. */
async function readLatest(
  db: Db,
  accountId: string,
  sessionId: string,
): Promise<{ messages: Message[]; isCut: boolean }> {
  const messages: Message[] = [];
  let characters = 0;
  for (;;) {
    const before = messages.at(-1)?.position ?? null;
    const page = await selectForCustomer(db, accountId, sessionId, before, pageSize);
    for (const message of page) {
      characters += sizeOf(message);
      const isFull = messages.length === maxMessages || characters > maxCharacters;
      if (isFull) return { messages: messages.reverse(), isCut: true };
      messages.push(message);
    }
    if (page.length < pageSize) return { messages: messages.reverse(), isCut: false };
  }
}

const fileNamesOf = ({ attachments }: Message) =>
  (attachments as { fileName: string }[]).map(({ fileName }) => fileName);

const sizeOf = (message: Message) => message.content.length + fileNamesOf(message).join().length;

function lineOf(
  message: Message,
  { agents }: AccountConfig['directory'],
  language: LanguageName,
): TranscriptLine {
  const { role, operator, author, agentId, timestamp, content } = message;
  const names = { customer: ownName[language], person: operator?.name, ai: agents.get(agentId ?? '')?.name };
  const by = role === 'user' ? 'customer' : role === 'operator' && !author ? 'person' : 'ai';
  return {
    author: names[by] ?? '',
    at: timestamp,
    text: content,
    fileNames: fileNamesOf(message),
    by,
  };
}
