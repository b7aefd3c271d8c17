/**
 * What a provider's folder implements: it translates between the provider's protocol and these types, and does nothing
 * else. It stores nothing, retries nothing, waits for nothing and knows no session. The frame does all of that for every
 * provider: see README.md in this folder.
 */
import type { TObject } from 'typebox';
import type { ConnectorKind, ConnectorState, IdentifierKind } from '../../../contract/connectors.ts';
import type { ChannelType } from '../../../contract/limits.ts';
import type { MailAddress } from '../../../contract/messaging/mail.ts';
import type { MessageStatus } from '../../../contract/messaging/messages.ts';

export interface Provider {
  kind: ConnectorKind;
  channelTypes: readonly ChannelType[];
  /** The connector's settings without `kind` and `credentials`; the defaults of the schema are applied. */
  settings: TObject;
  /** All strings, all required. An object of strings is opened as `imap.user`, `imap.password` and so on. */
  credentials: TObject;
  /** Credentials that are names of users, not secrets: shown where a setting shows them. */
  userNames?: readonly string[];
  limits: ProviderLimits;
  /** Where they depend on the settings. */
  limitsFor?(settings: Settings): ProviderLimits;
  /** What the schemas cannot say; returns the sentence of a 400, which names the setting. */
  checkSettings?(settings: Settings): string | null;

  /** Asks the provider who we are. Throws ProviderError. The detail is a sentence for a person. */
  check(link: Link): Promise<{ detail: string }>;
  /** Makes messages come in: sets the webhook, creates the instance. Polling is started by the frame. Repeatable. */
  connect(link: Link): Promise<Connected>;
  /** The provider should stop sending. Best effort. */
  disconnect(link: Link): Promise<void>;

  /** Where the secret is in a header: checked before the body is read. `verify` checks it as well. */
  verifyHeaders?(link: Link, headers: InboundRequest['headers']): boolean;
  /**
   * Checks the signature or the secret of a request to the inbound address, before its body is parsed. The frame stores
   * what is `accepted` as one row and then sends the answer.
   */
  verify(link: Link, request: InboundRequest): InboundVerdict;
  /** Splits one stored row. Never throws for what a provider may send: what cannot be read becomes nothing. */
  translate(link: Link, body: InboundBody): Inbound[];
  /**
   * Only where the provider is asked for messages. Waits up to about 25 s; aborted by the signal. `keep` stores a cursor
   * before the poll has ended, for what must survive a crash.
   */
  poll?(
    link: Link,
    cursor: string | null,
    signal: AbortSignal,
    keep: (cursor: string) => Promise<void>,
  ): Promise<PollResult>;
  /** Whether this connector is to be polled. */
  polls?(settings: Settings): boolean;

  /** Throws ProviderError `gone` where the file no longer exists. At most `maxBytes` are read. */
  fetchMedia(link: Link, media: InboundMedia, maxBytes: number): Promise<FetchedMedia>;

