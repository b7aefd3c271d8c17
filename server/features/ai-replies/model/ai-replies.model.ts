/** One try at a reply. The caller repeats it (withTries), checks it (repeatsNote) and commits it. */
import type { AgentSettings, AgentTools, Conversation, ReplyResult } from '../ai-replies.conversation.ts';
import { offlineReply } from './ai-replies.offline.ts';

export interface ReplyOptions {
  /** safe-fetch: an agent's base URL is user input. */
  fetch: typeof globalThis.fetch;
  /** Aborting rejects with the signal's reason, not with a ModelError. */
  signal: AbortSignal;
  /** For the whole reply with all its steps; 30 s unless given. */
  timeoutMs?: number;
  /** For somebody who reads along: the reply so far, without what may still become something else. */
  onText?: (soFar: string) => void;
}

/** Rejects with ModelError if the model fails, and with a tool's own error if that was not a rejection. */
export async function generateReply(
  conversation: Conversation,
  tools: AgentTools,
  options: ReplyOptions,
): Promise<ReplyResult> {
  options.signal.throwIfAborted();
  if (conversation.agent.provider === 'offline') {
    const reply = offlineReply(conversation);
    if (reply.handover) await tools.handOver('The customer asked for a person.');
    return reply;
  }
  // Loaded on first use: the SDK takes 0.4 s of processor time and 40 MB, which offline agents do not need.
  const { askModel } = await import('./ai-replies.sdk.ts');
  return askModel(conversation, tools, options);
}

export interface TextOptions extends ReplyOptions {
  /** Of the text; some 2,000 unless given. */
  maxTokens?: number;
}

/** A text that is no reply: without a conversation, knowledge and tools. One try. */
export async function writeText(
  agent: AgentSettings,
  request: { system: string; prompt: string },
  options: TextOptions,
): Promise<string> {
  const { askForText } = await import('./ai-replies.sdk.ts');
  return askForText(agent, request, options);
}
