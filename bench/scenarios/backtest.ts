import { setTimeout as delay } from 'node:timers/promises';
import { fillMessages } from '../corpus/fill-messages.ts';
import { Random } from '../corpus/random.ts';
import { openClient } from '../load/client.ts';
import type { Measure, Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

const messages = 100_000;
const days = 30;
const atMostMs = 10_000;
const lookEveryMs = 50;
const steps = [{ id: 'stop', type: 'stop' }];

/** Each looks at every conversation of the month; the first compares everything that has a history. */
const rules: { [name: string]: object } = {
  'a message, with conditions on everything': {
    trigger: { on: 'customer_message' },
    conditions: {
      and: [
        { field: 'session.status', op: 'isNot', value: 'snoozed' },
        { field: 'session.language', op: 'isNot', value: 'es' },
        { field: 'session.lastMessageAt', op: 'inLast', value: 7 },
        { field: 'session.rating', op: 'isNot', value: 1 },
        { field: 'contact.sessionCount', op: 'isNot', value: 7 },
        { field: 'message.content', op: 'matches', value: '(?i)order|invoice|e' },
      ],
    },
  },
  'a message, without conditions': { trigger: { on: 'customer_message' } },
  'a change of the status': {
    trigger: { on: 'session_status_changed', to: 'resolved' },
    conditions: { field: 'session.assignedUserId', op: 'empty' },
  },
  'no answer for a day': { trigger: { on: 'no_team_reply', minutes: 1_440 } },
};

/** A month with 100,000 messages and a change of each conversation. */
export const backtest: Scenario = {
  name: 'backtest',
  about: `backtests of rules over ${days} days with ${messages} messages`,
  onRequest: true,
  fillsItself: true,
  async measure(stage) {
    stage.say(`filling ${messages} messages`);
    await fill(stage);
    const client = openClient(stage.service.url, stage.workspace.token);
    const measures: Measure[] = [];
    try {
      for (const [name, rule] of Object.entries(rules)) {
        const began = performance.now();
        const body = { rule: { name, steps, ...rule }, days };
        const { id } = (await client.call('POST', '/automations/backtest', body)).body;
        let found = { state: 'running', perDay: [] as { checked: number; matched: number }[] };
        while (found.state === 'running') {
          await delay(lookEveryMs);
          found = (await client.call('GET', `/automation-backtests/${id}?limit=1`)).body;
        }
        if (found.state !== 'done') throw new Error(`the backtest of ${name} has failed`);
        const value = performance.now() - began;
        const sum = (of: 'checked' | 'matched') => found.perDay.reduce((all, day) => all + day[of], 0);
        stage.say(`  ${name}: ${sum('checked')} checked, ${sum('matched')} matched, ${Math.round(value)} ms`);
        measures.push({ name: `${name}: ms`, value, goal: { atMost: atMostMs } });
      }
    } finally {
      await client.close();
    }
    return measures;
  },
};

async function fill({ pool, workspace, options }: Stage): Promise<void> {
  const { accountId } = workspace;
  await fillMessages(pool, accountId, messages, new Random(options.seed));
  for (const table of ['sessions', 'session_changes']) {
    await pool.query(`alter table ${table} disable trigger user`);
  }
  await pool.query(
    `insert into session_changes (account_id, session_id, sequence, at, changed_by, changes)
    select s.account_id, s.session_id, 1, m.created_at + 1, '{"type":"system","id":null,"name":null}',
      '[{"field":"status","oldValue":"open","newValue":"resolved"}]'
    from sessions s join messages m on m.account_id = s.account_id and m.session_id = s.session_id and m.position = 10
    where s.account_id = $1`,
    [accountId],
  );
  await pool.query(
    `update sessions s set status = 'resolved', (last_message_at, updated_at) = (
      select max(m.created_at), max(m.created_at) from messages m
      where m.account_id = s.account_id and m.session_id = s.session_id)
    where account_id = $1`,
    [accountId],
  );
  for (const table of ['sessions', 'session_changes']) {
    await pool.query(`alter table ${table} enable trigger user`);
  }
  await pool.query('vacuum analyze sessions, messages, session_changes');
}
