/** The account's tools that an agent may call: what the service knows of the conversation, and the calls themselves. */
import { badRequest } from '../../platform/http/errors.ts';
import type { RateLimits } from '../../platform/limits/rate-limit.ts';
import type { SafeFetch } from '../../platform/outbound/safe-fetch.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { systemActor } from '../accounts/accounts.ts';
import type { AgentDefinition } from '../channels/channels.ts';
import type { Definitions } from '../kanbans/kanbans.ts';
import { requireRecord } from '../records/records.ts';
import { findSession } from '../sessions/sessions.ts';
import {
  type Arguments,
  admitCall,
  callTool,
  type ServiceValues,
  type StoredTool,
  selectOfferedTools,
  type ToolOutcome,
} from '../tools/tools.ts';
import type { ToolContext } from './ai-replies.actions.ts';
import type { OwnTool } from './ai-replies.conversation.ts';
import { visibleFields } from './ai-replies.fields.ts';

export interface OwnToolContext extends ToolContext {
  rateLimits: RateLimits;
  safeFetch: SafeFetch;
  secrets: Secrets;
}

interface OwnToolPlace {
  accountId: string;
  sessionId: string;
  agent: Pick<AgentDefinition, 'toolIds'>;
}

/** Most agents have none, and then nothing is asked. */
export async function ownTools(
  context: OwnToolContext,
  place: OwnToolPlace,
  signal: AbortSignal,
): Promise<OwnTool[]> {
  const { accountId, agent } = place;
  if (agent.toolIds.length === 0) return [];
  const tools = await selectOfferedTools(context.db, accountId, agent.toolIds);
  return tools
    .filter(({ kind }) => kind === 'read')
    .map((tool) => ({
      name: tool.name,
      description: tool.description,
      kind: tool.kind,
      parameters: tool.parameters,
      call: (given) => callNow(context, place, tool, given, signal),
    }));
}

async function callNow(
  context: OwnToolContext,
  place: OwnToolPlace,
  tool: StoredTool,
  given: unknown,
  signal: AbortSignal,
): Promise<string> {
  const { accountId, sessionId } = place;
  const { admitted } = await admitCall(context.rateLimits, accountId);
  if (!admitted) throw badRequest('too many calls of tools in this minute: answer without it');
  const values = await serviceValues(context, accountId, sessionId);
  const options = { signal, idempotencyKey: null };
  return textOf(await callTool(context, tool, argumentsIn(given), values, options));
}

function argumentsIn(given: unknown): Arguments {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as Arguments;
  throw badRequest('the arguments must be an object');
}

/** For the model. */
function textOf({ result, truncated, error }: ToolOutcome): string {
  if (error !== null) throw badRequest(result ? `${error}\n${result.slice(0, 1_000)}` : error);
  return truncated ? `${result}\n(cut: there was more)` : result || 'done, without an answer';
}

/** What templates may have besides arguments: of the card only fields that the AI may see. */
async function serviceValues(
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
