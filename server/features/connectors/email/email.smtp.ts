/** Sends mail, by the mailer that also sends the service's own. */
import { createMailer, isAnswerLost, isLoginRefused, isPermanent } from '../../../platform/mail.ts';
import { type Link, type OutboundPart, ProviderError, type SentPart } from '../connectors.provider.ts';
import { compose } from './email.compose.ts';
import { hashOfId } from './email.parse.ts';
import { serverOf, settingsOf } from './email.settings.ts';
import { tlsProblem } from './email.tls.ts';

async function mailerOf(link: Link) {
  const { address, fromName = '' } = settingsOf(link);
  return createMailer({ ...(await serverOf(link, 'smtp')), from: { name: fromName, address } });
}

export async function trySmtp(link: Link): Promise<void> {
  const mailer = await mailerOf(link);
  await mailer.verify().catch((error: unknown) => {
    throw smtpError(error, settingsOf(link).smtp.tls);
  });
}

export async function sendMail(link: Link, part: OutboundPart): Promise<SentPart> {
  const { mail, files = [], text, isByPerson } = part;
  if (!mail) throw new ProviderError('final', 'The message has no thread.');
  const mailer = await mailerOf(link);
  const composed = compose(text, settingsOf(link).signature ?? '', mail);
  const named = ({ name, address }: { name: string | null; address: string }) => ({
    name: name ?? '',
    address,
  });
  try {
    const { refused } = await mailer.send({
      messageId: `<${mail.messageId}>`,
      ...(mail.inReplyTo !== null && { inReplyTo: `<${mail.inReplyTo}>` }),
      ...(mail.references.length > 0 && { references: mail.references.map((id) => `<${id}>`) }),
      to: mail.to.map(named),
      cc: mail.cc.map(named),
      needsAllOfTo: true,
      subject: mail.subject,
      ...composed,
      attachments: files.map(({ name, bytes, mimeType }) => ({
        filename: name,
        content: bytes,
        contentType: mimeType,
      })),
      // Programs must not answer what a program wrote.
      headers: isByPerson ? {} : { 'auto-submitted': 'auto-replied' },
    });
    const notice = refused.map(({ address, reason }) => `${address} (${reason})`).join(', ');
    return {
      providerMsgId: hashOfId(mail.messageId),
      status: 'sent',
      ...(notice !== '' && {
        notice: `The mail server rejected copies of the e-mail: ${notice}`.slice(0, 1_000),
      }),
    };
  } catch (error) {
    throw smtpError(error, settingsOf(link).smtp.tls);
  }
}

function smtpError(error: unknown, isSecure: boolean): Error {
  if (error instanceof ProviderError) return error;
  const { response, message, code, recipient } = error as {
    response?: unknown;
    message?: unknown;
    code?: unknown;
    recipient?: unknown;
  };
  const sentence = String(response ?? message ?? 'no answer').slice(0, 300);
  if (isLoginRefused(error)) {
    return new ProviderError(
      'credentials',
      `The SMTP server rejected the user name or the password: ${sentence}`,
    );
  }
  const what = typeof recipient === 'string' ? recipient : 'the message';
  if (isPermanent(error)) return new ProviderError('final', `The mail server rejected ${what}: ${sentence}`);
  const lost = 'The connection to the mail server was lost while the message was sent.';
  if (isAnswerLost(error)) return new ProviderError('lost', lost);
  const problem = response === undefined || code === 'ETLS' ? tlsProblem(error, 'smtp', isSecure) : null;
  return new ProviderError('retry', problem ?? `The mail server cannot be used: ${sentence}`);
}
