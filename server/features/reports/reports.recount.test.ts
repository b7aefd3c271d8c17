import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import pg from 'pg';
import { aiFigures } from '../../../contract/reports.ts';
import { color } from '../../../test/support/crm.ts';
import { type History, history, type Places, writeHistory } from '../../../test/support/report-histories.ts';
import {
  type OracleQuery,
  percentile,
  type Rows,
  readRows,
  recount,
} from '../../../test/support/report-oracle.ts';
import { runsOf, seed } from '../../../test/support/sample.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { rollUpConversations } from './reports.jobs.ts';

/** Long after everything in the histories. */
const later = Date.parse('2090-01-01');
const longest = { hour: 14, day: 80, week: 80, month: 80 };
const day = 86_400_000;

describe('the figures of every report', () => {
  let service: TestService;
  let client: pg.Client;
  let places: Places;
  let operator: { jwt: string };

  before(async () => {
    service = await joinTestService();
    const { call } = service;
    client = new pg.Client(service.connection);
    await client.connect();
    const statuses = ['open', 'talking', 'won'].map((value) => ({
      value,
      label: value.toUpperCase(),
      color,
    }));
    const open = (await call('POST', '/kanbans', { body: { name: 'Open', statuses } })).body;
    const closed = (await call('POST', '/kanbans', { body: { name: 'Closed' } })).body;
    operator = await service.createUser('operator');
    await call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds: [service.admin.userId] } });
    const agentIds = [];
    const channelIds = [];
    const webhookIds = [];
    for (const number of [1, 2]) {
      const agent = await call('POST', '/agents', { body: { name: `Agent ${number}`, provider: 'offline' } });
      agentIds.push(agent.body.id);
      const channel = await call('POST', '/channels', {
        body: {
          name: `Ch ${number}`,
          type: 'api',
          identifier: `ch-${number}`,
          defaultAgentId: agent.body.id,
        },
      });
      channelIds.push(channel.body.id);
      const webhook = await call('POST', '/webhooks', {
        body: { url: `https://example.com/${number}`, events: ['crm_record_created'] },
      });
      webhookIds.push(webhook.body.id);
    }
    const { accountId } = service.admin;
    places = { accountId, kanbanIds: [open.id, closed.id], channelIds, agentIds, webhookIds };
    for (const ids of Object.values(places)) assert.ok(ids.length > 0 && ids[0]);
  });
  after(async () => {
    await client.end();
    await service.close();
  });

  const read = async <R>(table: string) =>
    (await client.query(`select * from ${table} where account_id = $1`, [places.accountId])).rows as R[];

  const check = async (told: History) => {
    const changeLater = await writeHistory(client, places, told);
    await rollUpConversations(service.context.db, later, { quietMs: 0, atATime: 3, leastInBlock: 2 });
    await changeLater();
    const rows = await readRows(read);
    const query = questionOf(told, rows, places);
    const { visible, ...asked } = query;
    const expected = recount(rows, query);
    const token = told.ask.asOperator ? operator.jwt : service.admin.jwt;
    const text = new URLSearchParams();
    for (const [name, value] of Object.entries(asked)) if (value !== undefined) text.set(name, String(value));
    const get = async (name: string, jwt = token) => {
      const answer = await service.call('GET', `/reports/${name}?${text}`, { token: jwt });
      assert.equal(answer.status, 200, answer.text);
      const { body } = answer;
      if (body.buckets) checkBuckets(body.buckets, query, expected.label);
      return body;
    };
    const rest = ({ from, to, ...figures }: Json) => figures;

    const hours = await get('messages-per-hour');
    assert.deepEqual(hours.total, expected.traffic.total);
    for (const one of hours.buckets) assert.deepEqual(rest(one), expected.traffic.of(one.from));
    for (const { weekday, hour, hours: _, ...cell } of hours.cells) {
      assert.deepEqual(cell, expected.traffic.cell(weekday, hour), `${weekday} ${hour}`);
    }
    const length = hours.cells.reduce((sum: number, cell: Json) => sum + cell.hours, 0);
    assert.ok(Math.abs(length - (query.to - query.from) / 3_600_000) < 1e-6);

    const answers = await get('answers');
    const { ai, human } = expected.traffic.total;
    assert.deepEqual(answers.total, { ai, human });
    for (const one of answers.buckets) {
      const own = expected.traffic.of(one.from);
      assert.deepEqual(rest(one), { ai: own.ai, human: own.human });
    }
    const responses = await get('first-response');
    assert.deepEqual(responses.total, expected.responses.total);
    for (const one of responses.buckets) assert.deepEqual(rest(one), expected.responses.of(one.from));

    const resolutions = await get('resolutions');
    assert.deepEqual(resolutions.total, expected.resolutions.total);
    for (const one of resolutions.buckets) assert.deepEqual(rest(one), expected.resolutions.of(one.from));

    const handovers = await get('handovers');
    assert.deepEqual(handovers.total, expected.handovers.total);
    for (const one of handovers.buckets) assert.deepEqual(rest(one), expected.handovers.of(one.from));
    const reasons = handovers.reasons.map((one: Json) => [one.reason, one.count]);
    assert.deepEqual(new Map(reasons), expected.handovers.reasons);

    const ofAi = await get('ai');
    assert.deepEqual(ofAi.total, expected.ai.total);
    assert.deepEqual(ofAi.ratings, expected.ai.ratings);
    for (const one of ofAi.buckets) assert.deepEqual(rest(one), expected.ai.of(one.from));
    for (const { agentId, name, versions, ...figures } of ofAi.agents) {
      assert.deepEqual(figures, expected.ai.agent(agentId));
      for (const { version, ...own } of versions)
        assert.deepEqual(own, expected.ai.version(agentId, version));
    }
    for (const { channelId, name, type, ...figures } of ofAi.channels) {
      assert.deepEqual(figures, expected.ai.channel(channelId));
    }
    for (const { reason, count } of ofAi.handovers) assert.equal(count, expected.ai.reason(reason));
    const sumOf = (some: Json[]) => some.reduce((sum: number, one: Json) => sum + one.handedOver, 0);
    for (const some of [ofAi.agents, ofAi.channels, ofAi.buckets])
      assert.equal(sumOf(some), ofAi.total.handedOver);
    const behind = async (figure: string) => {
      const { bucket, timeZone, ...scope } = Object.fromEntries(text);
      const search = new URLSearchParams({ ...scope, figure } as Record<string, string>);
      const { body } = await service.call('GET', `/reports/ai/conversations?${search}`, { token });
      return new Map(body.items.map((one: Json) => [one.sessionId, one.count]));
    };
    const figure = aiFigures[rows.messages.length % aiFigures.length]!;
    assert.deepEqual(await behind(figure), expected.ai.behind(figure), figure);

    const begun = await get('new-conversations');
    assert.equal(begun.total, expected.newTotal);
    for (const one of begun.buckets) {
      const counts = begun.channels.map((channel: Json) =>
        expected.newConversations(one.from, channel.channelId),
      );
      assert.deepEqual(one.counts, counts);
    }
    await checkBoard(rows, query);

    const webhooks = await get('webhooks', service.admin.jwt);
    assert.deepEqual(webhooks.total, expected.webhooks.total);
    for (const one of webhooks.buckets) assert.deepEqual(rest(one), expected.webhooks.of(one.from));
    assert.equal(webhooks.endpoints.length, 2);
    for (const { endpointId, kind, name, url, enabled, ...health } of webhooks.endpoints) {
      assert.deepEqual(health, expected.webhooks.endpoint(endpointId));
    }
  };

  const checkBoard = async (rows: Rows, query: OracleQuery) => {
    // A filter on another board is that board's report; a closed one would be a 404.
    const kanbanId = query.kanbanId ?? places.kanbanIds[0]!;
    if (query.visible && !query.visible.includes(kanbanId)) return;
    const expected = recount(rows, query).board(kanbanId);
    const onBoard = async (name: string) => {
      const { kanbanId: _, ...others } = query;
      const text = new URLSearchParams({
        from: String(others.from),
        to: String(others.to),
        bucket: others.bucket,
        timeZone: others.timeZone,
        kanbanId,
      });
      const answer = await service.call('GET', `/reports/${name}?${text}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const levels = await onBoard('records-by-status');
    const at = (moment: number) => levels.statuses.map((one: Json) => expected.levelAt(moment, one.status));
    assert.deepEqual(levels.atStart, at(query.from));
    for (const one of levels.buckets) assert.deepEqual(one.counts, at(one.to));

    const conversion = await onBoard('status-conversion');
    for (const one of conversion.statuses) {
      const { status } = one;
      const left = expected.moves.filter((move) => move.from === status);
      assert.deepEqual(one, {
        ...one,
        atStart: expected.levelAt(query.from, status),
        created: expected.created(status),
        entered: expected.moves.filter((move) => move.to === status).length,
        left: left.length,
        deleted: expected.deleted(status),
        atEnd: expected.levelAt(query.to, status),
        medianMs: percentile(
          left.map((move) => move.ms),
          0.5,
        ),
      });
    }
    const pairs = Map.groupBy(expected.moves, (move) => `${move.from} ${move.to}`);
    assert.equal(conversion.transitions.length, pairs.size);
    for (const { from, to, count, share, medianMs } of conversion.transitions) {
      const own = pairs.get(`${from} ${to}`)!;
      const times = own.map((move) => move.ms);
      assert.deepEqual({ count, medianMs }, { count: own.length, medianMs: percentile(times, 0.5) });
      assert.equal(share, own.length / expected.moves.filter((move) => move.from === from).length);
    }
  };

  it('are those of a recount from the raw rows, on random histories and odd clocks', async () => {
    await fc.assert(fc.asyncProperty(history, check), {
      seed,
      numRuns: runsOf(40),
    });
  });
});

function questionOf({ moment, ask }: History, rows: Json, places: Places): OracleQuery {
  const times: number[] = rows.messages.map((one: Json) => one.created_at);
  const timeOf = (number: number | null) =>
    number === null || times.length === 0 ? null : times[number % times.length]!;
  const from = timeOf(ask.fromOfMessage) ?? moment + ask.start;
  const to = timeOf(ask.toOfMessage) ?? from + longest[ask.bucket] * day;
  const end = to > from ? to : from + 1;
  const query = {
    from,
    to: Math.min(end, from + longest[ask.bucket] * day),
    bucket: ask.bucket,
    timeZone: ask.timeZone,
    visible: ask.asOperator ? [places.kanbanIds[0]!] : null,
  };
  if (ask.filter === 'kanbanId') return { ...query, kanbanId: places.kanbanIds[1] };
  if (ask.filter === 'channelId') return { ...query, channelId: places.channelIds[1] };
  return ask.filter === 'agentId' ? { ...query, agentId: places.agentIds[1] } : query;
}

/** They are contiguous, and the clock shows another hour, day, week or month in each of them. */
function checkBuckets(buckets: Json[], query: OracleQuery, label: (at: number) => Json): void {
  assert.equal(buckets[0].from, query.from);
  assert.equal(buckets.at(-1).to, query.to);
  for (const [index, { from, to }] of buckets.entries()) {
    const shown = label(from)[query.bucket];
    assert.equal(label(to - 1)[query.bucket], shown);
    const next = buckets[index + 1];
    if (!next) continue;
    assert.equal(next.from, to);
    assert.notEqual(label(to)[query.bucket], shown);
  }
}
