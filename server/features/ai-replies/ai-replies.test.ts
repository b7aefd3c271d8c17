/** Replies through the real worker: the offline agent, and model servers that are slow, wrong or unreachable. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  callsTools,
  fails,
  type ModelRequest,
  type ModelServer,
  says,
  startOpenAiServer,
} from '../../../test/support/model-servers.ts';
import { isFull } from '../../../test/support/sample.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { loopbackAllowed } from '../../../test/support/webhooks.ts';
import { sql } from '../../platform/db/sql.ts';

const rounds = isFull ? 500 : 30;
const apiKey = 'sk-secret-of-the-agent-4711';

describe('AI replies', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  const servers: ModelServer[] = [];

  before(async () => {
    service = await joinTestService({ worker: true, env: loopbackAllowed });
    talk = conversationsOf(service);
    ({ call } = service);
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await service.close();
  });

  /** A new channel with an agent that calls this server. */
  async function modelled(settings: object = {}, channelSettings: object = {}) {
    const model = await startOpenAiServer({ apiKey });
    servers.push(model);
    const connected = { provider: 'openai-compatible', model: 'm', baseUrl: model.baseUrl, apiKey };
    const agent = await talk.agent({ ...connected, ...settings });
    const channel = await talk.channel({ defaultAgentId: agent.id, ...channelSettings });
    const sessionId = unique('talk');
    const say = (content: string, to = sessionId) =>
      talk.accepted({ content, sessionId: to, fromChannelIdentifier: channel.identifier });
    return { model, agent, channel, sessionId, say };
  }
  const jobEnded = (sessionId: string) =>
    eventually(async () => (await talk.count(sql`jobs where payload->>'sessionId' = ${sessionId}`)) === 0);
  const lastOf = ({ body }: ModelRequest) => String(body.messages.at(-1)?.content);
  const promptOf = ({ body }: ModelRequest) => JSON.stringify(body.messages);

  it('a new workspace answers its first message without a key, from its own knowledge', async () => {
    const { sessionId, userMessage } = await talk.accepted({ content: 'What is Talkboard?' });
    const [reply] = await talk.replied(sessionId);
    assert.match(reply.content, /keeps your customers on boards/);
    assert.equal(reply.inReplyTo, userMessage.id);
    const [entry] = await talk.replyLog(sessionId);
    assert.deepEqual([entry.outcome, entry.replyId, entry.provider], ['sent', reply.id, 'offline']);
    assert.equal(typeof entry.latencyMs, 'number');
  });

  it('the offline agent hands over when a person is requested: paused, marked, answered', async () => {
    const { sessionId } = await talk.accepted({ content: 'I want to talk to a human please' });
    await talk.replied(sessionId);
    const session = await talk.session(sessionId);
    assert.deepEqual([session.aiPaused, session.needsAttention], [true, true]);
    const [event] = (await talk.events(sessionId)).filter((one) => one.event === 'ai_pause');
    assert.equal(event.data.aiPaused, true);
    await talk.accepted({ sessionId, content: 'Are you there?' });
    await talk.settled(sessionId);
    assert.equal((await talk.replies(sessionId)).length, 1);
  });

  it('every message gets its own reply, in order, from the history up to it', async () => {
    const { model, sessionId, say } = await modelled();
    model.choose((request) => ({ ...says(`re: ${lastOf(request).split('\n').at(-1)}`), after: 20 }));
    const sent: Json[] = [];
    for (let n = 0; n < 8; n++) sent.push((await say(`question ${n}`)).userMessage);
    const replies = await talk.replied(sessionId, 8);
    assert.deepEqual(
      replies.map((one) => one.inReplyTo),
      sent.map((one) => one.id),
    );
    for (const [n, request] of model.requests.entries()) {
      assert.ok(promptOf(request).includes(`question ${n}`));
      assert.ok(!promptOf(request).includes(`question ${n + 1}`), 'nothing later is seen');
    }
    await talk.settled(sessionId);
    assert.equal((await talk.replies(sessionId)).length, 8);
    const log = await talk.replyLog(sessionId);
    assert.ok(log.every((one) => one.outcome === 'sent' && one.model === 'm' && one.inputTokens > 0));
  });

  it('batchWindowMs answers a burst once, as a reply to its last message', async () => {
    const { model, sessionId, say } = await modelled({ batchWindowMs: 700 });
    const sent: Json[] = [];
    for (let n = 0; n < 4; n++) sent.push((await say(`part ${n}`)).userMessage);
    const [reply] = await talk.replied(sessionId);
    await talk.settled(sessionId);
    assert.equal((await talk.replies(sessionId)).length, 1);
    assert.equal(model.requests.length, 1);
    assert.equal(reply.inReplyTo, sent[3].id);
    for (let n = 0; n < 4; n++) assert.ok(promptOf(model.requests[0]!).includes(`part ${n}`));
    const outcomes = (await talk.replyLog(sessionId)).map((one) => one.outcome).sort();
    assert.deepEqual(outcomes, ['merged', 'merged', 'merged', 'sent']);
  });

  it(`pause at ${rounds} random moments: no reply after the pause's 200, every suppressed one in the log`, async (context) => {
    const { model, say } = await modelled();
    model.choose(() => ({ ...says('slow'), after: 60 }));
    const outcomes: { [outcome: string]: number } = {};
    const one = async () => {
      const sessionId = unique('pause');
      const asked = [(await say('first', sessionId)).userMessage.id];
      if (Math.random() < 0.5) asked.push((await say('second', sessionId)).userMessage.id);
      await sleep(Math.random() * 200);
      await talk.pause(sessionId);
      const atPause = (await talk.replies(sessionId)).map((reply) => reply.id);
      asked.push((await say('while paused', sessionId)).userMessage.id);
      return { sessionId, asked, atPause };
    };
    for (let done = 0; done < rounds; done += 10) {
      const some = await Promise.all(Array.from({ length: Math.min(10, rounds - done) }, one));
      // The jobs end when everything in progress has come back from the model.
      await Promise.all(some.map(({ sessionId }) => jobEnded(sessionId)));
      for (const { sessionId, asked, atPause } of some) {
        const now = (await talk.replies(sessionId)).map((reply) => reply.id);
        assert.deepEqual(now, atPause, 'a reply after the pause');
        const log = await talk.replyLog(sessionId);
        assert.deepEqual(
          log.map((entry) => entry.messageId).sort(),
          asked.slice(0, -1).sort(),
          'each message that asked for a reply is accounted for once',
        );
        assert.equal(log.filter((entry) => entry.outcome === 'sent').length, now.length);
        for (const { outcome } of log) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
    }
    context.diagnostic(`outcomes of ${rounds} pauses: ${JSON.stringify(outcomes)}`);
    assert.ok(outcomes.suppressed! > 0, 'no pause met a reply in the making');
  });

  it('after a resume the next reply sees the whole history, and nothing is made up for', async () => {
    const { model, sessionId, say } = await modelled();
    await say('before');
    await talk.replied(sessionId);
    await talk.pause(sessionId);
    await say('unheard');
    await talk.pause(sessionId, false);
    assert.equal((await talk.replies(sessionId)).length, 1);
    await say('after');
    await talk.replied(sessionId, 2);
    await talk.settled(sessionId);
    assert.equal((await talk.replies(sessionId)).length, 2);
    assert.ok(promptOf(model.requests.at(-1)!).includes('unheard'));
  });

  it('a transfer or a block while the model thinks: its answer never goes out', async () => {
    const other = await talk.agent();
    const { model, channel, say } = await modelled({}, { allowedAgentIds: [other.id] });
    for (const fence of ['transfer', 'block'] as const) {
      let answer = () => {};
      const thinking = new Promise<void>((resolve) => {
        answer = resolve;
      });
      model.script({ ...says('too late'), after: thinking });
      const sessionId = unique(fence);
      const asked = model.requests.length;
      const { userMessage } = await say('Hello?', sessionId);
      await model.requested(asked + 1);
      if (fence === 'transfer') {
        const body = { sessionId, fromChannelIdentifier: channel.identifier, agentId: other.id };
        await talk.accepted(body);
      } else await talk.expect(201, call('POST', `/blocked-contacts/${sessionId}`));
      answer();
      if (fence === 'transfer') await talk.replied(sessionId);
      else await jobEnded(sessionId);
      const replies = await talk.replies(sessionId);
      assert.ok(replies.every((one) => one.content !== 'too late' && one.inReplyTo !== userMessage.id));
      const entry = (await talk.replyLog(sessionId)).find((one) => one.messageId === userMessage.id);
      assert.equal(entry.outcome, 'suppressed');
    }
  });

  it('when the model fails: three tries, a system message, needsAttention, and the key in no answer', async () => {
    const { model, agent, sessionId, say } = await modelled();
    model.choose(() => fails(500, {}, `bad key ${apiKey}`));
    const { userMessage } = await say('Hello?');
    await talk.settled(sessionId, 40_000);
    assert.equal(model.requests.length, 3);
    const messages = await talk.messages(sessionId);
    assert.deepEqual(
      messages.map((one) => one.role),
      ['user', 'system'],
    );
    assert.equal((await talk.session(sessionId)).needsAttention, true);
    const [entry] = await talk.replyLog(sessionId);
    assert.deepEqual([entry.messageId, entry.outcome], [userMessage.id, 'failed']);
    const shown = JSON.stringify([messages, entry, (await call('GET', `/agents/${agent.id}`)).body]);
    assert.ok(!shown.includes(apiKey));
    await talk.pause(sessionId, false);
    assert.equal((await talk.session(sessionId)).needsAttention, false, 'a resume clears it');
    model.choose(() => says('back again'));
    await say('And now?');
    assert.equal((await talk.replied(sessionId))[0].content, 'back again');
  });

  it('a failure that a retry cannot fix is reported at once', async () => {
    const { model, sessionId, say } = await modelled({ apiKey: 'wrong' });
    await say('Hello?');
    await talk.settled(sessionId);
    assert.equal(model.requests.length, 1);
    assert.equal((await talk.session(sessionId)).needsAttention, true);
  });

  it('what needs a person opens a conversation that was resolved or snoozed meanwhile', async () => {
    for (const status of ['resolved', 'snoozed']) {
      const { model, sessionId, say } = await modelled({ tools: ['hand_over'] });
      const resolved = Promise.withResolvers<void>();
      const handOver = callsTools({ name: 'hand_over', arguments: { reason: 'asked' } });
      model.script({ ...handOver, after: resolved.promise });
      await say('A person, please');
      await eventually(async () => model.requests.length === 1);
      await talk.expect(200, service.call('PATCH', `/sessions/${sessionId}`, { body: { status } }));
      resolved.resolve();
      await talk.settled(sessionId);
      const session = await talk.session(sessionId);
      assert.deepEqual([session.status, session.needsAttention], ['open', true], status);
      assert.deepEqual(session.statusChangedBy, { type: 'system', id: null, name: null });
    }
  });

  it('a key that cannot be opened ends in the chat, not in silence', async () => {
    const { model, agent, sessionId, say } = await modelled();
    await service.context.db.transaction((tx) =>
      tx.query(sql`update agents set api_key = 'sealed under another key' where id = ${agent.id}::uuid`),
    );
    // Any change of the settings makes the worker read them again.
    await talk.agent();
    await say('Hello?');
    await talk.settled(sessionId);
    assert.equal(model.requests.length, 0);
    assert.equal((await talk.messages(sessionId)).at(-1).role, 'system');
    assert.equal((await talk.session(sessionId)).needsAttention, true);
  });

  it('a note that the AI may see reaches the prompt, a hidden one does not', async () => {
    const { model, channel, sessionId, say } = await modelled();
    await say('Hello');
    await talk.replied(sessionId);
    const note = (content: string, isNoteVisibleToAi: boolean) =>
      talk.expect(
        201,
        talk.operatorSays(channel.id, sessionId, { content, isNote: true, isNoteVisibleToAi }),
      );
    await note('VIP since the flood of 1987', true);
    await note('owes us eleven bananas', false);
    await say('What can you do for me?');
    await talk.replied(sessionId, 2);
    const prompt = promptOf(model.requests.at(-1)!);
    assert.ok(prompt.includes('VIP since the flood of 1987'));
    assert.ok(!prompt.includes('bananas'));
  });

  it('an echo reaches the model as a colleague’s message, and knowledge is not searched with it', async () => {
    const entry = (word: string) => ({ title: word, text: `${word} care. `.repeat(2_000) });
    const knowledge = [entry('Zebra'), entry('Giraffe')];
    const { model, channel, sessionId, say } = await modelled({ knowledge });
    model.choose(() => says('Of course.'));
    const echo = {
      sessionId,
      fromChannelIdentifier: channel.identifier,
      isEcho: true,
      externalUserId: sessionId,
      content: 'How is your zebra? Zebra zebra zebra.',
    };
    await talk.expect(200, talk.send(echo));
    await say('Please tell me about giraffe care');
    await talk.replied(sessionId);
    const { messages } = model.requests.at(-1)!.body;
    const [system, ...turns] = messages;
    assert.deepEqual(turns.map(({ role, content }: Json) => [role, content]).slice(-2), [
      ['assistant', `[[colleague]] ${echo.content}`],
      ['user', 'Please tell me about giraffe care'],
    ]);
    const told = JSON.stringify(system);
    assert.match(told, /\[\d+\] Giraffe/);
    assert.ok(!told.includes('Zebra'));
  });

  it('an echo does not decide the language of the offline agent', async () => {
    const { sessionId, fromChannelIdentifier } = { sessionId: unique('echo'), fromChannelIdentifier: 'api' };
    const echo = { sessionId, fromChannelIdentifier, isEcho: true, externalUserId: sessionId };
    await talk.expect(
      200,
      talk.send({ ...echo, content: 'Bom dia! Como posso ajudar você hoje com o seu pedido?' }),
    );
    await talk.accepted({ sessionId, fromChannelIdentifier, content: 'xyzzy 4711' });
    const [reply] = await talk.replied(sessionId);
    assert.doesNotMatch(reply.content, /[ãõç]|você|pessoa/);
  });

  it('a reply that repeats a note is held: in the chat, sent to nobody, the session marked', async () => {
    const { model, channel, sessionId, say } = await modelled();
    model.choose(() => says('You may get a discount of 35 percent until Friday, says the manager.'));
    const echo = {
      sessionId,
      fromChannelIdentifier: channel.identifier,
      isEcho: true,
      externalUserId: sessionId,
    };
    await talk.expect(200, talk.send(echo));
    const content = 'may get a discount of 35 percent until Friday, says the manager';
    await talk.operatorSays(channel.id, sessionId, { content, isNote: true, isNoteVisibleToAi: true });
    await say('Any offers?');
    const [reply] = await talk.replied(sessionId);
    assert.equal(reply.held, true);
    assert.equal((await talk.session(sessionId)).needsAttention, true);
    assert.equal((await talk.replyLog(sessionId))[0].outcome, 'held');
  });

  it('what a scheduled message would have said is not read after it was cancelled', async () => {
    const { model, channel, sessionId, say } = await modelled();
    model.choose(() => says('Sure.'));
    await say('first question');
    await talk.replied(sessionId);
    const later = { content: 'the secret offer', sendAt: Date.now() + 3_600_000, cancelOnReply: true };
    assert.equal((await talk.operatorSays(channel.id, sessionId, later)).status, 201);
    await say('second question');
    await talk.replied(sessionId, 2);
    await say('third question');
    await talk.replied(sessionId, 3);
    const contents = (await talk.messages(sessionId)).map(({ content }) => content);
    assert.equal(contents.filter((content) => content.includes('the secret offer')).length, 1);
    assert.ok(promptOf(model.requests.at(-1)!).includes('second question'));
    assert.ok(!model.requests.some((request) => promptOf(request).includes('secret offer')));
  });

  it('tools act on the record of this conversation: field, status, and who did it', async () => {
    const { model, agent, sessionId, say } = await modelled({
      tools: ['find_record', 'set_field', 'set_status'],
    });
    const kanban = (await call('GET', '/kanbans')).body.items.find((one: Json) => one.isDefault);
    const status = kanban.statuses[1];
    model.script(
      callsTools({ name: 'find_record', arguments: {} }),
      callsTools(
        { name: 'set_field', arguments: { field: 'E-mail', value: 'ada@example.com' } },
        { name: 'set_status', arguments: { status: status.label } },
      ),
      says('Done.'),
    );
    await say('My address is ada@example.com');
    assert.equal((await talk.replied(sessionId))[0].content, 'Done.');
    const { recordId } = await talk.session(sessionId);
    const record = await talk.expect(200, call('GET', `/crm/records/${recordId}`));
    assert.equal(record.status, status.value);
    assert.deepEqual(Object.values(record.customFields), ['ada@example.com']);
    const changes = (await talk.events(recordId)).filter((one) => one.event === 'crm_field_update');
    assert.equal(changes.length, 2);
    assert.ok(JSON.stringify(changes[0].data.changedBy).includes(agent.id));
  });

  it('hand_over pauses and marks in the same moment as the reply; transfer moves by name, within what is allowed', async () => {
    const other = await talk.agent({ name: unique('Specialist') });
    const { model, sessionId, say } = await modelled(
      { tools: ['hand_over', 'transfer'] },
      { allowedAgentIds: [other.id] },
    );
    model.script(callsTools({ name: 'transfer', arguments: { agent: other.name } }), says('Over to them.'));
    await say('Someone else please');
    assert.equal((await talk.replied(sessionId))[0].content, 'Over to them.');
    assert.equal((await talk.session(sessionId)).agentId, other.id);
    assert.ok((await talk.messages(sessionId)).some((one) => one.role === 'system'));

    const second = unique('handover');
    model.script(callsTools({ name: 'hand_over', arguments: { reason: 'asked' } }));
    await say('A person please', second);
    const [reply] = await talk.replied(second);
    assert.ok(reply.content.trim());
    const session = await talk.session(second);
    assert.deepEqual([session.aiPaused, session.needsAttention], [true, true]);
  });
});
