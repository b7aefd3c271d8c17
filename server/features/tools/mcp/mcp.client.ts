/** Speaks to an MCP server: lists its tools and calls one. Loaded on first use, as the SDK of the models is. */
import { experimental_createMCPClient as createMCPClient, type MCPClient } from '@ai-sdk/mcp';
import type { Headers } from '../../../platform/outbound/configured-headers.ts';
import { OutboundError, type SafeFetch } from '../../../platform/outbound/safe-fetch.ts';

export interface McpAddress {
  url: string;
  headers: Headers;
}

export interface ListedTool {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

export interface McpResult {
  text: string;
  isError: boolean;
}

const maxPages = 20;
/** Of all answers of one connection: the SDK reads them whole. */
const maxAnswerBytes = 8 * 1_048_576;

export const listTools = (
  safeFetch: SafeFetch,
  address: McpAddress,
  given: AbortSignal,
): Promise<ListedTool[]> =>
  withClient(safeFetch, address, given, async (client, signal) => {
    const listed: ListedTool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < maxPages; page++) {
      const { tools, nextCursor } = await client.listTools({
        ...(cursor !== undefined && { params: { cursor } }),
        options: { signal },
      });
      for (const { name, description = '', inputSchema } of tools) {
        listed.push({ name, description, parameters: { ...inputSchema } });
      }
      if (nextCursor === undefined) break;
      cursor = nextCursor;
    }
    return listed;
  });

/** `onStart` is called right before the call itself is sent. */
export const callRemoteTool = (
  safeFetch: SafeFetch,
  address: McpAddress,
  { name, given }: { name: string; given: Record<string, unknown> },
  { signal: wanted, onStart }: { signal: AbortSignal; onStart: () => void },
): Promise<McpResult> =>
  withClient(safeFetch, address, wanted, async (client, signal) => {
    onStart();
    const answer = await client.callTool({ name, arguments: given, options: { signal } });
    const content = 'content' in answer && Array.isArray(answer.content) ? answer.content : [];
    const texts = content.flatMap((part) => (part.type === 'text' ? [String(part.text)] : []));
    const structured = 'structuredContent' in answer ? answer.structuredContent : undefined;
    const text =
      texts.length > 0 ? texts.join('\n') : structured === undefined ? '' : JSON.stringify(structured);
    return { text, isError: 'isError' in answer && answer.isError === true };
  });

async function withClient<T>(
  safeFetch: SafeFetch,
  { url, headers }: McpAddress,
  wanted: AbortSignal,
  run: (client: MCPClient, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const tooMuch = new AbortController();
  const signal = AbortSignal.any([wanted, tooMuch.signal]);
  const bounded = boundedFetch(safeFetch, tooMuch);
  const client = await createMCPClient({
    transport: {
      type: 'http',
      url,
      headers: { ...headers },
      fetch: (input, init) =>
        bounded(input, {
          ...init,
          signal: init?.signal ? AbortSignal.any([init.signal, signal]) : signal,
        }),
    },
    initializationOptions: { signal },
    clientName: 'talkboard',
    onUncaughtError: () => {},
  });
  try {
    return await run(client, signal);
  } finally {
    await client.close().catch(() => {});
  }
}

/** A server that never stops answering would fill the memory. The SDK waits on when a stream of events breaks off. */
function boundedFetch(safeFetch: SafeFetch, tooMuch: AbortController): typeof globalThis.fetch {
  let left = maxAnswerBytes;
  return async (input, init) => {
    const response = await safeFetch.fetch(input, init);
    if (response.body === null) return response;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        left -= chunk.length;
        if (left >= 0) return controller.enqueue(chunk);
        tooMuch.abort(new OutboundError('TOO_LARGE', 'the server answers with more than 8 MB'));
      },
    });
    return new Response(response.body.pipeThrough(counted), response);
  };
}

/** In words that may be shown: nothing of what the other side said. */
export function problemOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutboundError) return cause.message;
    if (cause.name === 'TimeoutError') return 'no answer in time';
  }
  return 'the server does not answer as an MCP server';
}
