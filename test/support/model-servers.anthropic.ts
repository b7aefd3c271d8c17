/** Anthropic's messages. */
import {
  type ModelAnswer,
  type ModelProtocol,
  type ModelRequest,
  piecesOf,
  sentArguments,
} from './model-servers.protocol.ts';

const stopReasons = { stop: 'end_turn', length: 'max_tokens', filter: 'refusal' } as const;
const errorTypes: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

interface Block {
  type: string;
  text?: string;
  id?: string;
  tool_use_id?: string;
}

export const anthropic: ModelProtocol = {
  path: '/messages',

  check({ headers, body }, apiKey) {
    if (apiKey !== null && headers['x-api-key'] !== apiKey) {
      return { status: 401, message: `invalid x-api-key: ${headers['x-api-key']}` };
    }
    const wrong = (message: string) => ({ status: 400, message });
    if (!headers['anthropic-version']) return wrong('anthropic-version: header is required');
    if (typeof body.model !== 'string') return wrong('model: Field required');
    if (!((body.max_tokens ?? 0) > 0)) return wrong('max_tokens: Field required');
    if (!Array.isArray(body.messages) || body.messages.length === 0) {
      return wrong('messages: at least one message is required');
    }
    if (body.messages[0]?.role !== 'user') return wrong('messages: first message must use the "user" role');
    if (body.messages.at(-1)?.role !== 'user') return wrong('this model does not support prefilling');
    let open: string[] = [];
    for (const { role, content } of body.messages) {
      if (role !== 'user' && role !== 'assistant') return wrong(`messages: Unexpected role "${role}"`);
      const blocks: Block[] =
        typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
      if (blocks.length === 0) return wrong('messages: content must not be empty');
      if (blocks.some(({ type, text }) => type === 'text' && !text?.trim())) {
        return wrong('messages: text content blocks must be non-empty');
      }
      const answered = blocks.map(({ tool_use_id }) => tool_use_id);
      if (!open.every((id) => answered.includes(id))) {
        return wrong('messages: tool_use ids were found without tool_result blocks immediately after');
      }
      open = blocks.flatMap(({ type, id }) => (type === 'tool_use' && id ? [id] : []));
    }
    return null;
  },

  whole: (answer, request, number) => ({
    ...head(request, number),
    content: contentOf(answer, number),
    stop_reason: stopReason(answer),
    stop_sequence: null,
    usage: usage(answer),
  }),

  stream(answer, request, number) {
    const { input_tokens, output_tokens } = usage(answer);
    const events: { type: string; [key: string]: unknown }[] = [
      {
        type: 'message_start',
        message: {
          ...head(request, number),
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens, output_tokens: 1 },
        },
      },
      { type: 'ping' },
    ];
    for (const [index, block] of contentOf(answer, number).entries()) {
      const begun = block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} };
      const deltas =
        block.type === 'text'
          ? piecesOf(block.text).map((text) => ({ type: 'text_delta', text }))
          : piecesOf(sentArguments(block.input)).map((partial_json) => ({
              type: 'input_json_delta',
              partial_json,
            }));
      events.push(
        { type: 'content_block_start', index, content_block: begun },
        ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      );
    }
    events.push(
      {
        type: 'message_delta',
        delta: { stop_reason: stopReason(answer), stop_sequence: null },
        usage: { output_tokens },
      },
      { type: 'message_stop' },
    );
    return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  },

  noChoices: (request, number) => ({
    ...head(request, number),
    content: [],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: usage({}),
  }),

  error: (status, message) => ({
    type: 'error',
    error: { type: errorTypes[status] ?? 'api_error', message },
    request_id: 'req_test',
  }),
};

function head({ body }: ModelRequest, number: number) {
  return { id: `msg_${number}`, type: 'message', role: 'assistant', model: body.model };
}

/** Input is an object here, not a text, so invalid JSON cannot be sent: arguments arrive unchanged. */
function contentOf({ text, toolCalls = [] }: ModelAnswer, number: number) {
  return [
    ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
    ...toolCalls.map(({ name, arguments: input }, i) => ({
      type: 'tool_use' as const,
      id: `toolu_${number}_${i}`,
      name,
      input,
    })),
  ];
}

function stopReason({ toolCalls, finish = 'stop' }: ModelAnswer): string {
  return toolCalls ? 'tool_use' : stopReasons[finish];
}

function usage({ usage: counted }: ModelAnswer) {
  const { input, output } = counted ?? { input: 10, output: 5 };
  return { input_tokens: input, output_tokens: output };
}