  /** Sends one part of a message. Throws ProviderError. */
  send(link: Link, part: OutboundPart): Promise<SentPart>;
  /** After a send whose answer was lost: what the provider knows of it. Without it nothing is sent twice. */
  find?(
    link: Link,
    part: OutboundPart,
    since: number,
    /** Which of these ids of the provider belong to other messages or parts already. */
    linked?: (providerMsgIds: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<SentPart | 'not sent' | 'unknown'>;
  /** Every template of the provider's list, all pages. Throws ProviderError. */
  templates?(link: Link): Promise<ProviderTemplate[]>;
  /** What is wrong with the value of a parameter, as the end of a sentence; null: nothing. */
  parameterProblem?(value: string): string | null;
  /** Null removes our reaction. Throws ProviderError. */
  react?(
    link: Link,
    to: Address,
    providerMsgId: string,
    isOurs: boolean,
    emoji: string | null,
  ): Promise<void>;
  /** `lastReceived` is the provider's id of the customer's latest message. */
  typing?(link: Link, to: Address, lastReceived?: string | null): Promise<void>;
  markRead?(link: Link, to: Address, providerMsgId: string): Promise<void>;
  /** Where messages do not tell it: asked once for each new conversation, best effort. */
  nameOf?(link: Link, customerId: string): Promise<string | null>;
  /** The code that links a phone. */
  scan?(link: Link): Promise<Scan>;
}

export interface PollResult {
  bodies: string[];
  cursor: string | null;
  /** A sentence for administrators: what could not be received. */
  notice?: string;
}

export interface ProviderLimits {
  /** Characters of a text and of a caption, after formatting; 0: files have no caption. */
  text: number;
  caption: number;
  /** Of `text`: the provider counts bytes of UTF-8. */
  countsBytes?: true;
  /** In bytes, by kind of file. */
  fileBytes: { image: number; video: number; audio: number; document: number };
  /** `markdown`: the provider gets the text as it was written, whatever its length. */
  format: 'html' | 'whatsapp' | 'plain' | 'markdown';
  /** One call takes the text and all files; `fileBytes.document` is for all of them in sum. */
  inOneCall?: true;
  hasVoice: boolean;
  /** `url`: files are given to the provider as a signed address of ours, not as bytes. */
  files: 'bytes' | 'url';
  /** Of the body of one request to the inbound address. */
  inboundBytes: number;
  perSecond: number;
  /** To one customer; null: no limit of its own. */
  perCustomerSecond: number | null;
  /** So many may be sent to one customer at once; they are paid back at the customer's pace. Absent: one. */
  customerBurst?: number;
  /** How often `typing` is repeated; absent: every four seconds. */
  typingMs?: number;
  /** How long after a customer's message free text may be sent; absent: always. */
  windowMs?: number;
  /** The same for what people write; absent: as long as `windowMs`. */
  personWindowMs?: number;
}

export const limitsOf = ({ limits, limitsFor }: Provider, settings: Settings): ProviderLimits =>
  limitsFor?.(settings) ?? limits;

export type Settings = Record<string, unknown>;

/** One connected channel, with its opened credentials. Never logged. */
export interface Link {
  accountId: string;
  channelId: string;
  /** With defaults; `apiBase` has no slash at its end. */
  settings: Settings;
  credentials: Record<string, string>;
  /** `{PUBLIC_URL}/connect/{channelId}` */
  inboundUrl: string;
  /** Random and lasting: what the provider sends back to us where it signs nothing (32 characters of base64url). */
  secret: string;
  /** The guarded way out. Rejects with ProviderError `retry` or `lost` when there is no answer. */
  call(request: ProviderRequest): Promise<ProviderAnswer>;
  /**
   * The guarded way out of what is not HTTP: an address that may be connected to. `isAllowed`: the operator of the service
   * listed it in OUTBOUND_ALLOW. Rejects with ProviderError `retry`.
   */
  resolve?(host: string, port: number): Promise<{ address: string; isAllowed: boolean }>;
  /** Files that belong to a message which is not stored yet. */
  originals?: {
    /** Null: there is no storage left. */
    keep(bytes: Buffer): Promise<string | null>;
    read(key: string): Promise<Buffer | null>;
  };
}

export interface ProviderRequest {
  method?: 'GET' | 'POST' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  json?: unknown;
  form?: Record<string, string | readonly string[]>;
  multipart?: {
    fields: Record<string, string>;
    file: { field: string; name: string; type: string; bytes: Buffer };
  };
  timeoutMs?: number;
  maxBytes?: number;
  signal?: AbortSignal;
}

export interface ProviderAnswer {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
  /** The body as JSON, undefined where it is none. */
  json: unknown;
}

export { ProviderError, type ProviderErrorClass } from './connectors.errors.ts';

export interface Connected {
  state: Extract<ConnectorState, 'connected' | 'waiting_for_scan' | 'connecting'>;
  scan?: Scan;
  /** Where the first poll begins, so that nothing is missed until then. A connector that has a cursor keeps it. */
  cursor?: string;
}

export interface Scan {
  /** A data URL of a picture. */
  qr: string | null;
  pairingCode: string | null;
  /** There is no code because a phone is linked: the connector connects again. */
  isLinked?: boolean;
}

export interface InboundRequest {
  method: 'GET' | 'POST';
  /** As the provider called it: PUBLIC_URL, path and query. */
  url: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: Buffer;
}

export interface InboundVerdict {
  status: number;
  contentType?: string;
  body?: string;
  /** What is stored: the body without anything secret. Null: nothing. */
  accepted: string | null;
}

export interface InboundBody {
  /** What `verify` accepted, or `poll` returned. */
  text: string;
  receivedAt: number;
}

/** A customer as one message tells of them. */
export interface Customer {
  /** The part of the session id after `<kind>:`, and the session's externalUserId. */
  id: string;
  /** Everything this message tells about who it is, the best first. */
  identifiers: readonly { kind: IdentifierKind; value: string }[];
  name: string | null;
}

/** Unique per channel: redelivered things have the same key. */
interface Keyed {
  key: string;
  customer: Customer;
}

export type Inbound =
  | InboundMessage
  | (Keyed & { type: 'edited'; providerMsgId: string; text: string; at: number })
  | (Keyed & { type: 'deleted'; providerMsgId: string; at: number })
  | (Keyed & { type: 'reaction'; providerMsgId: string; emoji: string | null; at: number })
  /** Everything that we sent to the customer up to then is delivered, or read. Applied forward only. */
  | (Keyed & { type: 'watermark'; status: 'delivered' | 'read'; at: number })
  /** The customer has blocked us, or no longer does. */
  | (Keyed & { type: 'reachable'; isReachable: boolean; at: number })
  /** Told by the provider, not written by the customer: a line for operators. It opens no window and gets no reply. */
  | (Keyed & { type: 'notice'; text: string; at: number; referral?: Referral })
  /** Not a message of a person: the log shows that it was dropped, and why. */
  | (Keyed & { type: 'ignored'; summary: string; reason: string })
  /** The customer is now known by other identifiers: `customer` has the new ones. The notice is for operators. */
  | (Keyed & { type: 'identity'; previous: Customer['identifiers']; notice: string | null; at: number })
  /** Without a customer, and not unique: applied forward only. `ourId` is OutboundPart.id. */
  | {
      type: 'status';
      providerMsgId: string;
      status: MessageStatus;
      reason: string | null;
      ourId: string | null;
      /** Of a mail: which of its recipients it is about, in lower case. */
      recipient?: string;
    }
  | { type: 'state'; state: ConnectorState; detail: string | null; scan?: Scan };

export interface InboundMessage extends Keyed {
  type: 'message';
  providerMsgId: string;
  /** The provider's clock, in ms. */
  at: number;
  /** The provider's order within the conversation, where it tells one; otherwise `at` is used. */
  order: number | null;
  text: string;
  media: readonly InboundMedia[];
  /** The provider's id of the message that it answers. */
  quoted: string | null;
  /** Sent by the business itself, with another program. */
  isEcho: boolean;
  /** Of an echo, where the provider sends it back: OutboundPart.id. */
  ourId?: string;
  /** Of a location, a contact, a poll and so on: `text` has a readable line, this becomes data.providerPayload. */
  payload?: unknown;
  /** What led the customer here; becomes data.referral. */
  referral?: Referral;
  /** Of an e-mail. */
  mail?: InboundMail;
  /** Messages of one group within a second of each other become one message with all files. */
  group?: string;
}

/** An advertisement, a link or a code that led a customer to a conversation. */
export interface Referral {
  source: string | null;
  type: string | null;
  ref: string | null;
  adId?: string;
}

/** What an e-mail has besides its text. */
export interface InboundMail extends MailHeaders {
  /** Hashes of In-Reply-To and References, the nearest first. */
  parents: readonly string[];
  /** Hash of the Message-ID; null: it has none. */
  idHash: string | null;
  hasHtml: boolean;
  hasQuoted: boolean;
  /** Of the whole mail, by `originals.keep`. */
  original: string | null;
  /** The receiving server says that its sender did not send it. */
  isForged?: boolean;
}

export interface MailHeaders {
  /** Without its brackets; null: it has none. */
  messageId: string | null;
  references: readonly string[];
  subject: string;
  from: MailAddress | null;
  to: readonly MailAddress[];
  cc: readonly MailAddress[];
  replyTo: readonly MailAddress[];
  date: number | null;
}

export interface InboundMedia {
  /** What `fetchMedia` needs: an id or an address; null with `bytes` in the message itself. */
  ref: string | null;
  base64?: string;
  kind: 'image' | 'video' | 'audio' | 'voice' | 'document' | 'sticker';
  mimeType: string | null;
  fileName: string | null;
  bytes: number | null;
}

export interface FetchedMedia {
  bytes: Buffer;
  mimeType: string | null;
  fileName: string | null;
}

/** Where to send to: the customer's id and every other identifier that is still theirs, the oldest first. */
export interface Address {
  customerId: string;
  identifiers: readonly { kind: IdentifierKind; value: string }[];
}

/** One call to the provider: a text, or a file with or without a caption. */
export interface OutboundPart {
  /** Ours, unique and lasting: for callback data. */
  id: string;
  to: Address;
  /** Already in the channel's format and within its limits; the caption if there is a file. */
  text: string;
  file: OutboundFile | null;
  /** The provider's id of the message that this part answers. */
  quoted: string | null;
  /** A template of the provider's list instead of a free text; `text` is what the customer will read. */
  template?: {
    name: string;
    language: string;
    parameters: readonly string[];
    placements?: ProviderTemplate['placements'];
  };
  /** Written by a person; absent for what an AI agent wrote. */
  isByPerson?: boolean;
  /** The customer's last message is longer ago than `limits.windowMs`. */
  isAfterWindow?: boolean;
  /** Where `limits.inOneCall` is set: all files of the message; `file` is null. */
  files?: readonly OutboundFile[];
  /** Of a channel of e-mail. */
  mail?: OutboundMail;
}

/** The thread that a mail belongs to. */
export interface OutboundMail {
  /** Without its brackets. */
  messageId: string;
  references: readonly string[];
  inReplyTo: string | null;
  subject: string;
  to: readonly MailAddress[];
  cc: readonly MailAddress[];
  /** What is quoted below a reply, or forwarded. */
  quoted:
    | (Pick<MailHeaders, 'subject' | 'from' | 'to' | 'date'> & { text: string; html: string | null })
    | null;
  isForward: boolean;
}

/** A text that the provider has approved. `{{1}}`, `{{2}}` … stand for its parameters. */
export interface ProviderTemplate {
  name: string;
  language: string;
  category: string;
  status: string;
  text: string;
  parameterCount: number;
  /** Where each parameter goes, in the provider's terms. Absent: all of them into the text, by number. */
  placements?: readonly TemplatePlacement[] | null;
  /** Why it cannot be sent from here, as the end of a sentence. Absent: it can. */
  unsupported?: string | null;
}

export type TemplatePlacement = Readonly<Record<string, string | number>>;

export interface OutboundFile {
  kind: 'image' | 'video' | 'audio' | 'voice' | 'document';
  name: string;
  mimeType: string;
  /** Empty where the provider takes addresses. */
  bytes: Buffer;
  url: string | null;
}

export interface SentPart {
  providerMsgId: string;
  /** `sent` unless the provider says less. */
  status: MessageStatus | null;
  /** For operators: what did not work although the message was sent. */
  notice?: string;
}
