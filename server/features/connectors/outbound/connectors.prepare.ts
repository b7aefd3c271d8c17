/** A part of a message as its provider gets it, without the bytes of its files: they are read when its turn has come. */
import type { MessageAttachment } from '../../../../contract/messaging/messages.ts';
import type { Db } from '../../../platform/db/db.ts';
import { findMessage, type StoredMessage, type VoiceContext } from '../../messages/messages.ts';
import type { OpenLink } from '../connectors.links.ts';
import type { Address, OutboundPart, ProviderLimits } from '../connectors.provider.ts';
import { outgoingMail } from '../mail/connectors.outgoing-mail.ts';
import { findTemplate } from '../templates/connectors.templates.sql.ts';
import { prepareFile, prepareFiles } from './connectors.files.ts';
import type { OutboundRow, PlannedPart } from './connectors.outbound.sql.ts';
import { partIdOf, templateOf } from './connectors.plan.ts';

export interface PreparedPart {
  outbound: OutboundPart;
  /** Bytes that sending it takes in memory. */
  size: number;
  read(): Promise<Pick<OutboundPart, 'file' | 'files'>>;
}

interface Prepared {
  row: OutboundRow;
  opened: OpenLink;
  message: StoredMessage;
  to: Address;
  parts: readonly PlannedPart[];
}

export async function preparePart(
  deps: VoiceContext & { db: Db },
  { row, opened, message, to, parts }: Prepared,
  index: number,
  limits: ProviderLimits,
): Promise<PreparedPart> {
  const { text, file: place } = parts[index]!;
  const id = partIdOf(row.id, index);
  const template = templateOf(message);
  const author = message.role === 'operator' && !message.author && { isByPerson: true };
  if (limits.inOneCall) {
    const made = await outgoingMail(deps, { row, link: opened.link, message, to, partId: id });
    const { size, read } = await prepareFiles(deps, row.accountId, made.attachments, limits);
    const outbound = {
      id,
      to,
      text: made.text ?? text,
      file: null,
      quoted: null,
      ...author,
      mail: made.mail,
    };
    return { outbound, size, read: async () => ({ file: null, files: await read() }) };
  }
  const attachment = place === null ? undefined : (message.attachments as MessageAttachment[])[place];
  const file = attachment ? await prepareFile(deps, row.accountId, attachment, limits) : null;
  const outbound = {
    id,
    to,
    text,
    file: file?.file ?? null,
    quoted: index === 0 ? await quotedId(deps, row, message) : null,
    ...(template && { template: await placedTemplate(deps, row, template) }),
    ...author,
  };
  return { outbound, size: file?.size ?? 0, read: async () => ({ file: file ? await file.read() : null }) };
}

/** Its parameters may go elsewhere than into its text. */
async function placedTemplate(
  { db }: { db: Db },
  { accountId, channelId }: OutboundRow,
  template: NonNullable<OutboundPart['template']>,
): Promise<OutboundPart['template']> {
  const placements = (await findTemplate(db, accountId, channelId, template))?.placements;
  return placements ? { ...template, placements } : template;
}

async function quotedId(
  { db }: { db: Db },
  row: OutboundRow,
  message: StoredMessage,
): Promise<string | null> {
  if (message.replyToMessageId === null) return null;
  const quoted = await findMessage(db, row.accountId, row.sessionId, message.replyToMessageId);
  return quoted?.providerMsgId ?? null;
}
