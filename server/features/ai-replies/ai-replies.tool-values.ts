/** What a call of a tool gets from the conversation, and what the model reads of its outcome. */
import type { RateLimits } from '../../platform/limits/rate-limit.ts';
import type { SafeFetch } from '../../platform/outbound/safe-fetch.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { systemActor } from '../accounts/accounts.ts';
import type { AgentDefinition } from '../channels/channels.ts';
import type { Definitions } from '../kanbans/kanbans.ts';
import { requireRecord } from '../records/records.ts';
import { findSession } from '../sessions/sessions.ts';
import type { ServiceValues, ToolOutcome } from '../tools/tools.ts';
import type { ToolContext } from './ai-replies.actions.ts';
import { visibleFields } from './ai-replies.fields.ts';

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
  const values = new Map<string, string>();
  if (!session) return values;
  if (session.externalUserId !== null) values.set('customer.id', session.externalUserId);
  if (session.sessionName !== null) values.set('customer.name', session.sessionName);
  if (session.recordId === null) return values;
  const record = await requireRecord(db, systemActor(accountId), null, session.recordId);
  for (const [name, text] of cardValues(definitions, record)) values.set(name, text);
  return values;
}

function* cardValues(
  { kanbans }: Definitions,
  record: { kanbanId: string; customFields: Record<string, unknown> },
): Iterable<[string, string]> {
  for (const { id } of visibleFields(kanbans.get(record.kanbanId))) {
    const value = record.customFields[id];
    if (value === undefined || value === null) continue;
    yield [`card.${id}`, Array.isArray(value) ? value.join(', ') : String(value)];
  }
}
