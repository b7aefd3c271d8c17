import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { callsTools, type ModelServer, says } from '../../../test/support/model-servers.ts';
import { conversation, recordingTools, replyTests } from '../../../test/support/reply-tests.ts';
import { badRequest } from '../../platform/http/errors.ts';
import { type AgentSettings, ModelError, type ReplyResult, toolNames } from './ai-replies.conversation.ts';

const { serve, ask } = replyTests();

const outcomesOf = ({ toolCalls }: ReplyResult) => toolCalls.map(({ name, error }) => [name, error === null]);

for (const provider of ['openai-compatible', 'anthropic'] as const) {
  describe(provider, () => {
    const agentAt = (server: ModelServer, more: Partial<AgentSettings> = {}) =>
      conversation({ provider, baseUrl: server.baseUrl, ...more });

    test('a tool is called with the arguments, and its text goes back to the model', async () => {
      const server = await serve(
        provider,
        callsTools(
          { name: 'find_record', arguments: {} },
          { name: 'set_field', arguments: { field: 'City', value: 'Porto' } },
        ),
        says('Noted.', { usage: { input: 30, output: 2 } }),
      );
      const tools = recordingTools();
      const reply = await ask(agentAt(server, { tools: ['find_record', 'set_field'] }), tools);
      assert.deepEqual(tools.calls, [['findRecord'], ['setField', 'City', 'Porto']]);
      const { toolCalls, ...rest } = reply;
      assert.deepEqual(
        toolCalls.map(({ ms, ...call }) => ({ ...call, took: ms >= 0 })),
        [
          {
            name: 'find_record',
            kind: 'read',
            arguments: {},
            result: 'title: Ana, status: open',
            error: null,
            took: true,
          },
          {
            name: 'set_field',
            kind: 'write',
            arguments: { field: 'City', value: 'Porto' },
            result: 'done',
            error: null,
            took: true,
          },
        ],
      );
      assert.deepEqual(rest, {
        text: 'Noted.',
        handover: false,
        usage: { inputTokens: 40, outputTokens: 7 },
        steps: 2,
        cost: null,
        retrieved: [],
        citations: [],
      });
      assert.match(JSON.stringify(server.requests[1]!.body.messages), /title: Ana, status: open/);
    });

    test('only granted tools are offered, and a call of another one reaches nobody', async () => {
      const server = await serve(
        provider,
        callsTools({ name: 'transfer', arguments: { agent: 'Bob' } }),
        says('I cannot do that.'),
      );
      const tools = recordingTools();
      const reply = await ask(agentAt(server, { tools: ['find_record'] }), tools);
      const offered = server.requests[0]!.body.tools!.map((one) => one.name ?? one.function!.name);
      assert.deepEqual(offered, ['find_record']);
      assert.deepEqual(tools.calls, []);
      assert.deepEqual(outcomesOf(reply), [['transfer', false]]);
      assert.equal(reply.text, 'I cannot do that.');
    });

    test('arguments that do not fit are refused and the model may correct them', async () => {
      const server = await serve(
        provider,
        callsTools({ name: 'set_field', arguments: { field: 'City' } }),
        callsTools({ name: 'set_field', arguments: { field: 'City', value: 'Porto', recordId: 'r-1' } }),
        callsTools({ name: 'set_field', arguments: { field: 'City', value: 'Porto' } }),
        says('Done.'),
      );
      const tools = recordingTools();
      const reply = await ask(agentAt(server, { tools: ['set_field'] }), tools);
      assert.deepEqual(tools.calls, [['setField', 'City', 'Porto']]);
      assert.deepEqual(
        reply.toolCalls.map(({ error }) => error === null),
        [false, false, true],
      );
      assert.match(JSON.stringify(server.requests[1]!.body.messages), /value is required/);
    });

    test('the hand-over tool ends the reply with the configured message', async () => {
      const server = await serve(provider, callsTools({ name: 'hand_over', arguments: { reason: 'angry' } }));
      const tools = recordingTools();
      const reply = await ask(
        agentAt(server, { tools: ['hand_over'], handoverMessage: 'Someone will be with you.' }),
        tools,
      );
      assert.deepEqual(tools.calls, [['handOver', 'angry']]);
      assert.equal(reply.text, 'Someone will be with you.');
      assert.equal(reply.handover, true);
      assert.equal(server.requests.length, 1);
    });

    test('after five steps of tools the model must answer in words; one that does not is given up', async () => {
      const look = callsTools({ name: 'find_record', arguments: {} });
      const server = await serve(provider);
      server.choose(({ body }) =>
        /none/.test(JSON.stringify(body.tool_choice ?? '')) ? says('Enough.') : look,
      );
      const reply = await ask(agentAt(server, { tools: ['find_record'] }));
      assert.equal(reply.text, 'Enough.');
      assert.equal(reply.steps, 6);

      const stubborn = await serve(provider);
      stubborn.choose(() => look);
      await assert.rejects(ask(agentAt(stubborn, { tools: ['find_record'] })), ModelError);
      assert.equal(stubborn.requests.length, 6);
    });
  });
}

