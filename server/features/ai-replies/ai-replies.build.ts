/**
 * The one way in which a reply is made: for a customer, a trial, a run of test cases or a replay. With the same input all
 * of them ask the model the same.
 */
import type { ToolCall } from '../../../contract/messaging/messages.ts';
import { matchesAny } from '../../platform/patterns.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { inSpan } from '../../platform/telemetry/tracing.ts';
import { type AgentDefinition, openKey } from '../channels/channels.ts';
import type { KnowledgeSearch } from '../knowledge/knowledge.ts';
import {
  type AgentSettings,
  type AgentTools,
  type Conversation,
  ModelError,
  type ReplyResult,
} from './ai-replies.conversation.ts';
import { fromKnowledgeOnly } from './knowledge/ai-replies.only-knowledge.ts';
import { retrievePassages } from './knowledge/ai-replies.retrieval.ts';
import { generateReply, type ReplyOptions } from './model/ai-replies.model.ts';
import { offlineReply } from './model/ai-replies.offline.ts';
import { type TriesOptions, withTries } from './model/ai-replies.retry.ts';

export type ReplyInput = Pick<Conversation, 'messages' | 'notes' | 'customer'>;

export interface BuildContext {
  secrets: Secrets;
  knowledgeSearch: KnowledgeSearch;
}

export async function buildConversation(
  { secrets, knowledgeSearch }: BuildContext,
  accountId: string,
  agent: AgentDefinition,
  { messages, notes, customer }: ReplyInput,
): Promise<Conversation> {
  return {
    agent: { ...agent, apiKey: readKey(secrets, agent) },
    messages,
    passages: await retrievePassages(knowledgeSearch, accountId, agent, messages),
    notes,
    customer,
  };
}

/** A key sealed with another SECRET_KEY is a configuration problem: a retry would not help. */
export function readKey(secrets: Secrets, agent: AgentDefinition): string | null {
  try {
    return openKey(secrets, agent);
  } catch {
    throw new ModelError("the agent's key cannot be read: set it again", { retryable: false });
  }
}

export interface MakeOptions extends TriesOptions {
  /** safe-fetch: an agent's base URL is user input. */
  fetch: typeof globalThis.fetch;
  /** What the tools of the agent do; asked once for each try. */
  toolsFor: (signal: AbortSignal) => Promise<AgentTools>;
}

export async function makeReply(conversation: Conversation, options: MakeOptions): Promise<ReplyResult> {
  const { agent } = conversation;
  /** By tries that failed. */
  const called: ToolCall[] = [];
  const made =
    agent.provider === 'offline'
      ? offlineReply(conversation)
      : await askWithTries(conversation, options, called);
  const reply = fromKnowledgeOnly(conversation, made);
  const isBlocked = await matchesAny(agent.blockedPatterns ?? [], reply.text);
  return {
    ...reply,
    ...(called.length > 0 && { toolCalls: [...called, ...reply.toolCalls] }),
    ...(isBlocked && { isBlocked }),
  };
}

function askWithTries(
  conversation: Conversation,
  { fetch, toolsFor, ...options }: MakeOptions,
  called: ToolCall[],
): Promise<ReplyResult> {
  const { agent } = conversation;
  const ask = async (tools: AgentTools, options: ReplyOptions): Promise<ReplyResult> => {
    try {
      return await generateReply(conversation, tools, options);
    } catch (error) {
      if (error instanceof ModelError) {
        called.push(...error.toolCalls);
        error.toolCalls = [...called];
      }
      throw error;
    }
  };
  return withTries(
    ({ timeoutMs, signal }) =>
      inSpan(spanOf(agent), async (span) => {
        const reply = await ask(await toolsFor(signal), { fetch, signal, timeoutMs });
        span.set({
          'gen_ai.usage.input_tokens': reply.usage.inputTokens ?? 0,
          'gen_ai.usage.output_tokens': reply.usage.outputTokens ?? 0,
          'talkboard.reply.steps': reply.steps,
        });
        return reply;
      }),
    options,
  );
}

const spanOf = ({ id, provider, model }: AgentSettings) => ({
  name: `chat ${model}`,
  kind: 'client' as const,
  attributes: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model ?? '',
    'talkboard.agent.id': id,
  },
});
