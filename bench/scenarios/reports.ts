import { rollUpConversations } from '../../server/features/reports/reports.jobs.ts';
import { createDb } from '../../server/platform/db/db.ts';
import { openClient, percentile } from '../load/client.ts';
import type { Measure, Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

const conversations = 50_000;
const messagesEach = 20;
/** One for each conversation, moved twice. */
const records = conversations;
const deliveries = 100_000;
const dayMs = 86_400_000;
const requests = 20;
const atMostMs = 300;

const reports = [
  'records-by-status',
  'status-conversion',
  'new-conversations',
  'first-response',
  'resolutions',
  'answers',
  'handovers',
  'ai',
  'messages-per-hour',
  'webhooks',
];

/** A year of a busy account: a million messages, each report over 30 days and over the whole year. */
export const reportsScenario: Scenario = {
  name: 'reports',
  about: `every report over 30 days and over a year, on ${conversations * messagesEach} messages`,
  onRequest: true,
  fillsItself: true,
  async measure(stage) {
    const now = Date.now();
    stage.say(`filling ${conversations * messagesEach} messages`);
    await fill(stage, now);
    const client = openClient(stage.service.url, stage.workspace.token);
    const db = createDb({ connection: stage.connection });
    const measures: Measure[] = [];
    const ask = (name: string, days: number) => {
      // Not at a quarter of an hour: the conversations around both ends are read message by message.
      const query = `from=${now - days * dayMs + 12_345}&to=${now}&timeZone=America/Sao_Paulo`;
      return client.call('GET', `/reports/${name}?${query}`);
    };
    try {
      const { ms: unprepared } = await ask('answers', 365);
      const [roundMs, nextMs] = [
        await timed(() => rollUpConversations(db, now)),
        await timed(() => rollUpConversations(db, now)),
      ];
      await stage.pool.query('vacuum analyze conversation_figures');
      for (const days of [30, 365]) {
        for (const name of reports) {
          const times: number[] = [];
          await ask(name, days);
          for (let i = 0; i < requests; i++) times.push((await ask(name, days)).ms);
          const value = percentile(times, 0.95);
          measures.push({ name: `${name}, ${days} days: p95 ms`, value, goal: { atMost: atMostMs } });
        }
      }
      measures.push(
        { name: 'answers, 365 days, before anything is worked out: ms', value: unprepared, goal: null },
        { name: 'working out all conversations: ms', value: roundMs, goal: null },
        { name: 'a round with nothing to do: ms', value: nextMs, goal: null },
      );
    } finally {
      await client.close();
      await db.close();
    }
    return measures;
  },
};

async function timed(run: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await run();
  return performance.now() - began;
}

/** By plain inserts, without the triggers for live changes. A conversation has bursts of five, hours apart. */
async function fill({ pool, workspace }: Stage, now: number): Promise<void> {
  const { accountId } = workspace;
  const { rows } = await pool.query(
    `select c.id as channel, c.default_agent_id as agent, k.id as kanban from channels c, kanbans k
    where c.account_id = $1 and k.account_id = $1 and k.is_default limit 1`,
    [accountId],
  );
  const { channel, agent, kanban } = rows[0] as { [name: string]: string };
  const began = now - 365 * dayMs;
  const client = await pool.connect();
  try {
    for (const table of ['messages', 'sessions', 'records']) {
      await client.query(`alter table ${table} disable trigger user`);
    }
    await client.query(
      `insert into sessions (account_id, session_id, channel_id, contact_key, agent_id, kanban_id, last_message_at,
        created_at, updated_at, message_count, event_sequence, search_text)
      select $1, 'report-' || n, $2, 'report-' || n, $3, $4, at, at, at, $5, 0, 'report-' || n
      from generate_series(1, $6::int) n, lateral (select $7::bigint + n * $8::bigint as at) t`,
      [
        accountId,
        channel,
        agent,
        kanban,
        messagesEach,
        conversations,
        began,
        Math.floor((360 * dayMs) / conversations),
      ],
    );
    await client.query(
      `insert into messages (account_id, session_id, position, id, role, content, created_at, updated_at)
      select $1, 'report-' || n, p, gen_random_uuid(), (array['operator', 'user', 'assistant', 'user'])[1 + p % 4],
        repeat('What people write. ', 1 + (n * 7 + p * 3) % 12), at, at
      from (
        select n, p, $2::bigint + n * $3::bigint + (p / 5) * (3600000 + n % 7 * 5000000::bigint)
          + (p % 5) * (20000 + n % 11 * 9000) as at
        from generate_series(1, $4::int) n, generate_series(1, $5::int) p) m
      order by at`,
      [accountId, began, Math.floor((360 * dayMs) / conversations), conversations, messagesEach],
    );
    await client.query(
      `insert into reply_log (account_id, id, session_id, message_id, outcome, reason, created_at, agent_id,
        agent_version, provider, cost, handover_reason, retrieved)
      select $1, gen_random_uuid(), 'report-' || 1 + n / 6 % $2::int, gen_random_uuid(),
        case when n % 20 = 0 then 'failed' when n % 10 = 0 then 'suppressed' else 'sent' end, 'AI paused',
        $3::bigint + n * ($4::bigint / 300000), $5, 1 + n / 20000, 'anthropic', 0.001 * (n % 9),
        case when n % 15 = 0 then 'requested' end, jsonb_build_array(jsonb_build_object('excerpt', repeat('What it says. ', 40)))
      from generate_series(1, 300000) n`,
      [accountId, conversations, began, 365 * dayMs, agent],
    );
    await client.query(
      `insert into session_changes (account_id, session_id, sequence, at, changed_by, changes)
      select account_id, session_id, 1, created_at + 2 * 86400000, '{"type": "user"}',
        '[{"field": "status", "oldValue": "open", "newValue": "resolved"}]'
      from sessions where account_id = $1 and session_id like 'report-%'`,
      [accountId],
    );
    await client.query(
      `insert into session_ratings (account_id, session_id, resolved_at, score, created_at, updated_at)
      select account_id, session_id, at, 1 + abs(hashtext(session_id)) % 5, at, at
      from session_changes where account_id = $1 and abs(hashtext(session_id)) % 5 = 0`,
      [accountId],
    );
    await client.query(
      `insert into ai_pauses (account_id, session_id, sequence, at, paused, by_agent)
      select $1, 'report-' || n, p, $2::bigint + n * ($3::bigint / 20000) + p, p = 1, n % 2 = 0
      from generate_series(1, 20000) n, generate_series(1, 2) p`,
      [accountId, began, 365 * dayMs],
    );
    await fillRecords(client, accountId, kanban!, began);
    await fillDeliveries(client, accountId, now);
    for (const table of ['messages', 'sessions', 'records']) {
      await client.query(`alter table ${table} enable trigger user`);
    }
  } finally {
    client.release();
  }
  await pool.query('vacuum analyze');
}

type Inserter = { query(text: string, values: unknown[]): Promise<unknown> };

async function fillRecords(
  client: Inserter,
  accountId: string,
  kanbanId: string,
  began: number,
): Promise<void> {
  await client.query(
    `insert into records (account_id, id, kanban_id, title, title_hash, status, custom_fields, assigned_user_ids,
      created_by, updated_by, created_at, updated_at, event_sequence, lookup_keys)
    select $1, gen_random_uuid(), $2, 'Record ' || n, '', 'status-2', '{}', '{}', 'bench', 'bench', at, at, 3, '{}'
    from generate_series(1, $3::int) n, lateral (select $4::bigint + n * ($5::bigint / $3::int) as at) t`,
    [accountId, kanbanId, records, began, 360 * dayMs],
  );
  await client.query(
    `insert into record_status_changes (account_id, kanban_id, record_id, sequence, at, from_status, to_status,
      entered_at, record_created_at)
    select account_id, kanban_id, id, 1 + p, created_at + p * 3600000, 'status-' || p - 1, 'status-' || p,
      created_at + (p - 1) * 3600000, created_at
    from records, generate_series(1, 2) p where account_id = $1 and created_by = 'bench' and kanban_id = $2`,
    [accountId, kanbanId],
  );
}

/** Of the last 30 days, as long as they are kept; one in ten is tried twice. */
async function fillDeliveries(client: Inserter, accountId: string, now: number): Promise<void> {
  await client.query(
    `insert into webhooks (account_id, id, kind, url, events, enabled, secret, healthy_at, created_at, updated_at)
    select $1, gen_random_uuid(), 'webhook', 'https://example.com/' || n, '{}', false, '', $2, $2, $2
    from generate_series(1, 4) n`,
    [accountId, now],
  );
  await client.query(
    `insert into events (account_id, id, event, subject_id, sequence, created_at, body)
    select $1, gen_random_uuid(), 'report', n::text, 1, $2::bigint - n * ($3::bigint / $4::int), '{}'
    from generate_series(1, $4::int) n`,
    [accountId, now, 30 * dayMs, deliveries],
  );
  await client.query(
    `insert into webhook_deliveries (account_id, id, event_id, webhook_id, status, sequence, attempts, created_at,
      attempt_at, attempt_ms, attempt_status, attempt_error)
    select e.account_id, gen_random_uuid(), e.id, w.ids[1 + e.subject_id::int % 4], 'delivered', 1, t.tries, e.created_at,
      e.created_at + 1, (random() * 300)::int, case t.tries when 1 then 200 else 500 end,
      case t.tries when 1 then null else 'answered 500' end
    from events e, lateral (select 1 + (abs(hashtext(e.id::text)) % 10 = 0)::int as tries) t, (select array_agg(id) as ids from webhooks where account_id = $1 and url like 'https://example.com/%') w
    where e.account_id = $1 and e.event = 'report'`,
    [accountId],
  );
  await client.query(
    `insert into webhook_attempts (account_id, delivery_id, at, duration_ms, status_code)
    select account_id, id, created_at + 2, (random() * 300)::int, 200
    from webhook_deliveries where account_id = $1 and attempts = 2`,
    [accountId],
  );
}
