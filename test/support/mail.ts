/** Conversations by e-mail without a mail server: raw messages, stored as the connector stores them. */

import assert from 'node:assert/strict';
import { storeOriginal } from '../../server/features/attachments/attachments.ts';
import { parseMail } from '../../server/features/connectors/email/email.parse.ts';
import { insertMail } from '../../server/features/connectors/mail/connectors.mail.sql.ts';
import { patchMessageData } from '../../server/features/messages/messages.ts';
import { customerMessageId, type KnownIds } from './api-samples.ts';
import type { TestService } from './service.ts';

export interface WrittenMail {
  subject?: string;
  cc?: string;
  text?: string;
  html?: string;
  /** Pictures of the HTML by their Content-ID, in base64. */
  pictures?: { [contentId: string]: string };
}

/** As a mail program writes it. */
function rawMail({ subject = 'Your order', cc, text = 'Hello', html, pictures = {} }: WrittenMail): Buffer {
  const base64 = (part: string) => Buffer.from(part).toString('base64').replace(/.{76}/g, '$&\r\n');
  const parts = [
    `Content-Type: multipart/alternative; boundary=alt\r\n\r\n--alt\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(text)}\r\n${
      html === undefined
        ? ''
        : `--alt\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(html)}\r\n`
    }--alt--`,
    ...Object.entries(pictures).map(
      ([id, bytes]) =>
        `Content-Type: image/png\r\nContent-ID: <${id}>\r\nContent-Disposition: inline; filename=${id}.png\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes}`,
    ),
  ];
  const head = [
    'From: Ana Lima <ana@example.com>',
    'To: Shop <shop@example.com>',
    ...(cc ? [`Cc: ${cc}`] : []),
    `Subject: ${subject}`,
    'Date: Mon, 16 Nov 2026 09:00:00 +0000',
    'Message-ID: <1@example.com>',
    'MIME-Version: 1.0',
    'Content-Type: multipart/related; boundary=rel',
  ];
  const body = parts.map((part) => `--rel\r\n${part}\r\n`).join('');
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}--rel--\r\n`);
}

export async function mailChannelOf(service: TestService): Promise<{ id: string; identifier: string }> {
  const agentId = (await service.call('GET', '/agents')).body.items[0].id;
  await service.call('PATCH', `/agents/${agentId}`, { body: { batchWindowMs: 60_000 } });
  const body = { name: 'Support mailbox', identifier: 'mailbox', type: 'email', defaultAgentId: agentId };
  const created = await service.call('POST', '/channels', { token: service.admin.jwt, body });
  assert.equal(created.status, 201, created.text);
  return created.body;
}

/** A customer's mail in a conversation of the channel; the id of its message. */
export async function receiveMail(
  service: TestService,
  channel: { id: string; identifier: string },
  sessionId: string,
  written: WrittenMail,
): Promise<string> {
  const raw = rawMail(written);
  const mail = await parseMail(raw);
  const sent = await service.call('POST', '/messages', {
    body: {
      content: mail.text,
      fromChannelIdentifier: channel.identifier,
      channelType: 'email',
      sessionId,
      sessionName: 'Ana Lima',
      externalUserId: 'ana@example.com',
    },
  });
  assert.equal(sent.status, 202, sent.text);
  const messageId: string = sent.body.userMessage.id;
  await storeMail(service, service.admin.accountId, { messageId, sessionId, channelId: channel.id }, raw);
  return messageId;
}

/** Makes a mail of a message. */
async function storeMail(
  { context }: Pick<TestService, 'context'>,
  accountId: string,
  place: { messageId: string; sessionId: string; channelId: string },
  raw: Buffer,
): Promise<void> {
  const mail = await parseMail(raw);
  const file = { bytes: raw, fileName: 'message.eml', contentType: 'message/rfc822' };
  const originalKey = await storeOriginal(context, accountId, file);
  const { subject, from, to, cc, replyTo, date, references } = mail;
  await context.db.transaction(async (tx) => {
    const now = context.clock.now();
    const headers = { messageId: mail.messageId, references, subject, from, to, cc, replyTo, date };
    await insertMail(tx, accountId, { ...place, idHash: null, isIncoming: true, headers, originalKey, now });
    const shown = { subject, from, to, cc, hasHtml: mail.html !== null, hasQuoted: mail.quotedText !== null };
    await patchMessageData(tx, accountId, place.messageId, { mail: shown }, now);
  });
}

/** The message among the samples of every route becomes a mail, so that the routes of mails have something to answer. */
export async function makeSampleMail(
  service: TestService,
  accountId: string,
  token: string,
  ids: KnownIds,
  cell = 'home',
): Promise<void> {
  const sessionId = ids.get('sessionId')!;
  const session = await service.call('GET', `/sessions/${encodeURIComponent(sessionId)}`, { token });
  const path = `/sessions/${encodeURIComponent(sessionId)}/messages?limit=100`;
  const { items } = (await service.call('GET', path, { token })).body;
  // Of the customer: it can have reactions as well.
  const messageId = items.find(({ role }: { role: string }) => role === 'user').id;
  ids.set(customerMessageId, messageId);
  const place = { messageId, sessionId, channelId: session.body.channelId };
  await storeMail({ context: service.contextOf(cell) }, accountId, place, rawMail({ html: '<p>Hello</p>' }));
}
