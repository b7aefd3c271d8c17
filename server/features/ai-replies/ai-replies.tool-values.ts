/** What a call of a tool gets from the conversation, and what the model reads of its outcome. */
import type { RateLimits } from '../../platform/limits/rate-limit.ts';
import type { SafeFetch } from '../../platform/outbound/safe-fetch.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { systemActor } from '../accounts/accounts.ts';
import type { AgentDefinition } from '../channels/channels.ts';
import { requireRecord } from '../records/records.ts';
import { findSession } from '../sessions/sessions.ts';
import { type ServiceValues, serviceValuesOf, type ToolOutcome } from '../tools/tools.ts';
import type { ToolContext } from './ai-replies.actions.ts';

export interface OwnToolContext extends ToolContext {
  rateLimits: RateLimits;
  safeFetch: SafeFetch;
  secrets: Secrets;
}

export interface OwnToolPlace {
  accountId: string;
  sessionId: string;
  /** The message that is being answered. */
  messageId: string;
  agent: Pick<AgentDefinition, 'id' | 'toolIds'>;
}

/** For the model. */
export function outcomeText({ result, truncated, error }: ToolOutcome): string {
  if (error !== null) return result ? `${error}\n${result.slice(0, 1_000)}` : error;
  return truncated ? `${result}\n(cut: there was more)` : result || 'done, without an answer';
}

/** What templates may have besides arguments: of the card only fields that the AI may see. */
export async function serviceValues(
  { db, accountConfig }: OwnToolContext,
  accountId: string,
  sessionId: string,
): Promise<ServiceValues> {
  const [session, { definitions }] = await Promise.all([
    findSession(db, accountId, sessionId),
    accountConfig.fresh(accountId),
  ]);
  if (!session) return serviceValuesOf(null, null, undefined);
  const { recordId } = session;
  const record = recordId && (await requireRecord(db, systemActor(accountId), null, recordId));
  if (!record) return serviceValuesOf(session, null, undefined);
  return serviceValuesOf(session, record, definitions.kanbans.get(record.kanbanId));
}
