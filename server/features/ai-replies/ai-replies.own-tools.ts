/** The account's tools that an agent may call. */
import { badRequest } from '../../platform/http/errors.ts';
import { admitCall, callTool, type StoredTool, selectOfferedTools } from '../tools/tools.ts';
import type { OwnTool } from './ai-replies.conversation.ts';
import { requestCall } from './ai-replies.tool-calls.ts';
import {
  type OwnToolContext,
  type OwnToolPlace,
  outcomeText,
  serviceValues,
} from './ai-replies.tool-values.ts';

/** Most agents have none, and then nothing is asked. */
export async function ownTools(
  context: OwnToolContext,
  place: OwnToolPlace,
  signal: AbortSignal,
): Promise<OwnTool[]> {
  const { accountId, agent } = place;
  if (agent.toolIds.length === 0) return [];
  const tools = await selectOfferedTools(context.db, accountId, agent.toolIds);
  return tools.map((tool) => ({
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
  const named = argumentsIn(given);
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
