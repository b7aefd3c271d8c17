/** Calls of rules, to a server on the loopback that the instance allows. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import type { RuleStep } from '../../../contract/automation/steps.ts';
import { conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { startToolServer, type ToolServer } from '../../../test/support/tool-server.ts';
import { loopbackAllowed } from '../../../test/support/webhooks.ts';
import { endpointKey, newEndpointSecret } from '../../platform/events/endpoints.ts';
import { newId } from '../../platform/ids.ts';
import type { RuleActor } from '../accounts/accounts.ts';
import { type CallOutcome, keptAnswer, performCall, type Scene, withScene } from './steps.ts';

type Made = Exclude<CallOutcome, { state: 'later' }>;
type Given = Partial<Omit<RuleStep, 'type'>>;

describe('calls of rules', () => {
  let service: TestService;
  let server: ToolServer;
  let conversations: ReturnType<typeof conversationsOf>;
  let sessionId: string;
  let rule: RuleActor;
  const secret = newEndpointSecret();
  const key = newId();
  before(async () => {
    service = await joinTestService({ env: loopbackAllowed });
    server = await startToolServer();
    conversations = conversationsOf(service);
    ({ sessionId } = await conversations.accepted({
      sessionName: 'Ana Silva',
      externalUserId: unique('ana'),
    }));
    rule = { kind: 'rule', accountId: service.admin.accountId, id: newId(), name: 'Tell the shop' };
  });
  beforeEach(() => {
    server.seen.length = 0;
    server.answer((response) => response.end('{"ok":true}'));
  });
  after(async () => {
    await service.close();
    await server.close();
  });

  const scene = (values: Scene['values'] = {}): Promise<Scene> => {
    const { db, accountConfig, providers, clock } = service.context;
    const input = { accountConfig, providers, actor: rule, now: clock.now(), visible: null, values };
    return db.transaction((tx) => withScene(tx, input, { sessionId }, async (found) => found));
  };
  const make = async (step: Given, values?: Scene['values'], signal = AbortSignal.timeout(30_000)) =>
    performCall(
      service.context,
      await scene(values),
      { type: 'call', ...step },
      {
        ...{ key, secrets: [endpointKey(secret)], runId: 'run', stepId: 'shop', signal, pausesMs: [1, 1] },
      },
    );
  const made = async (step: Given, values?: Scene['values']) => (await make(step, values)) as Made;
  const url = () => `${server.origin}/hook`;

  it('posts JSON, signed like a webhook, and the answer is what later steps use', async () => {
    server.answer((response) => response.end('{"order":{"state":"paid"}}'));
    const body = {
      name: '{{customer}}',
      total: '{{payload.total}}',
      none: '{{payload.none}}',
      fixed: [1, 'x'],
    };
    const outcome = await made({ url: url(), body }, { payload: { total: 12.5 } });
    assert.deepEqual(
      [outcome.state, outcome.reason, outcome.answer],
      ['done', null, { status: 200, body: { order: { state: 'paid' } } }],
    );
    const [seen] = server.seen;
    assert.deepEqual(JSON.parse(seen!.body), { name: 'Ana Silva', total: 12.5, fixed: [1, 'x'] });
    new Webhook(secret).verify(seen!.body, seen!.headers as Record<string, string>);
    assert.deepEqual(
      [seen!.method, seen!.headers['idempotency-key'], seen!.headers['webhook-id']],
      ['POST', key, key],
    );
    await made({ url: url() });
    assert.deepEqual(JSON.parse(server.seen[1]!.body), {
      ...{ ruleId: rule.id, ruleName: rule.name, runId: 'run', stepId: 'shop', sessionId },
      recordId: (await conversations.session(sessionId)).recordId,
    });
  });

  it('tries three times with one key where that may help, and once where it does not', async () => {
    for (const [status, tries] of [
      [503, 3],
      [429, 3],
      [404, 1],
      [302, 1],
    ] as const) {
      server.seen.length = 0;
      server.answer((response) => response.writeHead(status).end('no'));
      const outcome = await made({ url: url() });
      assert.deepEqual(
        [outcome.state, outcome.reason, outcome.answer, server.seen.length],
        ['failed', `answered ${status}`, { status, body: 'no' }, tries],
      );
      assert.deepEqual(new Set(server.seen.map(({ headers }) => headers['idempotency-key'])), new Set([key]));
    }
    let count = 0;
    server.answer((response) => (++count < 3 ? response.destroy() : response.end('')));
    assert.equal((await made({ url: url() })).state, 'done');
    const aborted = AbortSignal.abort(new Error('the worker stops'));
    await assert.rejects(make({ url: url() }, {}, aborted), /the worker stops/);
  });

  it('says what it could not do, without calling anybody', async () => {
    const cases: [Given, string][] = [
      [{ url: 'http://example.com/' }, 'the address must be an https address'],
      [
        { url: url(), body: { of: 'order {{payload.id}}' } },
        'the step has placeholders without a value: {{payload.id}}',
      ],
      [{ toolId: newId() }, 'tool not found'],
    ];
    for (const [step, reason] of cases) {
      const outcome = await made(step);
      assert.deepEqual([outcome.state, outcome.reason], ['failed', reason]);
    }
    const refused = await made({ url: 'https://10.0.0.1/' });
    assert.equal(refused.state, 'failed');
    assert.match(refused.reason!, /address/);
    assert.equal(server.seen.length, 0);
  });

  it('asks a tool with its arguments and headers, as agents do, also one that needs approval for agents', async () => {
    const tool: Json = await conversations.expect(
      201,
      service.call('POST', '/tools', {
        token: service.admin.jwt,
        body: {
          ...{
            name: 'refund',
            description: 'Refunds.',
            kind: 'write',
            method: 'POST',
            url: `${server.origin}/refund`,
          },
          headers: { 'X-For': '{{customer.name}}' },
          parameters: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
          resultPath: '/data',
        },
      }),
    );
    server.answer((response) => response.end('{"data":{"id":7}}'));
    const step = { toolId: tool.id, arguments: { amount: '{{payload.total}}' } };
    const outcome = await made(step, { payload: { total: 3 } });
    assert.deepEqual([outcome.state, outcome.answer], ['done', { status: 200, body: { id: 7 } }]);
    const [seen] = server.seen;
    assert.deepEqual(
      [JSON.parse(seen!.body), seen!.headers['x-for'], seen!.headers['idempotency-key']],
      [{ amount: 3 }, 'Ana Silva', key],
    );
    assert.match((await made(step, { payload: { total: 'much' } })).reason!, /amount/);
    await service.call('PATCH', `/tools/${tool.id}`, {
      token: service.admin.jwt,
      body: { enabled: false },
    });
    assert.equal((await made(step, { payload: { total: 3 } })).reason, 'the tool is disabled');
  });

  it('reads 64 KB of an answer at most, and keeps 4 KB of it: what later steps use', async () => {
    const long = 'x'.repeat(5_000);
    server.answer((response) => response.end(JSON.stringify({ long, items: [{ price: 3 }], id: 'a' })));
    const { answer } = await made({ url: url() });
    const steps = [
      { id: 'shop', type: 'call', url: url() },
      { id: 'say', type: 'reply', text: '{{steps.shop.body.items.0.price}} {{steps.shop.body.long}}' },
      {
        id: 'tell',
        type: 'note',
        text: '{{steps.shop.body.id}} {{steps.other.body.id}} {{steps.shop.body.gone}}',
      },
    ] as RuleStep[];
    assert.deepEqual(keptAnswer(steps, 'shop', answer), {
      status: 200,
      body: { items: { '0': { price: 3 } }, id: 'a' },
    });
    assert.deepEqual(keptAnswer(steps, 'shop', { status: 200, body: 'ok' }), { status: 200, body: 'ok' });
    server.answer((response) => response.end(`"${'y'.repeat(100_000)}"`));
    const cut = (await made({ url: url() })).answer.body as string;
    assert.equal(cut.length, 65_536);
  });

  it('waits with the 61st call of a minute', async () => {
    const { accountId } = await service.createAccount();
    const windows = [{ limit: 60, seconds: 60 }];
    for (let i = 0; i < 60; i++) await service.context.rateLimits.admit(accountId, 'rule-calls', windows);
    const limited = { ...(await scene()), actor: { ...rule, accountId } };
    const outcome = await performCall(
      service.context,
      limited,
      { type: 'call', url: url() },
      {
        ...{ key, secrets: [], runId: 'run', stepId: 'shop', signal: AbortSignal.timeout(30_000) },
      },
    );
    assert.equal(outcome.state, 'later');
    assert.ok(outcome.state === 'later' && outcome.waitMs > 0 && outcome.waitMs <= 60_000);
    assert.equal(server.seen.length, 0);
  });

  it('400 for a rule that would call an address inside of the network, at its place', async () => {
    const post = (address: string) => {
      const condition = { field: 'session.status', op: 'is', value: 'open' };
      const steps = [{ type: 'if', condition, ...branchOf({ type: 'call', url: address }) }];
      const body = { name: unique('Rule'), trigger: { on: 'session_created' }, steps };
      return service.call('POST', '/automations', { token: service.admin.jwt, body });
    };
    const { status, body } = await post('https://10.0.0.1/');
    assert.equal(status, 400);
    assert.match(body.message, /^steps\[0\]\.then\[0\]\.url must not point to a private/);
    const plain = await post('http://8.8.8.8/');
    assert.deepEqual(
      [plain.status, plain.body.message],
      [400, 'steps[0].then[0].url must be an https address'],
    );
    const saved = await post('https://8.8.8.8/');
    assert.equal(saved.status, 201, saved.text);
    assert.match(saved.body.secret, /^whsec_/);
  });
});

const branchOf = (step: object) => Object.fromEntries([['then', [step]] as const]);