test('a rejecting tool tells the model why; a failing one ends the reply with its error', async () => {
  const call = callsTools(
    { name: 'set_status', arguments: { status: 'won' } },
    { name: 'set_field', arguments: { field: 'City', value: null } },
    { name: 'find_record', arguments: {} },
  );
  const broken = new Error('connection to the database lost');
  const refusing = await serve('openai-compatible', call, says('Sorry.'));
  const tools = recordingTools({ setStatus: () => Promise.reject(badRequest('status must be one of open')) });
  const granted = { baseUrl: refusing.baseUrl, tools: [...toolNames] };
  const reply = await ask(conversation(granted), tools);
  assert.deepEqual(
    reply.toolCalls.map(({ error }) => error === null),
    [false, true, true],
  );
  assert.match(JSON.stringify(refusing.requests[1]!.body.messages), /status must be one of open/);

  const failing = await serve('openai-compatible', call, says('Sorry.'));
  const failingTools = recordingTools({ setStatus: () => Promise.reject(broken) });
  await assert.rejects(
    ask(conversation({ ...granted, baseUrl: failing.baseUrl }), failingTools),
    (error) => error === broken,
  );
  assert.deepEqual(failingTools.calls, [['setStatus', 'won']]);
  assert.equal(failing.requests.length, 1);
});

test('calls beyond the twelfth are refused', async () => {
  const thirty = Array.from({ length: 30 }, (_, i) => ({
    name: 'set_field',
    arguments: { field: 'Note', value: i },
  }));
  const server = await serve('openai-compatible', callsTools(...thirty), says('Enough.'));
  const tools = recordingTools();
  const reply = await ask(conversation({ baseUrl: server.baseUrl, tools: ['set_field'] }), tools);
  assert.equal(tools.calls.length, 12);
  assert.equal(reply.toolCalls.filter(({ error }) => error === null).length, 12);
});

test('a hand-over without a configured message is told in the language of the customer', async () => {
  const server = await serve(
    'openai-compatible',
    callsTools({ name: 'hand_over', arguments: { reason: '' } }),
  );
  const reply = await ask(
    conversation({ baseUrl: server.baseUrl, tools: ['hand_over'] }, 'onde está o meu pedido?'),
  );
  assert.match(reply.text, /passar esta conversa/);
});

test('arguments that are no JSON are refused', async () => {
  const server = await serve(
    'openai-compatible',
    callsTools({ name: 'set_status', arguments: '{"status": "wo' }),
    says('Sorry.'),
  );
  const tools = recordingTools();
  const reply = await ask(conversation({ baseUrl: server.baseUrl, tools: ['set_status'] }), tools);
  assert.deepEqual(tools.calls, []);
  assert.deepEqual(outcomesOf(reply), [['set_status', false]]);
});
