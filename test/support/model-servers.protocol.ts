/** What the model servers have in common: requests, steps of a script, and the interface of a protocol. */
import type { IncomingHttpHeaders } from 'node:http';

export interface ModelRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: ModelRequestBody;
}

export interface ModelAnswer {
  text?: string;
  /** Text arguments are sent unchanged, to send invalid JSON. */
  toolCalls?: { name: string; arguments: unknown }[];
  finish?: 'stop' | 'length' | 'filter';
  usage?: { input: number; output: number } | null;
}

export type ModelStep = (
  | { answer: ModelAnswer }
  | { status: number; headers?: Record<string, string>; message?: string }
  /** Truncated JSON, in a complete body. */
  | { broken: 'json' }
  /** A response without an answer: no text in it, no choice or content at all, or not even a body. */
  | { empty: 'text' | 'choices' | 'body' }
  /** The connection ends before the response, or within it. */
  | { drop: 'before' | 'within' }
) & {
  /** Waits this long, or for this, before it answers. */
  after?: number | Promise<unknown>;
};

/** The fields of both protocols that are used here. */
export interface ModelRequestBody {
  model: string;
  messages: {
    role: string;
    content: string | { type: string; text?: string; id?: string; tool_use_id?: string }[] | null;
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
    tool_call_id?: string;
  }[];
  /** Anthropic only; the other has it among the messages. */
  system?: { type: string; text: string }[];
  tools?: { name?: string; function?: { name: string; parameters: unknown } }[];
  tool_choice?: unknown;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  max_tokens?: number;
  max_completion_tokens?: number;
}

/** The interface of a protocol. The server joins parts of a stream. */
export interface ModelProtocol {
  path: string;
  /** The error of a real server for the request, or null. */
  check(request: ModelRequest, apiKey: string | null): { status: number; message: string } | null;
  whole(answer: ModelAnswer, request: ModelRequest, number: number): unknown;
  stream(answer: ModelAnswer, request: ModelRequest, number: number): string[];
  noChoices(request: ModelRequest, number: number): unknown;
  error(status: number, message: string): unknown;
}

/** Pieces of a text, as a stream sends them. */
export function piecesOf(text: string): string[] {
  return text.match(/[\s\S]{1,7}/g) ?? [];
}

export const sentArguments = (given: unknown): string =>
  typeof given === 'string' ? given : JSON.stringify(given);
