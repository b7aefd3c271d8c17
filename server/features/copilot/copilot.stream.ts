/** Events for a client that reads along (`text/event-stream`): `delta`, then `done` or `error`. */
import { Readable } from 'node:stream';
import type { CopilotRun } from './copilot.run.ts';

export type Reader = Pick<CopilotRun, 'onText' | 'onTranslated'>;

/**
 * What is made does not wait for the client: a slow one must not keep the call of the model open. The texts are short
 * enough to wait in memory.
 */
export function eventStream(
  run: (reader: Reader) => Promise<object>,
  toError: (error: unknown) => { code: string; message: string },
): Readable {
  const stream = new Readable({ read() {} });
  const send = (event: string, data: object) => {
    if (!stream.destroyed) stream.push(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  // With the first byte the client and proxies get the headers.
  stream.push(':\n\n');
  let shown = '';
  const onText = (soFar: string) => {
    // A text that begins anew is sent as a whole at the end.
    if (soFar.length <= shown.length || !soFar.startsWith(shown)) return;
    send('delta', { text: soFar.slice(shown.length) });
    shown = soFar;
  };
  const onTranslated = (messageId: string, text: string) => send('delta', { messageId, text });
  run({ onText, onTranslated })
    .then(
      (done) => send('done', done),
      (error: unknown) => send('error', toError(error)),
    )
    .finally(() => stream.push(null));
  return stream;
}
