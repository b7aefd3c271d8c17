/**
 * Random rule sets over random events, against a small model that was written from docs/automation.md alone: which rules
 * run, in which order, why others do not, and what the conversation is like afterwards.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { generator, type Random } from '../../../test/support/random-filters.ts';
import { isFull, seed } from '../../../test/support/sample.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

const sets = isFull ? 500 : 8;

interface State {
  labels: Set<string>;
  status: string;
}
interface Change {
  on: 'message' | 'change';
  content?: string;
  added: string[];
  removed: string[];
  to: string | null;
}
interface Link {
  rule: Json;
  event: string | null;
}
type Said = [rule: string, outcome: 'ran' | 'missed' | string];

const words: Readonly<Record<string, string>> = {
  customer_message: 'customer message',
  label_added: 'label added',
  label_removed: 'label removed',
  session_status_changed: 'session status changed',
};

/** Returns what each cause's rules came to, and leaves `state` as the rules have. */
function model(rules: readonly Json[], state: State, first: Change): Said[][] {
  const queue: { change: Change; chain: Link[] }[] = [{ change: first, chain: [] }];
  const causes: Said[][] = [];
  for (let cause = queue.shift(); cause; cause = queue.shift()) {
    const { change, chain } = cause;
    const said: Said[] = [];
    for (const rule of rules) {
      if (!isAbout(rule.trigger, change)) continue;
      const path = chain
        .map(({ rule: one, event }) => `${one.name} -> ${event ?? words[rule.trigger.on]} -> `)
        .join('');
      if (chain.some((link) => link.rule === rule)) {
        said.push([rule.name, `would repeat itself: ${path}${rule.name}`]);
        continue;
      }
      if (!holds(rule.conditions, state, change.content)) {
        said.push([rule.name, 'missed']);
        continue;
      }
      said.push([rule.name, 'ran']);
      const own = [
        ...chain.map((link) => ({ ...link, event: link.event ?? words[rule.trigger.on]! })),
        { rule, event: null },
      ];
      take(rule.steps, state, change.content, (made) => queue.push({ change: made, chain: own }));
    }
    if (said.length > 0) causes.push(said);
  }
  return causes;
}

function isAbout(trigger: Json, { on, added, removed, to }: Change): boolean {
  const some = (ids: string[]) => ids.some((id) => !trigger.labelIds || trigger.labelIds.includes(id));
  if (trigger.on === 'customer_message') return on === 'message';
  if (trigger.on === 'label_added') return some(added);
  if (trigger.on === 'label_removed') return some(removed);
  return to !== null && (!trigger.to || trigger.to === to);
}

function holds(condition: Json, { labels, status }: State, content = ''): boolean {
  if (!condition) return true;
  if (condition.and) return condition.and.every((one: Json) => holds(one, { labels, status }, content));
  if (condition.or) return condition.or.some((one: Json) => holds(one, { labels, status }, content));
  if (condition.field === 'session.status') return status === condition.value;
  if (condition.field === 'message.content') return content.includes(condition.value);
  return labels.has(condition.value) === (condition.op === 'contains');
}

/** False: the run has ended. */
function take(
  steps: readonly Json[],
  state: State,
  content: string | undefined,
  made: (change: Change) => void,
): boolean {
  for (const step of steps) {
    if (step.type === 'stop') return false;
    if (step.type === 'if') {
      const branch = holds(step.condition, state, content) ? step.then : step.else;
      if (!take(branch ?? [], state, content, made)) return false;
    }
    if (step.type === 'resolve' && state.status !== 'resolved') {
      state.status = 'resolved';
      made({ on: 'change', added: [], removed: [], to: 'resolved' });
    }
    if (step.type === 'label') {
      const added = (step.addLabelIds ?? []).filter((id: string) => !state.labels.has(id));
      const removed = (step.removeLabelIds ?? []).filter((id: string) => state.labels.has(id));
      for (const id of added) state.labels.add(id);
      for (const id of removed) state.labels.delete(id);
      if (added.length + removed.length > 0) made({ on: 'change', added, removed, to: null });
    }
  }
  return true;
}

