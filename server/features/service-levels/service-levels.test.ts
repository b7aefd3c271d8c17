import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { followOnce } from './service-levels.jobs.ts';

const minute = 60_000;

describe('service levels', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  let channel: Json;
  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ({ call } = service);
    channel = await talk.channel();
  });
  after(() => service.close());

  /** As the worker does, some minutes later. */
  const follow = async (minutes = 0) => {
    const now = service.context.clock.now() + minutes * minute;
    const deps = { ...service.context, clock: { now: () => now, stop() {} } };
    while (await followOnce(deps));
  };
  const create = (body: object) => call('POST', '/sla-policies', { body: { name: 'Policy', ...body } });
  const policyOf = async (body: object): Promise<Json> => talk.expect(201, create(body));
  const remove = (id: string) => talk.expect(200, call('DELETE', `/sla-policies/${id}`));
  const change = (sessionId: string, body: object) =>
    talk.expect(200, call('PATCH', `/sessions/${sessionId}`, { body }));
  const says = (sessionId: string, content = 'Hello?') =>
    talk.accepted({
      sessionId,
      fromChannelIdentifier: channel.identifier,
      channelType: channel.type,
      content,
    });
  const answers = async (sessionId: string) => {
    const answer = await talk.operatorSays(channel.id, sessionId, { content: 'Hi' });
    assert.ok(answer.status < 300, answer.text);
  };
  const slaOf = async (sessionId: string): Promise<Json> => (await talk.session(sessionId)).sla;
  const states = async (sessionId: string) =>
    (await slaOf(sessionId)).targets.map(({ kind, state }: Json) => `${kind} ${state}`);
  const named = async (sessionId: string, name: string) =>
    (await talk.events(sessionId)).filter(({ event }) => event === name);

  it('are created, listed in order, changed and deleted, each in the audit log', async () => {
    const second = await policyOf({ name: ' Second ', order: 5, firstResponseMinutes: 60 });
    assert.deepEqual(second, {
      id: second.id,
      name: 'Second',
      order: 5,
      filter: null,
      firstResponseMinutes: 60,
      hoursId: null,
      pauseWhileSnoozed: false,
      pauseWhileWaitingForCustomer: false,
      aiCounts: false,
      warnBeforeMinutes: 0,
    });
    const first = await policyOf({ name: 'First', order: 1, resolutionMinutes: 600 });
    const { items } = await talk.expect(200, call('GET', '/sla-policies'));
    assert.deepEqual(
      items.map(({ name }: Json) => name),
      ['First', 'Second'],
    );
    const path = `/sla-policies/${first.id}`;
    const body = { nextResponseMinutes: 30, resolutionMinutes: null };
    const changed = await talk.expect(200, call('PATCH', path, { body }));
    assert.deepEqual([changed.nextResponseMinutes, 'resolutionMinutes' in changed], [30, false]);
    assert.deepEqual((await call('GET', path)).body, changed);
    for (const [wrong, message] of [
      [
        { nextResponseMinutes: null },
        'one of firstResponseMinutes, nextResponseMinutes and resolutionMinutes is required',
      ],
      [{ hoursId: first.id }, `hoursId has unknown business hours: ${first.id}`],
      [
        { filter: { and: [{ field: 'session.teamId', op: 'is', value: first.id }] } },
        'filter.and[0].value does not exist',
      ],
    ] as const) {
      const refused = await call('PATCH', path, { body: wrong });
      assert.deepEqual([refused.status, refused.body.message], [400, message]);
    }
    const ofCards = { filter: { and: [{ field: 'title', op: 'is', value: 'x' }] }, firstResponseMinutes: 1 };
    assert.equal((await create(ofCards)).status, 400);
    const operator = await service.createUser('operator');
    assert.equal((await call('GET', '/sla-policies', { token: operator.jwt })).status, 200);
    assert.equal((await call('DELETE', path, { token: operator.jwt })).status, 403);
    await remove(first.id);
    await remove(second.id);
    const log = await talk.expect(
      200,
      call('GET', '/audit-log?targetType=sla_policy', { token: service.admin.jwt }),
    );
    assert.equal(log.items.length, 5);
    await follow(1);
  });

  it('a conversation shows its targets; a person’s answer meets them, an echo too, the AI only if it counts', async () => {
    const { id } = await policyOf({
      firstResponseMinutes: 60,
      nextResponseMinutes: 30,
      resolutionMinutes: 600,
    });
    const sessionId = unique('sla');
    await says(sessionId);
    await follow();
    const { policyId, targets } = await slaOf(sessionId);
    assert.equal(policyId, id);
    const { createdAt } = await talk.session(sessionId);
    assert.deepEqual(targets, [
      { kind: 'first_response', dueAt: createdAt + 60 * minute, state: 'running', remainingMinutes: 60 },
      { kind: 'resolution', dueAt: createdAt + 600 * minute, state: 'running', remainingMinutes: 600 },
    ]);
    await answers(sessionId);
    await follow();
    assert.deepEqual(await states(sessionId), ['first_response met', 'resolution running']);
    await says(sessionId);
    await follow();
    assert.deepEqual(await states(sessionId), [
      'first_response met',
      'next_response running',
      'resolution running',
    ]);
    await talk.expect(
      200,
      call('POST', '/messages', {
        body: {
          sessionId,
          fromChannelIdentifier: channel.identifier,
          channelType: channel.type,
          content: 'By phone',
          isEcho: true,
          externalUserId: sessionId,
        },
      }),
    );
    await follow();
    assert.deepEqual(await states(sessionId), [
      'first_response met',
      'next_response met',
      'resolution running',
    ]);
    await change(sessionId, { status: 'resolved' });
    await follow();
    assert.deepEqual(await states(sessionId), ['first_response met', 'next_response met', 'resolution met']);
    await change(sessionId, { status: 'open' });
    await follow();
    assert.deepEqual(await states(sessionId), [
      'first_response met',
      'next_response running',
      'resolution running',
    ]);
    await remove(id);
    await follow(1);
    assert.equal(await slaOf(sessionId), null);
  });

  it('warns and breaches once: events, the owner notified, the conversation found by what is due next', async () => {
    const { id } = await policyOf({ firstResponseMinutes: 60, warnBeforeMinutes: 20 });
    const [urgent, later] = [unique('urgent'), unique('later')];
    await says(urgent);
    await follow();
    const owner = await service.createUser('operator');
    await change(urgent, { assignedUserId: owner.id });
    await follow(41);
    await follow(42);
    const data = {
      sessionId: urgent,
      channelId: channel.id,
      policyId: id,
      kind: 'first_response',
      dueAt: (await slaOf(urgent)).targets[0].dueAt,
    };
    assert.deepEqual(
      (await named(urgent, 'sla_warning')).map((event) => event.data),
      [data],
    );
    await says(later);
    await follow(43);
    await follow(61);
    await follow(62);
    assert.deepEqual(
      (await named(urgent, 'sla_breached')).map((event) => event.data),
      [data],
    );
    await answers(urgent);
    await says(urgent);
    await follow(62);
    const [target] = (await slaOf(urgent)).targets;
    assert.equal(target.state, 'breached');
    const noted = await service.context.db.query(sql`
      select type, detail from live_log where subject_id = ${urgent} and type like 'sla.%'
      union all select type, detail from live_changes where subject_id = ${urgent} and type like 'sla.%' order by type`);
    assert.deepEqual(
      noted.map((one: Json) => one.type),
      ['sla.breached', 'sla.warning'],
    );
    const ids = async (query: string): Promise<string[]> =>
      (await talk.expect(200, call('GET', `/sessions?${query}`))).items.map((one: Json) => one.sessionId);
    const third = unique('third');
    await says(third);
    await follow();
    assert.deepEqual(await ids('sort=due_next&limit=100'), [later, third]);
    const page = await talk.expect(200, call('GET', '/sessions?sort=due_next&limit=1'));
    const rest = await ids(`sort=due_next&limit=1&nextToken=${encodeURIComponent(page.nextToken)}`);
    assert.deepEqual([page.items[0].sessionId, rest], [later, [third]]);
    assert.deepEqual((await ids('sla=due')).sort(), [later, third].sort());
    assert.deepEqual(await ids('sla=breached'), []);
    await remove(id);
    await follow(1);
    assert.deepEqual(await ids('sla=due'), []);
  });

  it('the first policy that matches applies, and is chosen again when a filtered value changes', async () => {
    const label = await talk.expect(201, call('POST', '/labels', { body: { name: unique('vip') } }));
    const vip = await policyOf({
      name: 'VIP',
      order: 1,
      firstResponseMinutes: 10,
      filter: { and: [{ field: 'session.labelIds', op: 'contains', value: label.id }] },
    });
    const rest = await policyOf({
      name: 'Rest',
      order: 2,
      firstResponseMinutes: 100,
      pauseWhileSnoozed: true,
    });
    const sessionId = unique('chosen');
    await says(sessionId);
    await follow();
    const { createdAt } = await talk.session(sessionId);
    const due = async () => {
      const sla = await slaOf(sessionId);
      return [sla.policyId, sla.targets[0].dueAt, sla.targets[0].state];
    };
    assert.deepEqual(await due(), [rest.id, createdAt + 100 * minute, 'running']);
    await change(sessionId, { status: 'snoozed' });
    await follow();
    assert.deepEqual(await due(), [rest.id, null, 'paused']);
    await change(sessionId, { status: 'open', labelIds: [label.id] });
    await follow();
    const [policyId, dueAt, state] = await due();
    assert.deepEqual([policyId, state], [vip.id, 'running']);
    assert.ok(dueAt >= createdAt + 10 * minute && dueAt < createdAt + 11 * minute);
    // A changed policy and changed hours reach the open conversations.
    const hours = await talk.expect(
      201,
      call('POST', '/business-hours', { body: { name: 'Never', timeZone: 'UTC', week: [] } }),
    );
    await talk.expect(200, call('PATCH', `/sla-policies/${vip.id}`, { body: { hoursId: hours.id } }));
    await follow();
    assert.deepEqual(await due(), [vip.id, null, 'running']);
    const used = await call('DELETE', `/business-hours/${hours.id}`);
    assert.deepEqual(used.body.usedBy, [{ type: 'sla_policy', id: vip.id, name: 'VIP' }]);
    const week = [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, from: '00:00', to: '24:00' }));
    await talk.expect(200, call('PATCH', `/business-hours/${hours.id}`, { body: { week } }));
    await follow();
    assert.deepEqual(await due(), [vip.id, dueAt, 'running']);
    await remove(vip.id);
    await remove(rest.id);
    await follow(1);
  });

  it('the report counts what was met and missed, and each figure opens its conversations', async () => {
    const all = channel;
    channel = await talk.channel();
    const team = await talk.expect(201, call('POST', '/teams', { body: { name: unique('Team') } }));
    const { id } = await policyOf({ name: 'Reported', firstResponseMinutes: 60, nextResponseMinutes: 60 });
    const [met, missed] = [unique('met'), unique('missed')];
    await says(met);
    await says(missed);
    await change(missed, { teamId: team.id });
    await follow();
    await answers(met);
    await follow();
    await follow(61);
    const to = service.context.clock.now() + 120 * minute;
    const report = await talk.expect(
      200,
      call('GET', `/reports/service-levels?policyId=${id}&channelId=${channel.id}&to=${to}`),
    );
    const one = { met: 1, breached: 0 };
    const late = { met: 0, breached: 1 };
    assert.deepEqual(report.total, { met: 1, breached: 1 });
    assert.deepEqual(report.kinds, [{ kind: 'first_response', met: 1, breached: 1 }]);
    assert.deepEqual(report.policies, [{ policyId: id, name: 'Reported', met: 1, breached: 1 }]);
    const byTeam = (a: Json) => (a.teamId === null ? 0 : 1);
    assert.deepEqual(
      report.teams.sort((a: Json, b: Json) => byTeam(a) - byTeam(b)),
      [
        { teamId: null, name: null, ...one },
        { teamId: team.id, name: team.name, ...late },
      ],
    );
    assert.deepEqual(
      report.channels.map(({ channelId, met: yes, breached: no }: Json) => [channelId, yes, no]),
      [[channel.id, 1, 1]],
    );
    const behind = async (query: string): Promise<string[]> => {
      const path = `/reports/service-levels/conversations?policyId=${id}&channelId=${channel.id}&to=${to}&${query}`;
      return (await talk.expect(200, call('GET', path))).items.map((item: Json) => item.sessionId);
    };
    assert.deepEqual(await behind('figure=met'), [met]);
    assert.deepEqual(await behind('figure=breached'), [missed]);
    assert.deepEqual(await behind(`figure=breached&teamId=${team.id}`), [missed]);
    assert.deepEqual(await behind('figure=breached&teamId=none'), []);
    const { text } = await call(
      'GET',
      `/reports/service-levels?policyId=${id}&channelId=${channel.id}&to=${to}&format=csv`,
    );
    assert.match(text, /^\ufeffpart,from,to,id,name,met,breached\r\n/);
    channel = all;
    await remove(id);
    await follow(1);
  });

  it('one conversation that fails holds up no other, and is tried again by a job', async () => {
    const { id } = await policyOf({ firstResponseMinutes: 60 });
    const [bad, good] = [unique('bad'), unique('good')];
    const { db } = service.context;
    await says(bad);
    await says(good);
    await db.query(sql`
      create function refuse_state() returns trigger language plpgsql as $$ begin
        if new.session_id like 'bad%' then raise 'refused'; end if; return new; end $$`);
    await db.query(sql`
      create trigger refuse_state before insert on sla_states for each row execute function refuse_state()`);
    try {
      await follow();
    } finally {
      await db.query(sql`drop function refuse_state cascade`);
    }
    assert.deepEqual([await slaOf(bad), (await slaOf(good)).policyId], [null, id]);
    assert.equal(await talk.count(sql`jobs where kind = 'service-levels' and dedupe_key = ${bad}`), 1);
    await remove(id);
    await follow(1);
  });
});

