/** OpenAI's chat completions, as compatible servers implement them. */
import {
  type ModelAnswer,
  type ModelProtocol,
  type ModelRequest,
  piecesOf,
  sentArguments,
} from './model-servers.protocol.ts';

const finishReasons = { stop: 'stop', length: 'length', filter: 'content_filter' } as const;

export const openAi: ModelProtocol = {
  path: '/chat/completions',

  check({ headers, body }, apiKey) {
    if (apiKey !== null && headers.authorization !== `Bearer ${apiKey}`) {
      const given = headers.authorization?.replace('Bearer ', '') ?? '';
      return { status: 401, message: `Incorrect API key provided: ${given}.` };
    }
    const wrong = (message: string) => ({ status: 400, message });
    if (typeof body.model !== 'string') return wrong('you must provide a model parameter');
    if (!Array.isArray(body.messages) || body.messages.length === 0)
      return wrong('[] is too short - messages');
    let open = new Set<string>();
    for (const { role, content, tool_calls, tool_call_id } of body.messages) {
      if (!['system', 'developer', 'user', 'assistant', 'tool'].includes(role))
        return wrong(`'${role}' is no role`);
      if (role === 'tool' && !open.delete(tool_call_id ?? '')) {
        return wrong("messages with role 'tool' must be a response to a preceding message with 'tool_calls'");
      }
      if (role !== 'tool' && open.size > 0) {
        return wrong("an assistant message with 'tool_calls' must be followed by tool messages");
      }
      if (typeof content !== 'string' && !Array.isArray(content) && !tool_calls) {
        return wrong('expected a string or an array of content parts, got null');
      }
      if (tool_calls) open = new Set(tool_calls.map(({ id }) => id));
    }
    if (open.size > 0)
      return wrong("an assistant message with 'tool_calls' must be followed by tool messages");
    if (body.tools && body.tools.length === 0) return wrong('[] is too short - tools');
    return null;
  },

  whole: (answer, request, number) => ({
    ...head('chat.completion', request, number),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text ?? null,
          refusal: null,
          ...(answer.toolCalls ? { tool_calls: toolCalls(answer, number) } : {}),
        },
        logprobs: null,
        finish_reason: finishReason(answer),
      },
    ],
    ...(answer.usage === null ? {} : { usage: usage(answer) }),
  }),

  stream(answer, request, number) {
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      ...head('chat.completion.chunk', request, number),
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    });
    const chunks: object[] = [chunk({ role: 'assistant', content: answer.toolCalls ? null : '' })];
    for (const content of piecesOf(answer.text ?? '')) chunks.push(chunk({ content }));
    for (const [index, call] of toolCalls(answer, number).entries()) {
      const { name, arguments: given } = call.function;
      const begun = { index, ...call, function: { name, arguments: '' } };
      chunks.push(chunk({ tool_calls: [begun] }));
      for (const piece of piecesOf(given)) {
        chunks.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
      }
    }
    chunks.push(chunk({}, finishReason(answer)));
    if (request.body.stream_options?.include_usage && answer.usage !== null) {
      chunks.push({ ...head('chat.completion.chunk', request, number), choices: [], usage: usage(answer) });
    }
    return [...chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`), 'data: [DONE]\n\n'];
  },

  noChoices: (request, number) => ({ ...head('chat.completion', request, number), choices: [] }),

  error: (status, message) => ({
    error: {
      message,
      type: status === 429 ? 'requests' : status < 500 ? 'invalid_request_error' : 'server_error',
      param: null,
      code: { 401: 'invalid_api_key', 429: 'rate_limit_exceeded' }[status] ?? null,
    },
  }),
};

function head(object: string, { body }: ModelRequest, number: number) {
  return { id: `chatcmpl-${number}`, object, created: 1_700_000_000 + number, model: body.model };
}

function toolCalls({ toolCalls = [] }: ModelAnswer, number: number) {
  return toolCalls.map(({ name, arguments: given }, i) => ({
    id: `call_${number}_${i}`,
    type: 'function',
    function: { name, arguments: sentArguments(given) },
  }));
}

function finishReason({ toolCalls, finish = 'stop' }: ModelAnswer): string {
  return toolCalls ? 'tool_calls' : finishReasons[finish];
}

function usage({ usage: counted }: ModelAnswer) {
  const { input, output } = counted ?? { input: 10, output: 5 };
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}
