/** Answers that arrive in parts: `text/event-stream`, requested as the signed-in user. */
import { asNetworkError, request, responseError } from './http.ts';
import { withSession } from './session.ts';

export interface ServerEvent {
  name: string;
  data: unknown;
}

/** An error response is thrown before the first event. Aborting the signal ends the request at the service, too. */
export async function* postForEvents(
  path: string,
  body: object,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const response = await withSession((token) =>
    request(path, {
      method: 'POST',
      signal,
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    }),
  );
  if (!response.ok) throw await responseError(response);
  if (response.body) yield* eventsOf(response.body);
}

/** An event that was cut off is left out. */
async function* eventsOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (let part = await read(reader); !part.done; part = await read(reader)) {
      text += part.value;
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event) yield event;
      }
    }
  } finally {
    // Also where the caller needs no more.
    await reader.cancel().catch(() => {});
  }
}

async function read(reader: ReadableStreamDefaultReader<string>) {
  try {
    return await reader.read();
  } catch (error) {
    throw asNetworkError(error);
  }
}

/** Null: a comment that only keeps the connection open. */
function parseEvent(block: string): ServerEvent | null {
  let name = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (field === 'event') name = value;
    if (field === 'data') data.push(value);
  }
  return data.length > 0 ? { name, data: JSON.parse(data.join('\n')) } : null;
}
