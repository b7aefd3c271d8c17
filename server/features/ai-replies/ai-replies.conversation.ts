/** The input and output of a reply. Nothing under this file's types touches the database. */

import type { HandoverReason, ToolCall } from '../../../contract/messaging/messages.ts';
import type { AgentDefinition } from '../channels/channels.ts';
import type { RetrievedPassage, StoredCitation } from '../knowledge/knowledge.ts';

export const toolNames = ['find_record', 'set_field', 'set_status', 'transfer', 'hand_over'] as const;
export type ToolName = (typeof toolNames)[number];

export interface KnowledgeEntry {
  title: string;
  text: string;
}

export interface AgentSettings {
  id: string;
  name: string;
  provider: 'offline' | 'openai-compatible' | 'anthropic';
  model: string | null;
  /**
   * With its version path: the client appends /chat/completions (or /messages for Anthropic, where it may be null).
   */
  baseUrl: string | null;
  apiKey: string | null;
  instructions: string;
  knowledge: KnowledgeEntry[];
  tools: ToolName[];
  /** A reply that cites nothing is replaced by a hand-over. */
  answerOnlyFromKnowledge?: boolean;
  /** Of a million tokens, in US dollars. Left out or null: the model's public price. */
  price?: AgentDefinition['price'];
  /** Left out: the model sees everything. */
  maskForModel?: AgentDefinition['maskForModel'];
  /** Left out: none. */
  blockedPatterns?: AgentDefinition['blockedPatterns'];
  /** What the customer reads when a person takes over; by default a sentence in the customer's language. */
  handoverMessage?: string;
}

export interface ConversationMessage {
  id: string;
  role: 'user' | 'assistant' | 'operator' | 'system';
  /** Nobody has answered with it. */
  isByRule?: boolean;
  /** Transcripts and file names are already part of it. */
  content: string;
  timestamp: number;
}

export interface Conversation {
  agent: AgentSettings;
  /** Oldest first, up to and including the message to answer. No held replies: the customer never saw them. */
  messages: ConversationMessage[];
  /** Those that the AI may see. */
  notes: { content: string; operatorName: string }[];
  /** Of the account's knowledge, the best first. */
  passages: RetrievedPassage[];
  customer: { externalUserId: string | null; sessionName: string | null };
}

export interface ReplyResult {
  text: string;
  /** A person was requested, by the tool or by the offline agent's rule; `AgentTools.handOver` has been called. */
  handover: boolean;
  usage: { inputTokens: number | null; outputTokens: number | null };
  /** Calls of the model; 0 for the offline agent. */
  steps: number;
  toolCalls: ToolCall[];
  /** In US dollars. Null: unknown. */
  cost: number | null;
  /** What it had to answer from, and what of that it is based on. */
  retrieved: StoredCitation[];
  citations: StoredCitation[];
  /** Left out: `requested`. */
  handoverReason?: HandoverReason;
  /** It says what the agent must never say. */
  isBlocked?: boolean;
}

/** A tool of the account, as a model sees it. */
export interface OwnTool {
  name: string;
  description: string;
  kind: 'read' | 'write';
  /** The JSON Schema of its arguments. */
  parameters: object;
  /** As of `AgentTools`; checks the arguments. */
  call(given: unknown): Promise<string>;
}

/**
 * Ids never come from the model: an implementation knows its session. Each returns a short text for the model. An
 * AppError below 500 is a rejection that the model reads and may correct; anything else ends the reply with that
 * error. A failed try is repeated from the start, so repeated calls must be harmless.
 */
export interface AgentTools {
  /** The account's tools that the agent may call. */
  own?: readonly OwnTool[];
  findRecord(): Promise<string>;
  setField(fieldName: string, value: unknown): Promise<string>;
  setStatus(status: string): Promise<string>;
  transfer(target: { agentName?: string; kanbanName?: string }): Promise<string>;
  handOver(reason: string): Promise<string>;
}

export interface ModelErrorOptions {
  retryable: boolean;
  retryAfterMs?: number | null;
  /** It has too much to do, and will answer later. */
  isBusy?: boolean;
  providerMessage?: string | null;
}

/**
 * Its message is our own text and safe to log; it has no `cause`, because the SDK's errors contain prompt and answer.
 */
export class ModelError extends Error {
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  readonly isBusy: boolean;
  /** What was called before it failed. */
  toolCalls: readonly ToolCall[] = [];
  /** May quote the prompt. Private, so that logging or serialising the error does not include it. */
  readonly #providerMessage: string | null;

  constructor(
    message: string,
    { retryable, retryAfterMs = null, isBusy = false, providerMessage = null }: ModelErrorOptions,
  ) {
    super(message);
    this.name = 'ModelError';
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
    this.isBusy = isBusy;
    this.#providerMessage = providerMessage;
  }

  /** The message and the provider's text: for the team, neither for the log nor for the customer. */
  get details(): string {
    return this.#providerMessage === null ? this.message : `${this.message}: ${this.#providerMessage}`;
  }
}

/** What may be said without disclosing a note: it was said in the chat, is in the agent's settings or in its sources. */
export function knownTexts({ agent, messages, passages, customer }: Conversation): string[] {
  return [
    ...messages.map(({ content }) => content),
    ...agent.knowledge.map(({ title, text }) => `${title}\n${text}`),
    ...passages.map(({ title, heading, excerpt }) => `${title}\n${heading ?? ''}\n${excerpt}`),
    agent.instructions,
    agent.name,
    agent.handoverMessage ?? '',
    customer.sessionName ?? '',
    customer.externalUserId ?? '',
  ].filter((text) => text !== '');
}
