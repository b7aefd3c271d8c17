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

export const listTools = (
  safeFetch: SafeFetch,
  address: McpAddress,
  signal: AbortSignal,
): Promise<ListedTool[]> =>
  withClient(safeFetch, address, signal, async (client) => {
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
  { signal, onStart }: { signal: AbortSignal; onStart: () => void },
): Promise<McpResult> =>
  withClient(safeFetch, address, signal, async (client) => {
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
  signal: AbortSignal,
  run: (client: MCPClient) => Promise<T>,
): Promise<T> {
  const client = await createMCPClient({
    transport: {
      type: 'http',
      url,
      headers: { ...headers },
      fetch: (input, init) =>
        safeFetch.fetch(input, {
          ...init,
          signal: init?.signal ? AbortSignal.any([init.signal, signal]) : signal,
        }),
    },
    initializationOptions: { signal },
    clientName: 'talkboard',
    onUncaughtError: () => {},
  });
  try {
    return await run(client);
  } finally {
    await client.close().catch(() => {});
  }
}

/** In words that may be shown: nothing of what the other side said. */
export function problemOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutboundError) return cause.message;
    if (cause.name === 'TimeoutError') return 'no answer in time';
  }
  return 'the server does not answer as an MCP server';
}
