/** The reply of one version to one case, and what the checks say of it. */
import type { AgentCheck, AgentVerdict } from '../../../contract/agent-tests.ts';
import { ModelError, makeTrialReply, type TrialContext, type TrialInput } from '../ai-replies/ai-replies.ts';
import type { OtherVersion } from '../channels/channels.ts';
import { problemOf, verdict } from './agent-tests.checks.ts';
import { type FreezeContext, replayInput } from './agent-tests.freeze.ts';
import { judge } from './agent-tests.judge.ts';
import type { StoredResult, StoredSide } from './agent-tests.runs.sql.ts';
import type { TestInput } from './agent-tests.sql.ts';

export type SideContext = TrialContext & FreezeContext;

/** Rejects with ModelError only if the provider has too much to do. */
export async function makeSide(
  context: SideContext,
  accountId: string,
  version: OtherVersion,
  { input, checks, sessionId, messageId }: StoredResult,
  signal: AbortSignal,
): Promise<StoredSide> {
  const begun = performance.now();
  const elapsed = () => Math.round(performance.now() - begun);
  try {
    const replayed = input === null && { sessionId: sessionId!, messageId: messageId! };
    const given = replayed
      ? await replayInput(context, accountId, version.agent, replayed)
      : trialInput(input!);
    if (!given) return failedSide(checks, { details: 'the message is gone', toolCalls: [] }, elapsed());
    const reply = await makeTrialReply(context, accountId, version, given, { signal });
    const latencyMs = elapsed();
    const { text, handover, heldBy, citations, toolCalls, cost } = reply;
    const verdicts: AgentVerdict[] = [];
    for (const check of checks) {
      verdicts.push(
        check.kind === 'judge'
          ? await judge(
              context,
              version.agent,
              check,
              { conversation: given.messages.map(({ role, content }) => ({ role, content })), reply: text },
              signal,
            )
          : verdict(check, await problemOf(check, reply)),
      );
    }
    const passed = verdicts.every((one) => one.passed);
    return { text, failure: null, handover, heldBy, verdicts, passed, citations, toolCalls, cost, latencyMs };
  } catch (error) {
    if (!(error instanceof ModelError) || error.isBusy) throw error;
    return failedSide(checks, error, elapsed());
  }
}

const failedSide = (
  checks: readonly AgentCheck[],
  { details: failure, toolCalls }: Pick<ModelError, 'details' | 'toolCalls'>,
  latencyMs: number,
): StoredSide => ({
  ...{ text: null, failure, handover: false, heldBy: [] },
  verdicts: checks.map((check) => verdict(check, 'there is no reply')),
  ...{ passed: false, citations: [], toolCalls: [...toolCalls], cost: null, latencyMs },
});

/** The service gives messages their ids and times, which the model does not read. */
const trialInput = ({ messages, notes, customer, card, toolResults }: TestInput): TrialInput => ({
  messages: messages.map((message, index) => ({ ...message, id: String(index), timestamp: 0 })),
  notes,
  customer: { externalUserId: customer.id, sessionName: customer.name },
  toolResults: [
    ...(card === null ? [] : [{ name: 'find_record', arguments: {}, result: JSON.stringify(card) }]),
    ...toolResults,
  ],
});
