/** What a reply is made from and what comes of it. Nothing under this file's types touches the database. */

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
  /** With its version path: the client appends /chat/completions (or /messages for Anthropic, where it may be null). */
  baseUrl: string | null;
  apiKey: string | null;
  instructions: string;
  knowledge: KnowledgeEntry[];
  tools: ToolName[];
  /** What the customer reads when a human takes over; without one a sentence in the customer's language. */
  handoverMessage?: string;
}

export interface ConversationMessage {
  id: string;
  role: 'user' | 'assistant' | 'operator' | 'system';
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
  customer: { externalUserId: string | null; sessionName: string | null };
}

export interface ReplyResult {
  text: string;
  /** A human was asked for, by the tool or by the offline agent's rule; `AgentTools.handOver` has been called. */
  handover: boolean;
  usage: { inputTokens: number | null; outputTokens: number | null };
  /** Calls of the model; 0 for the offline agent. */
  steps: number;
  toolCalls: { name: string; ok: boolean }[];
}

/**
 * Ids never come from the model: an implementation knows its session. Each returns a short text for the model. An
 * AppError below 500 is a refusal that the model reads and may correct; anything else ends the reply with that error.
 * A try that fails later is made again from the start, so repeating a call must be harmless.
 */
export interface AgentTools {
  findRecord(): Promise<string>;
  setField(fieldName: string, value: unknown): Promise<string>;
  setStatus(status: string): Promise<string>;
  transfer(target: { agentName?: string; kanbanName?: string }): Promise<string>;
  handOver(reason: string): Promise<string>;
}

export interface ModelErrorOptions {
  retryable: boolean;
  retryAfterMs?: number | null;
  providerMessage?: string | null;
}

/** Its message is our own words and safe to log; it has no `cause`, because the SDK's errors carry prompt and answer. */
export class ModelError extends Error {
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  /** May quote the prompt. Private, so that nothing that logs or serialises the error has it. */
  readonly #providerMessage: string | null;

  constructor(
    message: string,
    { retryable, retryAfterMs = null, providerMessage = null }: ModelErrorOptions,
  ) {
    super(message);
    this.name = 'ModelError';
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
    this.#providerMessage = providerMessage;
  }

  /** The message and what the provider said: for the team, neither for the log nor for the customer. */
  get details(): string {
    return this.#providerMessage === null ? this.message : `${this.message}: ${this.#providerMessage}`;
  }
}

/** What may be said without disclosing a note: it was said in the chat, or the agent's settings say it. */
export function knownTexts({ agent, messages, customer }: Conversation): string[] {
  return [
    ...messages.map(({ content }) => content),
    ...agent.knowledge.map(({ title, text }) => `${title}\n${text}`),
    agent.instructions,
    agent.name,
    agent.handoverMessage ?? '',
    customer.sessionName ?? '',
    customer.externalUserId ?? '',
  ].filter((text) => text !== '');
}
