import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  fails,
  hangs,
  type ModelServer,
  type ModelStep,
  says,
} from '../../../../test/support/model-servers.ts';
import { conversation, modelKey, recordingTools, replyTests } from '../../../../test/support/reply-tests.ts';
import { parseOutboundAllow } from '../../../platform/outbound/outbound-address.ts';
import { createSafeFetch } from '../../../platform/outbound/safe-fetch.ts';
import { type AgentSettings, ModelError } from '../ai-replies.conversation.ts';
import { generateReply } from './ai-replies.model.ts';

const { safeFetch, serve, ask } = replyTests();
const never = new AbortController().signal;

async function failure(reply: Promise<unknown>): Promise<ModelError> {
  const error = await reply.then(
    () => assert.fail('a reply was made'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ModelError, `not a ModelError: ${error}`);
  for (const text of [error.message, String(error.stack), JSON.stringify(error)]) {
    assert.doesNotMatch(text, /4711|99887766|Be brief/, 'the error tells the key or the prompt');
  }
  assert.equal(error.cause, undefined);
  return error;
}

for (const provider of ['openai-compatible', 'anthropic'] as const) {
  describe(provider, () => {
    const agentAt = (server: ModelServer, more: Partial<AgentSettings> = {}) =>
      conversation({ provider, baseUrl: server.baseUrl, ...more });

    test("the model's text is the reply, with its tokens", async () => {
      const server = await serve(provider, says(' On its way. ', { usage: { input: 120, output: 7 } }));
      assert.deepEqual(await ask(agentAt(server)), {
        text: 'On its way.',
        handover: false,
        usage: { inputTokens: 120, outputTokens: 7 },
        steps: 1,
        toolCalls: [],
        cost: null,
        retrieved: [],
        citations: [],
      });
      const [{ body }] = server.requests as [(typeof server.requests)[0]];
      assert.equal(body.model, 'test-model');
      assert.equal(body.max_tokens, 2048);
      assert.equal(body.tools, undefined);
      assert.match(JSON.stringify(body.messages), /parcel 99887766/);
      assert.match(JSON.stringify([body.system, body.messages]), /Be brief\./);
    });

    test('429 is retryable after the wait that was asked for', async () => {
      const server = await serve(provider, fails(429, { 'retry-after': '7' }));
      const error = await failure(ask(agentAt(server)));
      assert.equal(error.retryable, true);
      assert.equal(error.retryAfterMs, 7_000);
      assert.match(error.message, /429/);
      assert.equal(server.requests.length, 1, 'the SDK tried again by itself');
    });

    for (const status of [500, 503, 529, 408]) {
      test(`${status} is retryable`, async () => {
        const server = await serve(provider, fails(status));
        assert.equal((await failure(ask(agentAt(server)))).retryable, true);
      });
    }

    for (const status of [400, 403, 404, 413]) {
      test(`${status} is not retryable`, async () => {
        const server = await serve(provider, fails(status));
        assert.equal((await failure(ask(agentAt(server)))).retryable, false);
      });
    }

    test('401 is not retryable, and the key that the answer quotes is not told', async () => {
      const server = await serve(provider);
      const error = await failure(ask(agentAt(server, { apiKey: 'sk-wrong-4711' })));
      assert.equal(error.retryable, false);
      assert.match(error.message, /401/);
    });

    const unreadable: Record<string, ModelStep> = {
      'broken JSON': { broken: 'json' },
      'an empty text': { empty: 'text' },
      'no choice': { empty: 'choices' },
      'no body': { empty: 'body' },
      'an answer that breaks off': { drop: 'within' },
      'a dropped connection': { drop: 'before' },
    };
    for (const [what, step] of Object.entries(unreadable)) {
      test(`${what} is retryable`, async () => {
        const server = await serve(provider, step);
        assert.equal((await failure(ask(agentAt(server)))).retryable, true);
      });
    }

    test('a model that never answers is given up after the time limit, and its connection closed', async () => {
      const server = await serve(provider, hangs());
      const error = await failure(ask(agentAt(server), recordingTools(), 100));
      assert.equal(error.retryable, true);
      assert.match(error.message, /within 0\.1 s/);
      await server.idle();
    });

    test("an aborted reply rejects with the caller's reason", async () => {
      const server = await serve(provider, hangs());
      const controller = new AbortController();
      const reply = generateReply(agentAt(server), recordingTools(), {
        fetch: safeFetch.fetch,
        signal: controller.signal,
      });
      await server.requested(1);
      const reason = new Error('paused');
      controller.abort(reason);
      await assert.rejects(reply, (error) => error === reason);
      await server.idle();
    });

    test('what the filter withheld is neither sent nor asked for again', async () => {
      const server = await serve(provider, says('Well,', { finish: 'filter' }));
      const error = await failure(ask(agentAt(server)));
      assert.equal(error.retryable, false);
    });

    test('an answer that was cut at the limit shows it', async () => {
      const server = await serve(provider, says('One and two and', { finish: 'length' }));
      assert.equal((await ask(agentAt(server))).text, 'One and two and …');
    });

    test('the conversation is sent in a form that the provider takes, however it began and ended', async () => {
      const server = await serve(provider);
      const talk = agentAt(server);
      const roles = ['assistant', 'system', 'operator', 'user', 'user', 'system'] as const;
      talk.messages = roles.map((role, i) => ({ id: `${i}`, role, content: `text ${i}`, timestamp: i }));
      talk.messages.push({ id: 'empty', role: 'user', content: '  ', timestamp: 9 });
      assert.equal((await ask(talk)).steps, 1);
    });
  });
}

test('a server that counts no tokens is not credited with zero', async () => {
  const server = await serve('openai-compatible', says('Hello.', { usage: null }));
  const { usage } = await ask(conversation({ baseUrl: server.baseUrl }));
  assert.deepEqual(usage, { inputTokens: null, outputTokens: null });
});

test('thinking and marks that a model leaves in its answer are taken out', async () => {
  for (const [said, sent] of [
    ['<think>The note says no.</think>\nHello.', 'Hello.'],
    ['The note says no.</think>Hello.', 'Hello.'],
    ['[[colleague]] Hello.', 'Hello.'],
  ]) {
    const server = await serve('openai-compatible', says(said!));
    assert.equal((await ask(conversation({ baseUrl: server.baseUrl }))).text, sent);
  }
  const server = await serve('openai-compatible', says('<think>The note says'));
  assert.equal((await failure(ask(conversation({ baseUrl: server.baseUrl })))).retryable, true);
});

test('settings that cannot work fail at once, without a request', async () => {
  const settings: Partial<AgentSettings>[] = [
    { baseUrl: null },
    { baseUrl: 'not an address' },
    { baseUrl: 'http://127.0.0.1:9/v1', model: null },
    { baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'sk-4711\nx: y' },
    { provider: 'anthropic', apiKey: null },
  ];
  for (const one of settings) assert.equal((await failure(ask(conversation(one)))).retryable, false);
});

test('an address that the guard refuses is not tried again; one where nobody listens is', async () => {
  const guarded = createSafeFetch({ allow: parseOutboundAllow('') });
  const refused = generateReply(conversation({ baseUrl: 'http://127.0.0.1:9/v1' }), recordingTools(), {
    fetch: guarded.fetch,
    signal: never,
  });
  const error = await failure(refused);
  assert.equal(error.retryable, false);
  assert.match(error.message, /private or reserved/);
  await guarded.close();
  const closed = await serve('openai-compatible');
  await closed.close();
  assert.equal((await failure(ask(conversation({ baseUrl: closed.baseUrl })))).retryable, true);
});

test('the offline agent answers without a request and calls a person when asked to', async () => {
  const tools = recordingTools();
  const reply = await ask(conversation({ provider: 'offline' }, 'I want to talk to a human'), tools);
  assert.equal(reply.handover, true);
  assert.equal(tools.calls.length, 1);
});

test("a provider's own address gets its own parameters", async () => {
  // The requests go to fake servers; the test checks what they contain.
  const through = (server: ModelServer, origin: string): typeof globalThis.fetch => {
    return (input, init) => safeFetch.fetch(String(input).replace(`${origin}/v1`, server.baseUrl), init);
  };
  const openAi = await serve('openai-compatible');
  await generateReply(conversation({ baseUrl: 'https://api.openai.com/v1' }), recordingTools(), {
    fetch: through(openAi, 'https://api.openai.com'),
    signal: never,
  });
  assert.equal(openAi.requests[0]!.body.max_completion_tokens, 2048);
  assert.equal(openAi.requests[0]!.body.max_tokens, undefined);
  const anthropic = await serve('anthropic');
  await generateReply(conversation({ provider: 'anthropic', baseUrl: null }), recordingTools(), {
    fetch: through(anthropic, 'https://api.anthropic.com'),
    signal: never,
  });
  assert.equal(anthropic.requests[0]!.headers['x-api-key'], modelKey);
});

test('an agent without a key sends no authorization', async () => {
  const server = await serve('openai-compatible');
  const error = await failure(ask(conversation({ baseUrl: server.baseUrl, apiKey: null })));
  assert.match(error.message, /401/);
  assert.equal(server.requests[0]!.headers.authorization, undefined);
});