describe('service levels with a worker', () => {
  let service: TestService;
  before(async () => {
    service = await joinTestService({ worker: true });
  });
  after(() => service.close());

  it('a reply of the AI is an answer if it counts, a held one when it is released, one of a rule never', async () => {
    const talk = conversationsOf(service);
    const { call } = service;
    const label = await talk.expect(201, call('POST', '/labels', { body: { name: unique('AI') } }));
    const rule = await talk.expect(
      201,
      call('POST', '/automations', {
        body: {
          name: 'Answer',
          enabled: true,
          trigger: { on: 'customer_message' },
          steps: [{ type: 'reply', text: 'We are looking at it.' }],
        },
      }),
    );
    const { sessionId } = await talk.accepted({ sessionId: unique('held') });
    const [reply] = await talk.replied(sessionId);
    const waits = (await talk.accepted({ sessionId: unique('rule') })).sessionId;
    await talk.replied(waits);
    await talk.expect(200, call('DELETE', `/automations/${rule.id}`));
    assert.ok((await talk.messages(waits)).some(({ author }) => author?.type === 'rule'));
    await service.context.db.query(sql`update messages set held = true where id = ${reply.id}`);
    await talk.expect(200, call('PATCH', `/sessions/${sessionId}`, { body: { addLabelIds: [label.id] } }));
    const filter = { field: 'session.labelIds', op: 'contains', value: label.id };
    const policies: Json[] = [];
    for (const body of [
      { name: 'With the AI', order: 1, filter, aiCounts: true, firstResponseMinutes: 60 },
      { name: 'People', order: 2, firstResponseMinutes: 60 },
    ]) {
      policies.push(await talk.expect(201, call('POST', '/sla-policies', { body })));
    }
    const isNow = (id: string, index: number, state: string) =>
      eventually(async () => {
        const { sla } = await talk.session(id);
        return sla?.policyId === policies[index]!.id && sla.targets[0].state === state;
      });
    await isNow(sessionId, 0, 'running');
    await isNow(waits, 1, 'running');
    await talk.expect(200, call('POST', `/sessions/${sessionId}/messages/${reply.id}/release`));
    await isNow(sessionId, 0, 'met');
    const { channelId } = await talk.session(waits);
    assert.equal((await talk.operatorSays(channelId, waits, { content: 'Hello' })).status, 201);
    await isNow(waits, 1, 'met');
    for (const { id } of policies) await talk.expect(200, call('DELETE', `/sla-policies/${id}`));
  });

  it('a breach is an event and a notification within five seconds', async () => {
    const talk = conversationsOf(service);
    const { call } = service;
    const owner = await service.createUser('operator');
    const { sessionId } = await talk.accepted({ sessionId: unique('breach') });
    await talk.expect(200, call('PATCH', `/sessions/${sessionId}`, { body: { assignedUserId: owner.id } }));
    // It began a minute ago, but for a second.
    await service.context.db.query(sql`
      update sessions set created_at = created_at - ${58_000} where session_id = ${sessionId}`);
    await talk.expect(201, call('POST', '/sla-policies', { body: { name: 'Fast', resolutionMinutes: 1 } }));
    await eventually(async () => (await talk.session(sessionId)).sla !== null);
    const { dueAt } = (await talk.session(sessionId)).sla.targets[0];
    const breached = async () =>
      (await talk.events(sessionId)).filter(({ event }) => event === 'sla_breached');
    await eventually(async () => (await breached()).length === 1);
    const [event] = await breached();
    assert.equal(event.data.dueAt, dueAt);
    assert.ok(event.timestamp - dueAt < 5_000, `${event.timestamp - dueAt} ms`);
    await eventually(async () => {
      const { items } = await talk.expect(200, call('GET', '/notifications', { token: owner.jwt }));
      return items.some((one: Json) => one.kind === 'sla_breached' && one.sessionId === sessionId);
    });
  });
});
