/** Reads mails beside the service, because a stranger decides how long it takes and how much memory it needs. */
import { parentPort } from 'node:worker_threads';
import { serveThread } from '../../../platform/concurrency/on-demand-thread.ts';
import { type ParsedMail, parseHeaders, parseMail } from './email.parse.ts';
import type { ReadRequest } from './email.reader.ts';

if (parentPort) {
  serveThread<ReadRequest, ParsedMail>(parentPort, async ({ raw, isWhole }) => {
    const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
    return isWhole ? parseMail(bytes) : parseHeaders(bytes);
  });
}
