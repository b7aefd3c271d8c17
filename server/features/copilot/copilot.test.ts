/** Settings, rights, and suggestions with their stream, guard and outcome. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addressOf } from '../../../test/support/address.ts';
import { type Copilot, copilotOf } from '../../../test/support/copilot.ts';
import { absentId } from '../../../test/support/crm.ts';
import {
  callsTools,
  fails,
  type ModelServer,
  says,
  startOpenAiServer,
} from '../../../test/support/model-servers.ts';
import { note, noteLeaks } from '../../../test/support/note-leaks.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { loopbackAllowed } from '../../../test/support/webhooks.ts';
import { sql } from '../../platform/db/sql.ts';

const suggest = { task: 'suggest' };

describe('the copilot', () => {
  let service: TestService;
  let copilot: Copilot;
  let model: ModelServer;
  before(async () => {
    service = await joinTestService({ env: loopbackAllowed });
    copilot = copilotOf(service);
    model = await startOpenAiServer({ apiKey: 'sk-copilot' });
  });
  after(async () => {
    await model.close();
    await service.close();
  });

  const lastPrompt = () => JSON.stringify(model.requests.at(-1)!.body.messages);

  describe('settings', () => {
    const read = async (token = service.token): Promise<Json> =>
      (await service.call('GET', '/copilot/settings', { token })).body;

    it('is off at first, and offers what its agent can do', async () => {
      const { token } = await service.createAccount();
      const tasks = ['suggest', 'rewrite', 'translate', 'summarize', 'ask'];
      assert.deepEqual(await read(token), { agentId: null, tasks, available: [] });
      const { id } = await copilot.helper(null);
      assert.deepEqual(await read(), { agentId: id, tasks, available: ['suggest', 'summarize', 'ask'] });
      await copilot.helper(model);
      assert.deepEqual((await copilot.settings({ tasks: ['ask', 'rewrite'] })).available, ['ask', 'rewrite']);
      await copilot.settings({ tasks });
    });

    it('is off when its agent is deleted', async () => {
      const { id } = await copilot.helper(null);
      await copilot.talk.expect(200, service.call('DELETE', `/agents/${id}`, { token: service.token }));
      assert.equal((await read()).agentId, null);
    });

    it('400 for an unknown agent; each change is in the audit log, once', async () => {
      await copilot.helper(null);
      const body = { agentId: absentId };
      const { status, body: answer } = await service.call('PATCH', '/copilot/settings', {
        token: service.token,
        body,
      });
      assert.deepEqual([status, answer.message], [400, `agentId has an unknown agent: ${absentId}`]);
      await copilot.settings({ agentId: null });
      await copilot.settings({ agentId: null });
      const log = await service.call('GET', '/audit-log?action=copilot.updated&limit=2', {
        token: service.token,
      });
      const [newest, before] = log.body.items;
      assert.equal(newest.changes.agentId.to, null);
      assert.notEqual(before.changes.agentId.to, null);
    });
  });

  describe('who may ask', () => {
    it('409 while it is off, for a task that is switched off, and for one that needs a model', async () => {
      const { sessionId } = await copilot.conversation('Hi');
      await copilot.settings({ agentId: null });
      assert.equal((await copilot.told(409, sessionId, suggest)).code, 'COPILOT_OFF');
      await copilot.helper(null);
      for (const body of [
        { task: 'rewrite', text: 'x', style: 'formal' },
        { task: 'translate', text: 'x', language: 'pt' },
      ]) {
        assert.equal((await copilot.told(409, sessionId, body)).code, 'MODEL_REQUIRED');
      }
      const { tasks } = await copilot.settings({ tasks: ['ask'] });
      assert.equal((await copilot.told(409, sessionId, suggest)).message, 'suggest is switched off');
      await copilot.settings({ tasks: [...tasks, 'suggest', 'rewrite', 'translate', 'summarize'] });
    });

    it('400 that names what a task needs', async () => {
      const { sessionId } = await copilot.conversation('Hi');
      for (const [body, message] of [
        [{ task: 'rewrite', style: 'formal' }, 'text is required for rewrite'],
        [{ task: 'rewrite', text: 'x' }, 'style is required for rewrite'],
        [{ task: 'translate', text: 'x' }, 'language is required for translate'],
        [{ task: 'translate', language: 'pt' }, 'text is required for translate'],
        [{ task: 'ask', question: ' ' }, 'question is required for ask'],
      ] as const) {
        assert.equal((await copilot.told(400, sessionId, body)).message, message);
      }
    });

    it('404 for a conversation of a hidden board or of another account; 403 without the right to reply', async () => {
      await copilot.helper(model);
      const { sessionId } = await copilot.conversation('Hi');
      const other = await service.createAccount();
      await copilot.told(404, sessionId, suggest, other.token);
      const reader = await service.createToken(service.admin.jwt, {
        name: 'reader',
        scopes: ['messages:read'],
      });
      await copilot.told(403, sessionId, suggest, reader.token);
      const operator = await service.createUser('operator');
      const { kanbanId } = await copilot.talk.session(sessionId);
      const open = (userIds: string[]) =>
        service.call('PUT', `/kanbans/${kanbanId}/members`, { token: service.token, body: { userIds } });
      await copilot.talk.expect(200, open([service.admin.userId]));
      await copilot.told(404, sessionId, suggest, operator.jwt);
      await copilot.talk.expect(200, open([]));
      await copilot.told(200, sessionId, suggest, operator.jwt);
    });

    it('30 a minute for each user', async () => {
      await copilot.helper(null);
      const { sessionId } = await copilot.conversation('Hi');
      const [one, other] = [await service.createUser('operator'), await service.createUser('operator')];
      const asked = await Promise.all(
        Array.from({ length: 31 }, () => copilot.ask(sessionId, suggest, one.jwt)),
      );
      const refused = asked.filter(({ status }) => status === 429);
      assert.equal(refused.length, 1);
      assert.ok(Number(refused[0]!.headers['retry-after']) > 0);
      assert.equal((await copilot.ask(sessionId, suggest, other.jwt)).status, 409);
    });
  });

  describe('suggest', () => {
    it('a reply from the conversation and the knowledge, with citations and the message it answers', async () => {
      const knowledge = [{ title: 'Shipping', text: 'Parcels take two days.' }];
      await copilot.helper(model, { instructions: 'Write in verse.', knowledge });
      const { sessionId } = await copilot.conversation('How long does shipping take?');
      model.script(says('It takes two days [1].'));
      const answer = await copilot.told(200, sessionId, suggest);
      const [asked] = await copilot.talk.messages(sessionId);
      assert.deepEqual(
        [answer.text, answer.basedOnMessageId, answer.citations.map((one: Json) => one.title)],
        ['It takes two days.', asked.id, ['Shipping']],
      );
      for (const part of ['Write in verse.', 'Parcels take two days.', 'How long does shipping take?']) {
        assert.ok(lastPrompt().includes(part), part);
      }
      assert.equal((await copilot.talk.messages(sessionId)).length, 1, 'it sends nothing');
    });

    it('is streamed in parts that together are the answer, without marks', async () => {
      const knowledge = [{ title: 'Shipping', text: 'Parcels take two days.' }];
      await copilot.helper(model, { knowledge });
      const { sessionId } = await copilot.conversation('How long does shipping take?');
      model.script(says('Parcels take two days [1], weekends [1, 7] not counted. Do you need it sooner?'));
      const events = await copilot.streamed(sessionId, suggest);
      const done = events.at(-1)!;
      const deltas = events.slice(0, -1);
      assert.equal(done.event, 'done');
      assert.equal(done.data.text, 'Parcels take two days, weekends not counted. Do you need it sooner?');
      assert.ok(deltas.length > 3, `${deltas.length} parts`);
      const shown = deltas.map(({ data }) => data.text).join('');
      assert.ok(done.data.text.startsWith(shown), shown);
      assert.ok(shown.length > 50, shown);
    });

    it('reads the card, and is offered nothing that changes something', async () => {
      await copilot.helper(model, { tools: ['find_record', 'set_field', 'hand_over', 'transfer'] });
      const { sessionId } = await copilot.conversation('Hi');
      model.script(callsTools({ name: 'find_record', arguments: {} }), says('Done.'));
      await copilot.told(200, sessionId, suggest);
      const offered = model.requests.at(-1)!.body.tools!.map((tool) => tool.function!.name);
      assert.deepEqual(offered, ['find_record']);
    });

    it('409 for one that repeats a note, and no part of it is streamed before', async () => {
      await copilot.helper(model);
      const { sessionId, channelId } = await copilot.conversation('Can I get a discount?');
      const note = 'He may get at most 12,500 off, ask Mrs Harsh.';
      for (const isNoteVisibleToAi of [true, false]) {
        const body = { content: `${note} ${isNoteVisibleToAi}`, isNote: true, isNoteVisibleToAi };
        assert.equal((await copilot.talk.operatorSays(channelId, sessionId, body)).status, 201);
      }
      model.script(says('You can have 12500 off, is that fine with you?'));
      const [only, ...rest] = await copilot.streamed(sessionId, suggest);
      assert.deepEqual([only!.event, only!.data.code, rest], ['error', 'SUGGESTION_HELD', []]);
      assert.ok(lastPrompt().includes(`${note} true`) && !lastPrompt().includes(`${note} false`));
      model.script(says('I will ask and come back to you.'));
      const [whole, done] = await copilot.streamed(sessionId, suggest);
      assert.deepEqual([whole!.event, done], ['done', undefined]);
    });

    it('no suggestion has the text of a note, in each way that the guard knows', async () => {
      await service.context.db.query(sql`delete from rate_limit_hits`);
      await service.context.db.query(sql`delete from rate_limit_counters`);
      await copilot.helper(model);
      const { sessionId, channelId } = await copilot.conversation('Can I get a discount?');
      const body = { content: note, isNote: true, isNoteVisibleToAi: true };
      assert.equal((await copilot.talk.operatorSays(channelId, sessionId, body)).status, 201);
      const rewrite = { task: 'rewrite', text: 'I will see.', style: 'friendlier' };
      for (const [index, [what, reply]] of noteLeaks.entries()) {
        const asked = index % 2 === 0 ? suggest : rewrite;
        model.script(says(reply), says(reply));
        const [only, ...rest] = await copilot.streamed(sessionId, asked);
        assert.deepEqual([only!.event, only!.data.code, rest], ['error', 'SUGGESTION_HELD', []], what);
        const { code, message } = await copilot.told(409, sessionId, asked === suggest ? rewrite : suggest);
        assert.equal(code, 'SUGGESTION_HELD', what);
        assert.ok(!JSON.stringify([only, message]).includes(reply), what);
      }
    });

    it('a failure of the model is a 502, or an error in the stream', async () => {
      await copilot.helper(model);
      const { sessionId } = await copilot.conversation('Hi');
      model.script(fails(400, {}, 'no such model'), fails(400, {}, 'no such model'));
      const { code, message } = await copilot.told(502, sessionId, suggest);
      assert.deepEqual([code, message], ['MODEL_FAILED', 'the model answered 400: no such model']);
      const [only] = await copilot.streamed(sessionId, suggest);
      assert.deepEqual(only, { event: 'error', data: { code, message } });
    });

    it('a client that leaves ends the call of the model, and leaves nothing behind', async () => {
      await copilot.helper(model);
      const { sessionId } = await copilot.conversation('Hi');
      const origin = await addressOf(service.app);
      const leaving = new AbortController();
      const asked = model.requests.length;
      model.choose(() => ({ ...says('too late'), after: new Promise(() => {}) }));
      const response = await fetch(`${origin}/sessions/${sessionId}/copilot`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(suggest),
        signal: leaving.signal,
      });
      assert.equal(response.status, 200);
      await model.requested(asked + 1);
      leaving.abort();
      await model.idle();
      model.choose(() => says('Hello.'));
      const [row] = await service.context.db.query<{ count: number }>(
        sql`select count(*)::int as count from copilot_suggestions where session_id = ${sessionId}`,
      );
      assert.equal(row!.count, 0);
    });

    it('without a model: the passage or the saved reply that has more of the question', async () => {
      await copilot.helper(null, { knowledge: [{ title: 'Shipping', text: 'Parcels take two days.' }] });
      await copilot.talk.expect(
        201,
        service.call('POST', '/saved-replies', {
          token: service.admin.jwt,
          body: { name: 'Shipping to Spain', text: 'To Spain it is three days.', shared: true },
        }),
      );
      const known = await copilot.conversation('Shipping?');
      const passage = await copilot.told(200, known.sessionId, suggest);
      assert.deepEqual([passage.text, passage.citations.length], ['Parcels take two days.', 1]);
      const saved = await copilot.conversation('Shipping to Spain?');
      const reply = await copilot.told(200, saved.sessionId, suggest);
      assert.deepEqual([reply.text, reply.citations], ['To Spain it is three days.', []]);
      const nothing = await copilot.conversation('Do you repair bicycles?');
      assert.equal((await copilot.told(409, nothing.sessionId, suggest)).code, 'NOTHING_FOUND');
    });

    it('its outcome is reported by who asked for it, and the last report counts', async () => {
      await copilot.helper(model);
      const { sessionId } = await copilot.conversation('Hi');
      const { suggestionId } = await copilot.told(200, sessionId, suggest);
      const report = (outcome: string, token = service.token, of = sessionId) =>
        service.call('POST', `/sessions/${of}/copilot/${suggestionId}/outcome`, { token, body: { outcome } });
      const operator = await service.createUser('operator');
      const other = await copilot.conversation('Hi');
      assert.equal((await report('accepted', operator.jwt)).status, 404);
      assert.equal((await report('accepted', service.token, other.sessionId)).status, 404);
      for (const outcome of ['discarded', 'edited']) {
        assert.deepEqual((await report(outcome)).body, { outcome });
      }
      const rows = await service.context.db.query(
        sql`select outcome, task from copilot_suggestions where session_id = ${sessionId}`,
      );
      assert.deepEqual(rows, [{ outcome: 'edited', task: 'suggest' }]);
    });
  });
});
