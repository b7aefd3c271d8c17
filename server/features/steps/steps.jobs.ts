/** Background work of steps: the e-mails of `notify`. They are sent at least once, each with one Message-ID. */
import type { Db } from '../../platform/db/db.ts';
import type { JobHandler } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/logger.ts';
import { createMailer, isPermanent, type MailSettings } from '../../platform/mail.ts';
import { findLoginById } from '../accounts/accounts.ts';
import type { RuleMail } from './steps.notify.ts';

interface MailDeps {
  db: Db;
  logger: Logger;
  config: { mail: MailSettings | null; publicUrl: string };
}

export function ruleMailHandler({ db, logger, config }: MailDeps): JobHandler {
  const mailer = config.mail && createMailer(config.mail);
  return async ({ accountId, payload, signal }) => {
    const { userId, id, ...written } = payload as unknown as RuleMail;
    const user = await findLoginById(db, accountId, userId);
    if (!user) return;
    // The process that ran the rule may have other settings than this one.
    if (!mailer) throw new Error('this worker cannot send e-mail: set SMTP_URL and MAIL_FROM');
    const domain = config.mail!.from.address.split('@').at(-1);
    const mail = writeRuleMail(written, config.publicUrl);
    try {
      await mailer.send({ ...mail, to: user.email, messageId: `<${id}@${domain}>` }, signal);
    } catch (error) {
      if (!isPermanent(error)) throw error;
      logger.warn({ accountId, reason: (error as Error).message }, 'an e-mail of a rule was rejected');
    }
  };
}

const entities: { [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (one) => entities[one]!);

/** The text is the team's own; values in it may be the customer's. */
function writeRuleMail(
  { ruleName, text, sessionId, recordId }: Omit<RuleMail, 'userId' | 'id'>,
  publicUrl: string,
): { subject: string; text: string; html: string } {
  const path =
    sessionId !== null
      ? `/app/inbox/${encodeURIComponent(sessionId)}`
      : recordId !== null
        ? `/app/records/${recordId}`
        : '/app/';
  const link = publicUrl + path;
  const lines = text.split('\n').map((line) => `<p>${escapeHtml(line)}</p>`);
  return {
    subject: ruleName.replace(/\p{Cc}+/gu, ' ').trim(),
    text: `${text}\n\n${link}`,
    html: `<div style="font-family:sans-serif;font-size:15px;line-height:1.5">${lines.join('')}<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p></div>`,
  };
}
