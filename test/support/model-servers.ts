/**
 * Model providers for tests: servers with the wire protocol of OpenAI's chat completions and of Anthropic's messages,
 * streaming or not as requested. Each request takes the next step of the script; all are recorded.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { anthropic } from './model-servers.anthropic.ts';
import { openAi } from './model-servers.openai.ts';
import type {
  ModelAnswer,
  ModelProtocol,
  ModelRequest,
  ModelRequestBody,
  ModelStep,
} from './model-servers.protocol.ts';
import { startReceiver } from './receivers.ts';

export type { ModelAnswer, ModelRequest, ModelStep } from './model-servers.protocol.ts';

export interface ModelServer {
  /** With its version path, as in the settings of an agent. */
  baseUrl: string;
  requests: ModelRequest[];
  /** Adds steps. When they are used up every request is answered with `defaultText`. */
  script(...steps: ModelStep[]): void;
  /** Decides for each request, instead of the script. */
  choose(step: (request: ModelRequest, number: number) => ModelStep): void;
  /** Resolves when this many requests have arrived. */
  requested(count: number): Promise<void>;
  /** Resolves when no connection is left open. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export const defaultText = 'This is the answer of the model.';

export const says = (text: string, more: Omit<ModelAnswer, 'text'> = {}): ModelStep => ({
  answer: { text, ...more },
});
export const callsTools = (...toolCalls: NonNullable<ModelAnswer['toolCalls']>): ModelStep => ({
  answer: { toolCalls },
});
export const fails = (status: number, headers: Record<string, string> = {}, message?: string): ModelStep => ({
  status,
  headers,
  ...(message === undefined ? {} : { message }),
});
export const hangs = (): ModelStep => ({ ...says('too late'), after: new Promise(() => {}) });

/** With a key, requests without it are answered 401. */
export const startOpenAiServer = (options: { apiKey?: string } = {}) => start(openAi, options.apiKey ?? null);
export const startAnthropicServer = (options: { apiKey?: string } = {}) =>
  start(anthropic, options.apiKey ?? null);

async function start(protocol: ModelProtocol, apiKey: string | null): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const steps: ModelStep[] = [];
  let choose: (request: ModelRequest, number: number) => ModelStep = () => steps.shift() ?? says(defaultText);
  let waiting: { count: number; resolve: () => void }[] = [];

  const receiver = await startReceiver(async (message, response) => {
    const request = { path: message.url ?? '', headers: message.headers, body: await readBody(message) };
    requests.push(request);
    const number = requests.length;
    for (const { resolve } of waiting.filter(({ count }) => count <= number)) resolve();
    waiting = waiting.filter(({ count }) => count > number);
    const refused =
      request.path === `/v1${protocol.path}`
        ? protocol.check(request, apiKey)
        : { status: 404, message: `Unknown request URL: ${message.method} ${request.path}` };
    if (refused) {
      sendJson(response, refused.status, protocol.error(refused.status, refused.message));
      return;
    }
    const step = choose(request, number);
    await (typeof step.after === 'number' ? elapsed(step.after) : step.after);
    play(protocol, step, request, number, response);
  });

  return {
    baseUrl: `${receiver.origin}/v1`,
    requests,
    script: (...more) => void steps.push(...more),
    choose(step) {
      choose = step;
    },
    requested: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ count, resolve })),
    idle: receiver.idle,
    close: receiver.close,
  };
}

function play(
  protocol: ModelProtocol,
  step: ModelStep,
  request: ModelRequest,
  number: number,
  response: ServerResponse,
): void {
  if (response.destroyed) return;
  if ('status' in step) {
    const {
      status,
      headers,
      message = `Failed while reading: ${JSON.stringify(request.body.messages)}`,
    } = step;
    sendJson(response, status, protocol.error(status, message), headers);
  } else if ('drop' in step && step.drop === 'before') response.destroy();
  else if ('empty' in step && step.empty === 'body') response.writeHead(200).end();
  else if (request.body.stream) playStream(step, protocol.stream(answerOf(step), request, number), response);
  else {
    const none = 'empty' in step && step.empty === 'choices';
    const body = none ? protocol.noChoices(request, number) : protocol.whole(answerOf(step), request, number);
    const json = JSON.stringify(body);
    const part = json.slice(0, json.length / 2);
    if ('broken' in step) sendText(response, 200, part);
    else if ('drop' in step) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': json.length });
      response.write(part, () => response.destroy());
    } else sendText(response, 200, json);
  }
}

function playStream(step: ModelStep, events: string[], response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if ('drop' in step) response.write(events[0], () => response.destroy());
  else if ('broken' in step) response.end(`${events[0]}data: {"id": "br\n\n`);
  else response.end('empty' in step && step.empty === 'choices' ? '' : events.join(''));
}

function answerOf(step: ModelStep): ModelAnswer {
  return 'answer' in step ? step.answer : { text: 'empty' in step ? '' : 'The answer is' };
}

const sendJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) => sendText(response, status, JSON.stringify(body), headers);

function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

async function readBody(message: IncomingMessage): Promise<ModelRequestBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return { model: '', messages: [] };
  }
}

const elapsed = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
