/** The text and the HTML of an outgoing mail: what was written, the signature, and what it answers or forwards. */
import type { MailAddress } from '../../../../contract/messaging/mail.ts';
import type { OutboundMail } from '../connectors.provider.ts';
import { formatText } from '../outbound/format/connectors.split.ts';

export interface Composed {
  text: string;
  html: string;
}

const quoteStyle = 'margin:0 0 0 .8ex;border-left:1px solid #ccc;padding-left:1ex';

export function compose(markdown: string, signature: string, mail: OutboundMail): Composed {
  const own = both(markdown);
  const sign = both(signature);
  const below = mail.quoted && (mail.isForward ? forwarded(mail.quoted) : quotation(mail.quoted));
  const text = [own.text, sign.text && `-- \n${sign.text}`, below?.text].filter(Boolean).join('\n\n');
  const html = [
    own.html && `<div>${own.html}</div>`,
    sign.html && `<br><div>-- <br>${sign.html}</div>`,
    below && `<br>${below.html}`,
  ];
  return { text: `${text}\n`, html: `<html><body>${html.filter(Boolean).join('')}</body></html>` };
}

function both(markdown: string): Composed {
  const text = formatText(markdown, 'plain', Number.MAX_SAFE_INTEGER)[0] ?? '';
  const html = formatText(markdown, 'html', Number.MAX_SAFE_INTEGER)[0] ?? '';
  return { text, html: html.replaceAll('\n', '<br>\n') };
}

type Quoted = NonNullable<OutboundMail['quoted']>;

function quotation({ from, date, text }: Quoted): Composed {
  const who = from ? nameOf(from) : 'the customer';
  const line = date === null ? `${who} wrote:` : `On ${timeOf(date)}, ${who} wrote:`;
  const lines = text
    .split('\n')
    .map((one) => (one === '' ? '>' : one.startsWith('>') ? `>${one}` : `> ${one}`));
  return {
    text: `${line}\n${lines.join('\n')}`,
    html: `<div class="gmail_quote"><div>${escapeHtml(line)}</div><blockquote type="cite" style="${quoteStyle}">${escapeHtml(text)}</blockquote></div>`,
  };
}

function forwarded({ from, to, date, subject, text }: Quoted): Composed {
  const lines = [
    '---------- Forwarded message ---------',
    from && `From: ${nameOf(from)}`,
    date !== null && `Date: ${timeOf(date)}`,
    subject !== '' && `Subject: ${subject}`,
    to.length > 0 && `To: ${to.map(nameOf).join(', ')}`,
  ].filter((line) => typeof line === 'string');
  return {
    text: `${lines.join('\n')}\n\n${text}`,
    html: `<div>${escapeHtml(lines.join('\n'))}</div><br><div>${escapeHtml(text)}</div>`,
  };
}

const nameOf = ({ name, address }: MailAddress) => (name === null ? address : `${name} <${address}>`);

/** Nobody knows the reader's time zone. */
const timeOf = (at: number) =>
  new Date(at).toLocaleString('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  });

const escapeHtml = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '<br>\n');
