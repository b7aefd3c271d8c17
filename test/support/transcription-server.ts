/** A server with OpenAI's /v1/audio/transcriptions; all requests are recorded. */
import { startReceiver } from './receivers.ts';

export interface TranscriptionRequest {
  authorization: string | undefined;
  model: string;
  responseFormat: string;
  file: { name: string; type: string; bytes: Buffer };
}
export interface TranscriptionStep {
  status?: number;
  body?: unknown;
  /** Answers only then. */
  after?: Promise<unknown>;
}

export interface TranscriptionServer {
  url: string;
  requests: TranscriptionRequest[];
  /** How requests are answered from now on. */
  answer: (request: TranscriptionRequest) => TranscriptionStep;
  close(): Promise<void>;
}

export async function startTranscriptionServer(): Promise<TranscriptionServer> {
  const receiver = await startReceiver(async (message, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (message.method !== 'POST' || message.url !== '/v1/audio/transcriptions') {
      send(404, { error: { message: `Invalid URL (${message.method} ${message.url})` } });
      return;
    }
    // An independent parser reads what ours wrote.
    const type = String(message.headers['content-type']);
    const form = await new Response(Buffer.concat(chunks), { headers: { 'content-type': type } }).formData();
    const file = form.get('file') as File;
    const request: TranscriptionRequest = {
      authorization: message.headers.authorization,
      model: String(form.get('model')),
      responseFormat: String(form.get('response_format')),
      file: { name: file.name, type: file.type, bytes: Buffer.from(await file.arrayBuffer()) },
    };
    server.requests.push(request);
    const step = server.answer(request);
    await step.after;
    send(step.status ?? 200, step.body ?? { text: 'Where is my order?', language: 'english' });
  });
  const server: TranscriptionServer = {
    url: receiver.origin,
    requests: [],
    answer: () => ({}),
    close: () => receiver.close(),
  };
  return server;
}
