/** The headers of a tool: sealed in its row, with their values only for a call. */

import { limits } from '../../../contract/limits.ts';
import { type Headers, readHeaders } from '../../platform/outbound/configured-headers.ts';
import { sealedFor } from '../../platform/secrets/sealed-columns.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { StoredTool } from './tools.sql.ts';

const rules = {
  name: 'headers',
  // A call sets these itself.
  reserved: new Set(['accept-encoding', 'idempotency-key']),
  maxHeaders: limits.tools.headers,
  maxLength: limits.tools.headerLength,
};

export const checkHeaders = (input: Headers, known: Headers): Headers => readHeaders(input, known, rules);

export function openHeaders(secrets: Secrets, { id, headers }: StoredTool): Headers {
  return headers === null ? {} : JSON.parse(secrets.open(headers, sealedFor.tool(id)));
}

export function sealHeaders(
  secrets: Secrets,
  id: string,
  headers: Headers,
): Pick<StoredTool, 'headers' | 'headerNames'> {
  const headerNames = Object.keys(headers);
  const isEmpty = headerNames.length === 0;
  return { headerNames, headers: isEmpty ? null : secrets.seal(JSON.stringify(headers), sealedFor.tool(id)) };
}
