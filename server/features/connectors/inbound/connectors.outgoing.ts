/** What the inbound side asks the outbound side, which implements it. */
import type { Reader, Tx } from '../../../platform/db/db.ts';
import type { InboundMessage } from '../connectors.provider.ts';

export interface SentId {
  providerMsgId: string;
  /** OutboundPart.id, where the provider sends it back. */
  ourId: string | null;
}

export interface SentByUs {
  /** The conversation of a message that we sent, by either id. Null: not ours, or not known yet. */
  findSession(db: Reader, accountId: string, channelId: string, sent: SentId): Promise<string | null>;
  /** In the open conversation, before a status is applied: links a send whose answer was lost. */
  confirm(tx: Tx, accountId: string, channelId: string, sent: SentId): Promise<void>;
  /** In the open conversation: whether a call that began until then has no answer yet. */
  isSending(tx: Tx, accountId: string, sessionId: string, until: number): Promise<boolean>;
  /** Whether an echo is a message that we sent, also where the answer to the send has not come yet. */
  isOurs(db: Reader, accountId: string, channelId: string, echo: InboundMessage): Promise<boolean>;
}
