/** The recipes of docs/automation.md run as they are written, and the dashboard's templates are rules that can be saved. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  templateContent,
  templateNames,
} from '../../dashboard/src/automations/settings/template-contents.ts';
import { parts } from '../../dashboard/src/texts/parts.ts';
import { sql } from '../../server/platform/db/sql.ts';
import { type Conversations, conversationsOf, unique } from '../support/conversations.ts';
import { eventually } from '../support/eventually.ts';
import { root } from '../support/program.ts';
import { type Json, joinTestService, type TestService } from '../support/service.ts';

const guide = readFileSync(join(root, 'docs/automation.md'), 'utf8');
const [, chapter] = /^## Recipes\n([\s\S]*?)^## /m.exec(guide)!;
const recipes = new Map(
  [...chapter!.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, body]) => [JSON.parse(body!).name, body!]),
);
const minute = 60_000;

describe('the recipes for rules', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  let ids: { [name: string]: string };
  let operator: { id: string; jwt: string };
  let board: Json;
  let closed: Json;
  before(async () => {
    service = await joinTestService({ worker: true });
    talk = conversationsOf(service);
    ({ call } = service);
    operator = await service.createUser('operator');
    board = await talk.kanban({
      statuses: ['lead', 'order', 'sent'].map((value) => ({ value, label: value, color: '#112233' })),
      fields: [
        { name: 'Order number', type: 'text' },
        { name: 'Renewal', type: 'date' },
      ],
    });
    const team = await post('/teams', { name: 'Lead', userIds: [operator.id] });
    closed = await post('/business-hours', { name: 'Never', timeZone: 'UTC', week: [] });
    const field = (name: string): string => board.fields.find((one: Json) => one.name === name).id;
    ids = {
      TEAM: team.id,
      USER: operator.id,
      BOARD: board.id,
      HOURS: closed.id,
      LABEL: (await post('/labels', { name: unique('Recipe') })).id,
      DATE_FIELD: field('Renewal'),
      ORDER_FIELD: field('Order number'),
    };
  });
  after(() => service.close());

  const post = (path: string, body: object): Promise<Json> => talk.expect(201, call('POST', path, { body }));
  const start = async (body: object = {}): Promise<string> =>
    (await talk.accepted({ kanbanId: board.id, externalUserId: unique('+55118'), ...body })).sessionId;
  const patch = (path: string, body: object) => talk.expect(200, call('PATCH', path, { body }));
  const texts = async (sessionId: string): Promise<string[]> =>
    (await talk.messages(sessionId)).map(({ content }) => content);
  const cardOf = async (sessionId: string): Promise<Json> => {
    const { recordId } = await talk.session(sessionId);
    return talk.expect(200, call('GET', `/crm/records/${recordId}`));
  };
  const wasNotified = (text: RegExp) =>
    eventually(async () => {
      const { items } = await talk.expect(200, call('GET', '/notifications', { token: operator.jwt }));
      return items.some(({ kind, body }: Json) => kind === 'rule' && text.test(body));
    });
  const runsOf = async ({ id }: Json): Promise<Json[]> =>
    (await talk.expect(200, call('GET', `/automations/${id}/runs`))).items;
  /** Every run of the rule has come so far. */
  const ran = (rule: Json, count: number, state = 'done') =>
    eventually(async () => (await runsOf(rule)).filter((run) => run.state === state).length === count);
  /** Whatever happened so far has been looked at by the rules. */
  const settled = () =>
    eventually(
      async () =>
        (await talk.count(
          sql`automation_causes where account_id = ${service.admin.accountId} and is_open`,
        )) === 0,
    );
  /** What the rule waits for is over now. Returns when it would have been. */
  const comes = async ({ id }: Json): Promise<number> => {
    const { db } = service.context;
    await settled();
    let dueAt = 0;
    await eventually(async () => {
      const [row] = await db.query<{ dueAt: number }>(sql`
        select due_at as "dueAt" from automation_timers where rule_id = ${id} and due_at is not null
        union all select due_at from automation_runs where rule_id = ${id} and state = 'waiting'`);
      dueAt = row?.dueAt ?? 0;
      return dueAt > 0;
    });
    await db.query(sql`update automation_timers set due_at = 1 where rule_id = ${id} and due_at is not null`);
    await db.query(sql`update automation_runs set due_at = 1 where rule_id = ${id} and state = 'waiting'`);
    return dueAt;
  };

  /** The recipe of this name, enabled while `use` runs. */
  const recipe = (name: string, use: (rule: Json) => Promise<void>) =>
    it(name, async () => {
      const body = recipes.get(name);
      assert.ok(body, `docs/automation.md has no recipe "${name}"`);
      recipes.delete(name);
      const filled = body.replace(/\$([A-Z_]+)/g, (_, key: string) => ids[key] ?? assert.fail(`$${key}`));
      const rule = await post('/automations', { ...JSON.parse(filled), enabled: true });
      await use(rule);
      await talk.expect(200, call('DELETE', `/automations/${rule.id}`));
    });

  recipe('Nobody answered for an hour', async (rule) => {
    const sessionId = await start();
    await talk.pause(sessionId);
    await talk.settled(sessionId);
    await talk.accepted({ sessionId, content: 'Hello?' });
    assert.ok(Math.abs((await comes(rule)) - Date.now() - 60 * minute) < minute);
    await ran(rule, 1);
    assert.equal((await talk.session(sessionId)).teamId, ids.TEAM);
    await wasNotified(/has waited for an hour\.$/);
  });

  recipe('Thank for a good rating', async (rule) => {
    const { items } = await talk.expect(200, call('GET', '/channels'));
    const channel = items.find(({ type }: Json) => type === 'web').id;
    await patch(`/channels/${channel}/widget`, { askRating: true });
    const rated = async (score: number): Promise<string> => {
      const { token } = await talk.expect(
        200,
        call('POST', '/widget/sessions', { token: null, body: { channel } }),
      );
      const body = { clientId: unique('recipe'), content: 'Hello' };
      await talk.expect(202, call('POST', '/widget/messages', { token, body }));
      const newest = await talk.expect(200, call('GET', `/sessions?channelId=${channel}&limit=1`));
      const { sessionId } = newest.items[0];
      await patch(`/sessions/${sessionId}`, { status: 'resolved' });
      assert.equal((await call('POST', '/widget/rating', { token, body: { score } })).status, 204);
      return sessionId;
    };
    const [good, bad] = [await rated(5), await rated(2)];
    await ran(rule, 2);
    const isThanks = (text: string) => text.startsWith('Thank you for the rating, ');
    assert.deepEqual(
      [(await texts(good)).filter(isThanks).length, (await texts(bad)).filter(isThanks).length],
      [1, 0],
    );
    await wasNotified(/was not satisfied\.$/);
  });

  recipe('Follow up after three days', async (rule) => {
    const sessionId = await start();
    const [reply] = await talk.replied(sessionId);
    assert.equal(await comes(rule), reply!.timestamp + 3 * 1_440 * minute);
    await ran(rule, 1, 'waiting');
    assert.match((await texts(sessionId)).at(-1)!, /did this answer your question\?$/);
    await comes(rule);
    await ran(rule, 1);
    assert.equal((await talk.session(sessionId)).status, 'resolved');
  });

  recipe('An order moves the card', async (rule) => {
    const sessionId = await start();
    assert.equal((await cardOf(sessionId)).status, 'lead');
    await patch(`/sessions/${sessionId}`, { addLabelIds: [ids.LABEL] });
    await ran(rule, 1);
    assert.equal((await cardOf(sessionId)).status, 'order');
  });

  recipe('We are closed', async (rule) => {
    const sessionId = await start();
    await ran(rule, 1);
    await talk.accepted({ sessionId, content: 'Anybody there?' });
    await settled();
    const week = [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, from: '00:00', to: '24:00' }));
    await patch(`/business-hours/${closed.id}`, { week });
    const open = await start();
    const reasons = () => talk.expect(200, call('GET', `/automations/${rule.id}/verdicts?matched=false`));
    await eventually(async () => (await reasons()).items.length === 2);
    assert.deepEqual(
      (await reasons()).items.map(({ sessionId: about, reason }: Json) => [about, reason]),
      [
        [open, 'opening hours were open'],
        [sessionId, 'cooldown: it ran less than 720 minutes ago'],
      ],
    );
    const greetings = (await texts(sessionId)).filter((text) => text.includes('we are closed now'));
    assert.equal(greetings.length, 1);
  });

  recipe('Prepare the renewal', async (rule) => {
    const customFields = { [ids.DATE_FIELD!]: '2090-05-03' };
    const card = await post(`/crm/records?kanbanId=${board.id}`, { title: 'Ana’s licence', customFields });
    assert.equal(await comes(rule), Date.parse('2090-05-01T09:00-03:00'));
    await ran(rule, 1);
    const { items } = await talk.expect(200, call('GET', `/crm/records/${card.recordId}/tasks`));
    assert.deepEqual(
      items.map(({ title }: Json) => title),
      ['Prepare the renewal of Ana’s licence'],
    );
  });

  recipe('Order sent', async (rule) => {
    const sessionId = await start();
    const { recordId } = await cardOf(sessionId);
    const body = { customFields: { [ids.ORDER_FIELD!]: 'A-17' } };
    await talk.expect(200, call('PUT', `/crm/records/${recordId}`, { body }));
    const order = { number: 'A-17', tracking: 'https://post.example/17' };
    const hook = `/automations/hooks/${rule.hookToken}`;
    await talk.expect(202, call('POST', hook, { token: null, body: { order } }));
    await ran(rule, 1);
    assert.equal((await cardOf(sessionId)).status, 'sent');
    const sent = 'Your order A-17 is on its way: https://post.example/17';
    assert.ok((await texts(sessionId)).includes(sent));
  });

  recipe('About invoices', async (rule) => {
    const [about, other] = [await start({ content: 'Where are my Invoices?' }), await start()];
    await ran(rule, 1);
    await talk.settled(other);
    const labels = async (id: string) => (await talk.session(id)).labelIds;
    assert.deepEqual([await labels(about), await labels(other)], [[ids.LABEL], []]);
  });

  recipe('VIPs to Ana', async (rule) => {
    const [sessionId, other] = [
      await start({ externalUserId: '+12025550147' }),
      await start({ externalUserId: 'lena@harbour-hotel.example' }),
    ];
    await ran(rule, 2);
    await talk.settled(sessionId);
    const { aiPaused, assignedUserId } = await talk.session(sessionId);
    assert.deepEqual([aiPaused, assignedUserId], [true, operator.id]);
    assert.equal((await talk.session(other)).assignedUserId, operator.id);
    assert.deepEqual(await talk.replies(sessionId), []);
    await wasNotified(/has written\.$/);
  });

  recipe('A target is close', async (rule) => {
    const sessionId = await start();
    // It began 50 minutes ago.
    await service.context.db.query(sql`
      update sessions set created_at = created_at - ${50 * minute} where session_id = ${sessionId}`);
    const terms = { name: 'An hour', resolutionMinutes: 60, warnBeforeMinutes: 15 };
    const filter = { field: 'session.createdAt', op: 'before', value: Date.now() - 40 * minute };
    const policy = await post('/sla-policies', { ...terms, filter });
    await ran(rule, 1);
    assert.equal((await talk.session(sessionId)).teamId, ids.TEAM);
    assert.ok((await texts(sessionId)).includes('A service level is about to be missed.'));
    await wasNotified(/has to be answered now\.$/);
    await talk.expect(200, call('DELETE', `/sla-policies/${policy.id}`));
  });

  it('are all of the page', () => assert.deepEqual([...recipes.keys()], []));

  it('the dashboard’s templates can be saved and enabled, in every language', async () => {
    const items = async (path: string) => (await talk.expect(200, call('GET', path))).items;
    const [boards, teams, hours] = await Promise.all(['/kanbans', '/teams', '/business-hours'].map(items));
    const workspaces = [
      { boards, teams, hours },
      { boards: [{ ...board, isDefault: true }], teams, hours },
    ];
    for (const language of ['en', 'pt', 'es'] as const) {
      const part: { [exported: string]: { [key: string]: string } } = await parts.automation[language]();
      const all = Object.assign({}, ...Object.values(part));
      const said = (key: string) =>
        all[`automation.template.${key}`]
          .replace('{name}', '{{first name}}')
          .replace('{customer}', '{{customer}}');
      const says = {
        closed: said('closed.text'),
        follow: said('follow.text'),
        urgent: said('urgent.words'),
        due: said('due.text'),
        welcome: said('welcome.text'),
      };
      for (const workspace of workspaces) {
        for (const name of templateNames) {
          const whose = { ...workspace, userId: operator.id, timeZone: 'America/Sao_Paulo' };
          const body = { name: said(name), ...templateContent(name, whose, says), enabled: true };
          const { id } = await post('/automations', body);
          assert.equal((await call('DELETE', `/automations/${id}`)).status, 200);
        }
      }
    }
  });
});
