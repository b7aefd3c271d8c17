/** Calls a tool: fills its request, sends it by the outbound rules and reads what of the answer is the result. */
import { limits } from '../../../contract/limits.ts';
import { badRequest } from '../../platform/http/errors.ts';
import { OutboundError, type SafeFetch, type SafeResponse } from '../../platform/outbound/safe-fetch.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { openServerHeaders } from './mcp/mcp.headers.ts';
import { readBody, requireUrl } from './tools.check.ts';
import { openHeaders } from './tools.headers.ts';
import { type Arguments, argumentsProblem } from './tools.schema.ts';
import type { StoredTool } from './tools.sql.ts';
import { fillHeader, fillJson, fillUrl, placeholdersOf, type ServiceValues } from './tools.template.ts';

export interface ToolOutcome {
  /** What the model and people read; null: nothing came back. */
  result: string | null;
  /** There was more. */
  truncated: boolean;
  /** Why the call failed, in words that may be shown; null: it did not. */
  error: string | null;
  /** It failed after the request may have arrived. */
  mayHaveHappened: boolean;
  /** Of the answer. */
  status: number | null;
  ms: number;
}

export interface CallContext {
  secrets: Secrets;
  safeFetch: SafeFetch;
}

export interface CallOptions {
  signal: AbortSignal;
  /** Of a write: the same for one call, so that the other side can recognize it. */
  idempotencyKey: string | null;
  /** Called right before the request is sent. */
  onStart?: () => void;
}

interface ToolRequest {
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

/** Rejects with a 400 if the arguments are wrong, and with the signal's reason. */
export async function callTool(
  { secrets, safeFetch }: CallContext,
  tool: StoredTool,
  given: Arguments,
  values: ServiceValues,
  options: CallOptions,
): Promise<ToolOutcome> {
  checkArguments(tool, given);
  if (tool.server) return callServersTool({ secrets, safeFetch }, tool, given, options);
  const { signal, idempotencyKey, onStart } = options;
  const { url, headers, body } = requestOf(secrets, tool, given, values, idempotencyKey);
  const begun = performance.now();
  const ms = () => Math.round(performance.now() - begun);
  try {
    const response = await safeFetch.request(url, {
      method: tool.method!,
      headers,
      ...(body !== null && { body }),
      totalTimeoutMs: tool.timeoutMs,
      maxReadBytes: tool.maxBytes,
      keepBytes: tool.maxBytes,
      signal,
      ...(onStart && { onStart }),
    });
    return { ...read(tool, response), ms: ms() };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const mayHaveHappened = !neverSent.has(error.code);
    const nothing = { result: null, truncated: false, status: null };
    return { ...nothing, error: error.message, mayHaveHappened, ms: ms() };
  }
}

const neverSent: ReadonlySet<string> = new Set([
  'ADDRESS_REFUSED',
  'BAD_REQUEST',
  'DNS',
  'CONNECT',
  'CONNECT_TIMEOUT',
  'TLS',
]);

async function callServersTool(
  { secrets, safeFetch }: CallContext,
  { server, remoteName, timeoutMs, maxBytes }: StoredTool,
  given: Arguments,
  { signal, idempotencyKey, onStart }: CallOptions,
): Promise<ToolOutcome> {
  const { callRemoteTool, problemOf } = await import('./mcp/mcp.client.ts');
  const begun = performance.now();
  const ms = () => Math.round(performance.now() - begun);
  let isSent = false;
  const known = openServerHeaders(secrets, server!);
  const headers = { ...known, ...(idempotencyKey !== null && { 'idempotency-key': idempotencyKey }) };
  try {
    const { text, isError } = await callRemoteTool(
      safeFetch,
      { url: server!.url, headers },
      { name: remoteName!, given: { ...given } },
      {
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        onStart() {
          isSent = true;
          onStart?.();
        },
      },
    );
    const bytes = Buffer.from(text.replaceAll('\0', '\uFFFD'));
    const truncated = bytes.length > maxBytes;
    const result = bytes.subarray(0, maxBytes).toString();
    const error = isError ? 'the tool failed' : null;
    return { result, truncated, error, mayHaveHappened: true, status: 200, ms: ms() };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const nothing = { result: null, truncated: false, status: null };
    return { ...nothing, error: problemOf(error), mayHaveHappened: isSent, ms: ms() };
  }
}

/** Before a call that waits for approval: wrong arguments are the model's to correct. */
export function checkCall(secrets: Secrets, tool: StoredTool, given: Arguments, values: ServiceValues): void {
  checkArguments(tool, given);
  if (!tool.server) requestOf(secrets, tool, given, values, null);
}

/** The schema of an MCP server may say more than the service understands. */
function checkArguments({ parameters, server }: StoredTool, given: Arguments): void {
  const problem = argumentsProblem(parameters, given, server === null);
  if (problem) throw badRequest(problem);
}

function requestOf(
  secrets: Secrets,
  tool: StoredTool,
  given: Arguments,
  values: ServiceValues,
  idempotencyKey: string | null,
): ToolRequest {
  const url = fillUrl(requireUrl(tool.url!), given, values);
  const body = bodyOf(tool, given, values);
  const own = Object.entries(openHeaders(secrets, tool)).map(([name, value]) => [
    name,
    fillHeader(value, values),
  ]);
  const isTyped = own.some(([name]) => name!.toLowerCase() === 'content-type');
  const headers: Record<string, string> = {
    ...Object.fromEntries(own),
    ...(body !== null && !isTyped && { 'content-type': 'application/json' }),
    ...(idempotencyKey !== null && { 'idempotency-key': idempotencyKey }),
  };
  return { url, headers, body };
}

function bodyOf({ method, url, body }: StoredTool, given: Arguments, values: ServiceValues): string | null {
  if (method === 'GET') return null;
  if (body !== null) return JSON.stringify(fillJson(readBody(body), given, values)?.value ?? null);
  if (method === 'DELETE') return null;
  const inUrl = new Set(placeholdersOf(url!).map(({ name, isOfService }) => !isOfService && name));
  return JSON.stringify(Object.fromEntries(Object.entries(given).filter(([name]) => !inUrl.has(name))));
}

function read(
  { resultPath, maxBytes }: StoredTool,
  { status, body, truncated }: SafeResponse,
): Omit<ToolOutcome, 'ms'> {
  const all = { result: body, truncated, status, mayHaveHappened: status < 300 || status >= 500 };
  if (status >= 300 && status < 400)
    return { ...all, error: `answered ${status}: redirects are not followed` };
  if (status >= 300) return { ...all, error: `answered ${status}` };
  if (resultPath === null) return { ...all, error: null };
  if (truncated) return { ...all, error: `the answer is larger than ${maxBytes} bytes` };
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return { ...all, error: 'the answer is not JSON' };
  }
  const found = valueAt(answer, resultPath);
  if (found === undefined) return { ...all, error: `the answer has nothing at ${resultPath}` };
  return { ...all, result: typeof found === 'string' ? found : JSON.stringify(found), error: null };
}

/** For people. */
export function shortened(text: string): string {
  const { shownBytes } = limits.tools;
  if (Buffer.byteLength(text) <= shownBytes) return text;
  // The last character may have been cut in two.
  const cut = Buffer.from(text).subarray(0, shownBytes - 3);
  return `${cut.toString().replace(/\uFFFD$/, '')}…`;
}

/** RFC 6901. */
function valueAt(value: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1);
  return steps.reduce<unknown>((inside, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof inside !== 'object' || inside === null) return undefined;
    return Object.hasOwn(inside, name) ? (inside as Record<string, unknown>)[name] : undefined;
  }, value);
}
