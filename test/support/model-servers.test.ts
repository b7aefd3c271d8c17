/** The servers must behave like the real ones: here the clients of the SDK read their streams. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { jsonSchema, streamText, tool } from 'ai';
import {
  callsTools,
  defaultText,
  fails,
  type ModelServer,
  says,
  startAnthropicServer,
  startOpenAiServer,
} from './model-servers.ts';

const running: ModelServer[] = [];
after(() => Promise.all(running.map((server) => server.close())));

const kinds = {
  openai: {
    start: () => startOpenAiServer({ apiKey: 'key' }),
    model: (baseURL: string) =>
      createOpenAICompatible({ name: 'test', baseURL, apiKey: 'key', includeUsage: true })('m'),
  },
  anthropic: {
    start: () => startAnthropicServer({ apiKey: 'key' }),
    model: (baseURL: string) => createAnthropic({ baseURL, apiKey: 'key' })('m'),
  },
};

for (const [name, { start, model }] of Object.entries(kinds)) {
  describe(`the ${name} server`, () => {
    async function ask() {
      const server = await start();
      running.push(server);
      const errors: unknown[] = [];
      const stream = () =>
        streamText({
          model: model(server.baseUrl),
          prompt: 'Hello',
          maxRetries: 0,
          maxOutputTokens: 100,
          tools: { look: tool({ inputSchema: jsonSchema<{ at: string }>({ type: 'object' }) }) },
          onError: ({ error }) => void errors.push(error),
        });
      return { server, stream, errors };
    }

    test('streams a text in pieces, with its tokens', async () => {
      const { server, stream } = await ask();
      server.script(says('One two three four five.', { usage: { input: 11, output: 4 } }));
      const result = stream();
      const pieces: string[] = [];
      for await (const piece of result.textStream) pieces.push(piece);
      assert.ok(pieces.length > 1);
      assert.equal(pieces.join(''), 'One two three four five.');
      const { inputTokens, outputTokens } = await result.usage;
      assert.deepEqual([inputTokens, outputTokens], [11, 4]);
      assert.equal(server.requests[0]!.body.stream, true);
    });

    test('streams tool calls', async () => {
      const { server, stream } = await ask();
      server.script(callsTools({ name: 'look', arguments: { at: 'the long end of the shelf' } }));
      const calls = await stream().toolCalls;
      assert.deepEqual(
        calls.map(({ toolName, input }) => [toolName, input]),
        [['look', { at: 'the long end of the shelf' }]],
      );
    });

    test('answers what follows the script with the default text, or as chosen', async () => {
      const { server, stream } = await ask();
      assert.equal(await stream().text, defaultText);
      server.choose((_, number) => says(`answer ${number}`));
      assert.equal(await stream().text, 'answer 2');
    });

    test('breaks a stream in the ways asked for', async () => {
      for (const step of [{ broken: 'json' }, { drop: 'within' }, { drop: 'before' }, fails(500)] as const) {
        const { server, stream, errors } = await ask();
        server.script(step);
        await stream().consumeStream({ onError: (error) => void errors.push(error) });
        assert.ok(errors.length > 0, JSON.stringify(step));
      }
    });

    test('waits before it answers', async () => {
      const { server, stream } = await ask();
      const gate = Promise.withResolvers<void>();
      server.script({ ...says('late'), after: gate.promise });
      let answered = false;
      const text = Promise.resolve(stream().text).then((value) => {
        answered = true;
        return value;
      });
      await server.requested(1);
      assert.equal(answered, false);
      gate.resolve();
      assert.equal(await text, 'late');
    });

    test('refuses what the real one would refuse', async () => {
      const { server } = await ask();
      const path = name === 'openai' ? '/chat/completions' : '/messages';
      const headers = { authorization: 'Bearer key', 'x-api-key': 'key', 'anthropic-version': '2023-06-01' };
      const post = async (body: unknown, given: Record<string, string> = headers, at = path) =>
        (
          await fetch(`${server.baseUrl}${at}`, {
            method: 'POST',
            headers: given,
            body: JSON.stringify(body),
          })
        ).status;
      const user = { role: 'user', content: 'Hello' };
      assert.equal(await post({ model: 'm', max_tokens: 5, messages: [user] }), 200);
      assert.equal(await post({ model: 'm', max_tokens: 5, messages: [user] }, {}), 401);
      assert.equal(await post({ model: 'm', max_tokens: 5, messages: [user] }, headers, '/nothing'), 404);
      assert.equal(await post({ model: 'm', max_tokens: 5, messages: [] }), 400);
      assert.equal(await post({ max_tokens: 5, messages: [user] }), 400);
      assert.equal(
        await post({ model: 'm', max_tokens: 5, messages: [user, { role: 'joker', content: 'x' }] }),
        400,
      );
    });
  });
}