describe('random rules and events', () => {
  let service: TestService;
  let conversations: ReturnType<typeof conversationsOf>;
  let labels: string[];

  before(async () => {
    service = await joinTestService({ worker: true });
    conversations = conversationsOf(service);
    const create = async () =>
      (await conversations.expect(201, service.call('POST', '/labels', { body: { name: unique('L') } }))).id;
    labels = await Promise.all([1, 2, 3, 4].map(create));
  });
  after(() => service.close());

  const contents = ['red apples', 'green pears', 'hello'];
  const anyCondition = (random: Random): Json => {
    const { pick, chance } = random;
    const one = () =>
      pick([
        { field: 'session.labelIds', op: pick(['contains', 'notContains']), value: pick(labels) },
        { field: 'session.status', op: 'is', value: pick(['open', 'resolved']) },
        { field: 'message.content', op: 'contains', value: pick(['red', 'green']) },
      ]);
    if (chance(0.6)) return one();
    return chance(0.5) ? { and: [one(), one()] } : { or: [one(), one()] };
  };
  const anySteps = (random: Random, depth = 0): Json[] => {
    const { pick, chance } = random;
    const used = new Set<string>();
    const steps: Json[] = [];
    for (let count = pick([1, 1, 2, 3]); count > 0; count--) {
      const type = pick(['label', 'label', 'label', 'resolve', 'if', 'stop']);
      if (type === 'resolve' && !used.has(type)) steps.push({ type });
      if (type === 'stop' && depth > 0) steps.push({ type });
      if (type === 'if' && depth < 2) {
        const branches = {
          // biome-ignore lint/suspicious/noThenProperty: A step of a rule.
          then: anySteps(random, depth + 1),
          ...(chance(0.5) && { else: anySteps(random, depth + 1) }),
        };
        steps.push({ type, condition: anyCondition(random), ...branches });
      }
      const free = labels.filter((id) => !used.has(id));
      if (type === 'label' && free.length > 0) {
        const id = pick(free);
        used.add(id);
        steps.push(chance(0.7) ? { type, addLabelIds: [id] } : { type, removeLabelIds: [id] });
      }
      used.add(type);
    }
    return steps.length > 0 ? steps : [{ type: 'resolve' }];
  };
  const anyRule = (random: Random): Json => {
    const { pick, chance } = random;
    const on = pick([
      'customer_message',
      'label_added',
      'label_added',
      'label_removed',
      'session_status_changed',
    ]);
    const narrow = on.startsWith('label')
      ? { labelIds: [pick(labels)] }
      : on === 'session_status_changed'
        ? { to: pick(['open', 'resolved']) }
        : {};
    return {
      name: unique('R'),
      enabled: true,
      trigger: { on, ...(chance(0.6) && narrow) },
      ...(chance(0.6) && { conditions: anyCondition(random) }),
      steps: anySteps(random),
    };
  };

  const settled = () =>
    eventually(async () => {
      const open = await service.context.db.query(sql`
        select from automation_causes where account_id = ${service.admin.accountId} and is_open limit 1`);
      return open.length === 0;
    }, 30_000);

  it(`${sets} sets run as the model says`, async () => {
    const random = generator(seed);
    let token = '';
    for (let number = 0; number < sets; number++) {
      // A user may make so many requests a minute.
      if (number % 50 === 0) token = (await service.createUser('admin')).jwt;
      const wanted = Array.from({ length: random.pick([2, 3, 4, 6]) }, () => anyRule(random));
      const sessionId = (await conversations.accepted({ externalUserId: unique('+5511'), content: 'first' }))
        .sessionId;
      await conversations.pause(sessionId);
      await conversations.settled(sessionId);
      const rules: Json[] = [];
      for (const body of wanted) {
        rules.push(await conversations.expect(201, service.call('POST', '/automations', { token, body })));
      }
      const state: State = { labels: new Set(), status: 'open' };
      const expected: Said[][] = [];
      for (let count = random.pick([1, 2, 3]); count > 0; count--) {
        const change = await anyEvent(random, sessionId, state);
        if (!change) continue;
        expected.push(...model(rules, state, change));
        await settled();
      }
      const found = await verdictsOf(sessionId, rules);
      const about = JSON.stringify({ number, rules: wanted }, null, 1);
      assert.deepEqual(found, expected, about);
      const session = await conversations.session(sessionId);
      assert.deepEqual([session.labelIds, session.status], [[...state.labels].sort(), state.status], about);
      for (const { id } of rules)
        await conversations.expect(200, service.call('DELETE', `/automations/${id}`, { token }));
    }
  });

  /** By a person or the customer. Null: it changes nothing. */
  async function anyEvent({ pick }: Random, sessionId: string, state: State): Promise<Change | null> {
    const change = (body: object) =>
      conversations.expect(200, service.call('PATCH', `/sessions/${sessionId}`, { body }));
    const kind = pick(['message', 'message', 'label', 'unlabel', 'status']);
    const none = { added: [], removed: [], to: null };
    if (kind === 'message') {
      // A resolved conversation would be opened by it, which is another event.
      if (state.status !== 'open') return null;
      const content = pick(contents);
      await conversations.accepted({ sessionId, content });
      return { ...none, on: 'message', content };
    }
    if (kind === 'status') {
      const to = state.status === 'open' ? 'resolved' : 'open';
      await change({ status: to });
      state.status = to;
      return { ...none, on: 'change', to };
    }
    const id = pick(labels);
    if (kind === 'label') {
      if (state.labels.has(id)) return null;
      await change({ addLabelIds: [id] });
      state.labels.add(id);
      return { ...none, on: 'change', added: [id] };
    }
    if (!state.labels.has(id)) return null;
    await change({ removeLabelIds: [id] });
    state.labels.delete(id);
    return { ...none, on: 'change', removed: [id] };
  }

  /** Oldest first, by cause. */
  async function verdictsOf(sessionId: string, rules: readonly Json[]): Promise<Said[][]> {
    const { items } = await conversations.expect(
      200,
      service.call('GET', `/sessions/${sessionId}/automation-verdicts?limit=100`),
    );
    const causes: { id: string; said: Said[] }[] = [];
    for (const { cause, ruleId, matched, reason } of items) {
      const name = rules.find(({ id }) => id === ruleId).name;
      const outcome = matched ? 'ran' : reason.startsWith('would') ? reason : 'missed';
      const key = `${cause.type} ${cause.id}`;
      if (causes.at(-1)?.id !== key) causes.push({ id: key, said: [] });
      causes.at(-1)!.said.push([name, outcome]);
    }
    return causes.reverse().map(({ said }) => said);
  }
});
