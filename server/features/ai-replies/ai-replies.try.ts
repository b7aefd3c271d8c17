/** A test answer for an administrator who configures an agent: from the published settings, the draft or a version. */
import type { AgentTry, AgentTryAnswer } from '../../../contract/channels.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import { notFound } from '../../platform/http/errors.ts';
import type { SafeFetch } from '../../platform/outbound/safe-fetch.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { type AccountConfigCache, agentOfVersion, type OtherVersion } from '../channels/channels.ts';
import { citationsShown, type KnowledgeSearch } from '../knowledge/knowledge.ts';
import { type AgentTools, type Conversation, ModelError } from './ai-replies.conversation.ts';
import { readKey } from './ai-replies.history.ts';
import { fromKnowledgeOnly } from './knowledge/ai-replies.only-knowledge.ts';
import { retrievePassages } from './knowledge/ai-replies.retrieval.ts';
import { generateReply } from './model/ai-replies.model.ts';

export interface TryContext {
  db: Db;
  clock: Clock;
  secrets: Secrets;
  safeFetch: SafeFetch;
  knowledgeSearch: KnowledgeSearch;
  accountConfig: AccountConfigCache;
}

/** There is no conversation whose record could be read or changed; a hand-over is only reported. */
const inertTools: AgentTools = {
  findRecord: async () => 'there is no record in a trial',
  setField: async () => 'nothing is changed in a trial',
  setStatus: async () => 'nothing is changed in a trial',
  transfer: async () => 'nothing is changed in a trial',
  handOver: async () => 'a person will take over after this reply',
};

export async function requireTriedAgent(
  { db, secrets, accountConfig }: TryContext,
  accountId: string,
  id: string,
  version: AgentTry['version'],
): Promise<OtherVersion> {
  const { directory } = await accountConfig.fresh(accountId);
  const agent = directory.agents.get(id);
  if (!agent) throw notFound('agent');
  return version === undefined
    ? { agent, lacksKey: false }
    : agentOfVersion(db, secrets, accountId, agent, version);
}

/** A failure of the model is a result too: the administrator needs to see it. */
export async function tryAgent(
  { clock, secrets, safeFetch, knowledgeSearch }: TryContext,
  accountId: string,
  { agent, lacksKey }: OtherVersion,
  { messages }: AgentTry,
  { signal, seesInternal }: { signal: AbortSignal; seesInternal: boolean },
): Promise<AgentTryAnswer> {
  const begun = performance.now();
  const elapsed = () => Math.round(performance.now() - begun);
  try {
    if (lacksKey)
      throw new ModelError('this version sends the key to another origin: enter a key for it', {
        retryable: false,
      });
    const said = messages.map((message, index) => ({
      ...message,
      id: String(index),
      timestamp: clock.now(),
    }));
    const conversation: Conversation = {
      agent: {
        ...agent,
        apiKey: readKey(secrets, agent),
        tools: agent.tools.filter((tool) => tool === 'hand_over'),
      },
      messages: said,
      notes: [],
      passages: await retrievePassages(knowledgeSearch, accountId, agent, said),
      customer: { externalUserId: null, sessionName: null },
    };
    // One try: someone is waiting, and can try again.
    const made = await generateReply(conversation, inertTools, { fetch: safeFetch.fetch, signal });
    const reply = fromKnowledgeOnly(conversation, made);
    return {
      text: reply.text,
      handover: reply.handover,
      failure: null,
      latencyMs: elapsed(),
      ...reply.usage,
      citations: citationsShown(reply.citations, seesInternal),
    };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return {
      text: null,
      handover: false,
      failure: error.details,
      latencyMs: elapsed(),
      inputTokens: null,
      outputTokens: null,
      citations: [],
    };
  }
}
