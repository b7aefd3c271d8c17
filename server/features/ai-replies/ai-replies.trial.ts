/** A reply that is sent to nobody. It is made as for a customer, but no tool is called: calls have results from before. */
import { isDeepStrictEqual } from 'node:util';
import type { GuardRule } from '../../../contract/messaging/messages.ts';
import type { Db } from '../../platform/db/db.ts';
import { badRequest } from '../../platform/http/errors.ts';
import type { SafeFetch } from '../../platform/outbound/safe-fetch.ts';
import type { AgentDefinition, OtherVersion } from '../channels/channels.ts';
import {
  type BuildContext,
  buildConversation,
  makeReply,
  type ReplyInput,
  readKey,
} from './ai-replies.build.ts';
import { leaksOf } from './ai-replies.commit.ts';
import { type AgentTools, ModelError, type ReplyResult } from './ai-replies.conversation.ts';
import { ownTools } from './ai-replies.own-tools.ts';
import { writeText } from './model/ai-replies.model.ts';
import { type TriesOptions, withTries } from './model/ai-replies.retry.ts';

export interface TrialContext extends BuildContext {
  db: Db;
  safeFetch: SafeFetch;
}

/** What a call returned once. */
interface FrozenCall {
  name: string;
  arguments: unknown;
  result: string;
}

export interface TrialInput extends ReplyInput {
  toolResults: readonly FrozenCall[];
}

interface TrialReply extends ReplyResult {
  /** Rules that would hold it. */
  heldBy: GuardRule[];
}

/** Rejects with ModelError if the model fails. */
export async function makeTrialReply(
  context: TrialContext,
  accountId: string,
  { agent, lacksKey }: OtherVersion,
  { toolResults, ...input }: TrialInput,
  options: TriesOptions,
): Promise<TrialReply> {
  if (lacksKey)
    throw new ModelError('this version sends the key to another origin: enter a key for it', {
      retryable: false,
    });
  const conversation = await buildConversation(context, accountId, agent, input);
  const answer = frozenAnswers(toolResults);
  const reply = await makeReply(conversation, {
    ...options,
    fetch: context.safeFetch.fetch,
    toolsFor: async () => ({
      ...frozenTools(answer),
      own: await ownTools(context.db, accountId, agent, ({ name }, named) => answer(name, named)),
    }),
  });
  const leaks = leaksOf(reply.text, conversation, { hidden: [], visible: [] });
  return { ...reply, heldBy: reply.isBlocked ? [...leaks, 'blocked_pattern'] : leaks };
}

/** A text of the agent's model, without a conversation. */
export async function askAgentForText(
  { secrets, safeFetch }: TrialContext,
  agent: AgentDefinition,
  text: { system: string; prompt: string },
  { signal }: TriesOptions,
): Promise<string> {
  const settings = { ...agent, apiKey: readKey(secrets, agent) };
  return withTries((one) => writeText(settings, text, { ...one, fetch: safeFetch.fetch }), { signal });
}

type Answer = (name: string, given: unknown) => Promise<string>;

/** A call without a result is refused, which its entry in `toolCalls` tells. */
function frozenAnswers(results: readonly FrozenCall[]): Answer {
  return async (name, given) => {
    const found = results.find((one) => one.name === name && isDeepStrictEqual(one.arguments, given));
    if (!found) throw badRequest('not called: this is a test without a result of this call');
    return found.result;
  };
}

const frozenTools = (answer: Answer): AgentTools => ({
  findRecord: () => answer('find_record', {}),
  setField: (field, value) => answer('set_field', { field, value }),
  setStatus: (status) => answer('set_status', { status }),
  transfer: ({ agentName: agent, kanbanName: kanban }) =>
    answer('transfer', { ...(agent && { agent }), ...(kanban && { kanban }) }),
  handOver: async () => 'a person will take over after this reply',
});
