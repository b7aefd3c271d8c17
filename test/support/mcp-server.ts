/** An MCP server over real HTTP: it lists the tools it is given and records the calls. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RemoteTool {
  name: string;
  description?: string;
  inputSchema: object;
}

export interface McpTestServer {
  url: string;
  tools: RemoteTool[];
  calls: { name: string; arguments: unknown; headers: IncomingHttpHeaders }[];
  /** What `tools/call` answers. */
  result: object;
  close(): Promise<void>;
}

export async function startMcpServer(): Promise<McpTestServer> {
  const sockets = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        if (request.method !== 'POST') return void response.writeHead(405).end();
        const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
        // A notification has no answer.
        if (id === undefined) return void response.writeHead(202).end();
        const answer = resultOf(method, params, request.headers);
        const unknown = { error: { code: -32601, message: 'Method not found' } };
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(answer ? { result: answer } : unknown) }));
      });
  });
  const resultOf = (
    method: string,
    params: { name: string; arguments: unknown; protocolVersion?: string },
    headers: IncomingHttpHeaders,
  ): object | null => {
    if (method === 'initialize') {
      const { protocolVersion = '2025-06-18' } = params;
      const serverInfo = { name: 'test', version: '1' };
      return { protocolVersion, capabilities: { tools: {} }, serverInfo };
    }
    if (method === 'tools/list') return { tools: server.tools };
    if (method !== 'tools/call') return null;
    server.calls.push({ name: params.name, arguments: params.arguments, headers });
    return server.result;
  };
  await new Promise<void>((resolve) => {
    sockets.listen(0, '127.0.0.1', resolve);
  });
  const server: McpTestServer = {
    url: `http://127.0.0.1:${(sockets.address() as AddressInfo).port}/mcp`,
    tools: [],
    calls: [],
    result: { content: [{ type: 'text', text: 'done' }] },
    close: () =>
      new Promise((resolve) => {
        sockets.close(() => resolve());
        sockets.closeAllConnections();
      }),
  };
  return server;
}
