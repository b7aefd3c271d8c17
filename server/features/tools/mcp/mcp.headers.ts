/** The headers of an MCP server, sealed in its row. */
import type { Headers } from '../../../platform/outbound/configured-headers.ts';
import { sealedFor } from '../../../platform/secrets/sealed-columns.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';

export const sealServerHeaders = (secrets: Secrets, id: string, headers: Headers): string =>
  secrets.seal(JSON.stringify(headers), sealedFor.mcpServer(id));

export const openServerHeaders = (
  secrets: Secrets,
  { id, headers }: { id: string; headers: string | null },
): Headers => (headers === null ? {} : JSON.parse(secrets.open(headers, sealedFor.mcpServer(id))));
