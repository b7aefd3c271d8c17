/** A provider of embeddings for tests, with the wire protocol of OpenAI's. */
import { startReceiver } from './receivers.ts';

interface EmbeddingRequest {
  path: string;
  authorization: string | null;
  model: string;
  input: string[];
}

export interface EmbeddingAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** Instead of what the protocol says. */
  body?: unknown;
}

export interface EmbeddingServer {
  baseUrl: string;
  requests: EmbeddingRequest[];
  /** Decides for each request; null: vectors by `vectorOf`. */
  choose(
    answer: (request: EmbeddingRequest) => EmbeddingAnswer | null | Promise<EmbeddingAnswer | null>,
  ): void;
  close(): Promise<void>;
}

export const never = new Promise<never>(() => {});

export async function startEmbeddingServer(
  vectorOf: (text: string) => readonly number[],
): Promise<EmbeddingServer> {
  const requests: EmbeddingRequest[] = [];
  let choose: Parameters<EmbeddingServer['choose']>[0] = () => null;
  const receiver = await startReceiver(async (message, response) => {
    const parts: Buffer[] = [];
    for await (const part of message) parts.push(part as Buffer);
    const { model, input } = JSON.parse(Buffer.concat(parts).toString());
    const authorization = message.headers.authorization ?? null;
    const request = { path: `${message.method} ${message.url}`, authorization, model, input };
    requests.push(request);
    const { status = 200, headers = {}, body = answerTo(request, vectorOf) } = (await choose(request)) ?? {};
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  return {
    baseUrl: `${receiver.origin}/v1`,
    requests,
    choose(answer) {
      choose = answer;
    },
    close: receiver.close,
  };
}

/** Backwards, as the protocol allows. */
export const answerTo = (
  { model, input }: EmbeddingRequest,
  vectorOf: (text: string) => readonly number[],
) => ({
  object: 'list',
  model,
  data: input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) })).reverse(),
  usage: { prompt_tokens: 1, total_tokens: 1 },
});
