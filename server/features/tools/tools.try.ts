/** A call for an administrator who configures a tool. */
import type { ToolTry, ToolTryAnswer } from '../../../contract/tools.ts';
import type { Db } from '../../platform/db/db.ts';
import { badRequest, rateLimited } from '../../platform/http/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { RateLimits } from '../../platform/limits/rate-limit.ts';
import { type CallContext, callTool, shortened } from './tools.call.ts';
import { admitCall, requireStored } from './tools.ts';

const example = new Map([
  ['customer.id', 'example'],
  ['customer.name', 'example'],
]);

export async function tryTool(
  context: CallContext & { db: Db; rateLimits: RateLimits },
  accountId: string,
  id: string,
  { arguments: given, confirm = false }: ToolTry,
  signal: AbortSignal,
): Promise<ToolTryAnswer> {
  const tool = await requireStored(context.db, accountId, id);
  const isWrite = tool.kind === 'write';
  if (isWrite && !confirm) throw badRequest('confirm must be true: the tool changes something');
  const { admitted, retryAfterSeconds } = await admitCall(context.rateLimits, accountId);
  if (!admitted) throw rateLimited(429, retryAfterSeconds);
  const idempotencyKey = isWrite ? newId() : null;
  const outcome = await callTool(context, tool, given, example, { signal, idempotencyKey });
  const { result, truncated, error, status, ms } = outcome;
  const shown = result && shortened(result);
  return { result: shown, truncated: truncated || shown !== result, error, status, ms };
}
