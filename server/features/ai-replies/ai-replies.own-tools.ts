/** The account's tools that an agent may call. */
import type { Reader } from '../../platform/db/db.ts';
import { badRequest } from '../../platform/http/errors.ts';
import type { AgentDefinition } from '../channels/channels.ts';
import { admitCall, callTool, type StoredTool, selectOfferedTools } from '../tools/tools.ts';
import type { OwnTool } from './ai-replies.conversation.ts';
import { requestCall } from './ai-replies.tool-calls.ts';
import {
  type OwnToolContext,
  type OwnToolPlace,
  outcomeText,
  serviceValues,
} from './ai-replies.tool-values.ts';

/** What a call does. It may refuse with an AppError below 500. */
export type CallTool = (tool: StoredTool, named: Record<string, unknown>) => Promise<string>;

/** Most agents have none, and then nothing is asked. */
export async function ownTools(
  db: Reader,
  accountId: string,
  { toolIds }: Pick<AgentDefinition, 'toolIds'>,
  call: CallTool,
): Promise<OwnTool[]> {
  if (toolIds.length === 0) return [];
  const tools = await selectOfferedTools(db, accountId, toolIds);
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    kind: tool.kind,
    parameters: tool.parameters,
    call: async (given) => call(tool, argumentsIn(given)),
  }));
}

/** For the customer: a read is made at once, a write waits for a person. */
export async function callNow(
  context: OwnToolContext,
  place: OwnToolPlace,
  signal: AbortSignal,
  tool: StoredTool,
  named: Record<string, unknown>,
): Promise<string> {
  const { accountId, sessionId } = place;
  const { admitted } = await admitCall(context.rateLimits, accountId);
  if (!admitted) throw badRequest('too many calls of tools in this minute: answer without it');
  if (tool.kind === 'write') return requestCall(context, place, tool, named);
  const values = await serviceValues(context, accountId, sessionId);
  const options = { signal, idempotencyKey: null };
  const outcome = await callTool(context, tool, named, values, options);
  if (outcome.error !== null) throw badRequest(outcomeText(outcome));
  return outcomeText(outcome);
}

function argumentsIn(given: unknown): Record<string, unknown> {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) {
    return given as Record<string, unknown>;
  }
  throw badRequest('the arguments must be an object');
}
