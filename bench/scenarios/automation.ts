/** What enabled rules cost those who send and create, with the worker in the same process. */
import type { CpuTimes } from '../cpu.ts';
import { comparePairs, type Target } from '../load/pairs.ts';
import type { Measure, Scenario } from '../scenario.ts';
import type { Stage, Twin } from '../stage.ts';

const conversations = 400;
const names = Array.from({ length: conversations }, (_, index) => `bench-${index}`);
const json = { 'content-type': 'application/json' };
const rules = 100;
const listening = 10;

export const automation: Scenario = {
  name: 'automation',
  about: `sends and creates with ${rules} enabled rules beside the same without rules: none listens, or ${listening} listen and miss`,
  onRequest: true,
  async measure(stage) {
    const without = await prepared(stage, 'without_rules', []);
    const measures: Measure[] = [];
    for (const [name, database, count, goal] of [
      ['none listens', 'silent_rules', 0, 0.95],
      [`${listening} listen and miss`, 'missing_rules', listening, 0.9],
    ] as const) {
      const twin = await prepared(stage, database, ruleBodies(count));
      for (const [kind, targetOf] of [
        ['sends', sends],
        ['creates', creates],
      ] as const) {
        const sides = { talkboard: targetOf(twin), floor: targetOf(without) };
        const { ratio, talkboard, floor } = await comparePairs(stage, sides);
        measures.push({ name: `${kind}, ${name}`, value: ratio, goal: { atLeast: goal } });
        measures.push({ name: `${kind} per second, ${name}`, value: talkboard.perSecond, goal: null });
        const times = [talkboard, floor].map(({ cpu }) => cpuText(cpu)).join(', without rules ');
        stage.say(`${kind}, ${name}: µs of processor time ${times}`);
      }
      // The database has connections for three services.
      await twin.service.stop();
    }
    return measures;
  },
};

const cpuText = (cpu: CpuTimes | null) =>
  cpu ? `${Math.round(cpu.side)} + ${Math.round(cpu.database)} in PostgreSQL` : 'unknown';

/** `count` of them listen to messages and to new records, and meet neither. */
function ruleBodies(count: number): object[] {
  const steps = [{ type: 'note', text: 'Never' }];
  return Array.from({ length: rules }, (_, index) => {
    const body = { name: `Rule ${index}`, enabled: true };
    if (index < count) {
      const conditions = { field: 'message.content', op: 'contains', value: 'nobody says this' };
      return { ...body, steps, trigger: { on: 'customer_message' }, conditions };
    }
    if (index < 2 * count) {
      const conditions = { field: 'title', op: 'is', value: 'nobody is called so' };
      return {
        ...body,
        trigger: { on: 'record_created' },
        conditions,
        steps: [{ type: 'comment', text: 'Never' }],
      };
    }
    return { ...body, steps, trigger: { on: 'session_rated', maxScore: 1 } };
  });
}

async function prepared(stage: Stage, name: string, bodies: object[]): Promise<Twin> {
  const twin = await stage.startTwin(name);
  const post = async (path: string, body: object) => {
    const response = await fetch(`${twin.service.url}${path}`, {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${twin.workspace.token}` },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
  };
  for (const body of bodies) await post('/automations', body);
  for (const sessionId of names) await post('/messages', message(sessionId));
  // Replies of the AI would be most of the work.
  await twin.pool.query('update sessions set ai_paused = true');
  await twin.pool.query('delete from pending_replies');
  return twin;
}

const message = (sessionId: string) => ({ content: 'Hello there', fromChannelIdentifier: 'api', sessionId });

const targetOf = ({ service, workspace }: Twin, path: string, bodies: object[]): Target => ({
  side: service,
  headers: { ...json, authorization: `Bearer ${workspace.token}` },
  requests: bodies.map((body) => ({ method: 'POST', path, body: JSON.stringify(body) })),
});

const sends = (twin: Twin) => targetOf(twin, '/messages', names.map(message));

const creates = (twin: Twin) =>
  targetOf(
    twin,
    '/crm/records',
    names.map((title) => ({ title })),
  );
