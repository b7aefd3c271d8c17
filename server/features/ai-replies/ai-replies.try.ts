/** A test answer for an administrator who configures an agent: from the published settings, the draft or a version. */
import type { AgentTry, AgentTryAnswer } from '../../../contract/channels.ts';
import type { Clock } from '../../platform/db/clock.ts';
import { notFound } from '../../platform/http/errors.ts';
import { type AccountConfigCache, agentOfVersion, type OtherVersion } from '../channels/channels.ts';
import { citationsShown } from '../knowledge/knowledge.ts';
import { ModelError } from './ai-replies.conversation.ts';
import { makeTrialReply, type TrialContext } from './ai-replies.trial.ts';

export interface TryContext extends TrialContext {
  clock: Clock;
  accountConfig: AccountConfigCache;
}

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
  context: TryContext,
  accountId: string,
  tried: OtherVersion,
  { messages }: AgentTry,
  { signal, seesInternal }: { signal: AbortSignal; seesInternal: boolean },
): Promise<AgentTryAnswer> {
  const begun = performance.now();
  const elapsed = () => Math.round(performance.now() - begun);
  const said = messages.map((message, index) => ({
    ...message,
    id: String(index),
    timestamp: context.clock.now(),
  }));
  const nobody = { externalUserId: null, sessionName: null };
  const input = { messages: said, notes: [], customer: nobody, toolResults: [] };
  try {
    // One try: someone is waiting, and can try again.
    const reply = await makeTrialReply(context, accountId, tried, input, { signal, tries: 1 });
    return {
      text: reply.text,
      handover: reply.handover,
      failure: null,
      latencyMs: elapsed(),
      ...reply.usage,
      citations: citationsShown(reply.citations, seesInternal),
      toolCalls: reply.toolCalls,
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
      toolCalls: [...error.toolCalls],
    };
  }
}
