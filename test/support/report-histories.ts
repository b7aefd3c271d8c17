/** Random histories for the reports, written as rows: years of them, which no test could live through. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type pg from 'pg';

const hour = 3_600_000;
const day = 24 * hour;

/** Time zones with edge cases: changes at midnight, by half an hour, over a whole day, odd offsets. */
const zones = [
  'UTC',
  'America/Sao_Paulo',
  'America/New_York',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Atlantic/Azores',
  'America/Havana',
  'Asia/Beirut',
  'Africa/Casablanca',
  'Pacific/Apia',
] as const;

/** Around clock changes: New York and Havana, Berlin and the Azores, São Paulo, Lord Howe, Samoa's lost day. */
const moments = [
  '2026-03-08T06:00:00Z',
  '2026-11-01T05:00:00Z',
  '2026-03-29T01:00:00Z',
  '2026-10-25T01:00:00Z',
  '2018-11-04T03:00:00Z',
  '2018-02-18T02:00:00Z',
  '2026-04-04T15:00:00Z',
  '2011-12-30T10:00:00Z',
].map((text) => Date.parse(text));

const offset = fc.oneof(
  fc.integer({ min: -3 * day, max: 3 * day }),
  fc.integer({ min: -40 * day, max: 40 * day }),
  fc.integer({ min: -72, max: 72 }).map((hours) => hours * hour),
);
const gap = fc.oneof(
  fc.integer({ min: 0, max: 20 * 60_000 }),
  fc.integer({ min: 0, max: 2 * day }),
  fc.constant(0),
);
const index = (count: number) => fc.integer({ min: 0, max: count - 1 });
const statuses = ['open', 'talking', 'won', 'former'] as const;

const session = fc.record({
  kanban: index(2),
  channel: index(2),
  agent: index(2),
  offset,
  messages: fc.array(
    fc.record({
      gap,
      kind: fc.constantFrom('user', 'user', 'assistant', 'operator', 'system', 'note', 'held', 'echo'),
    }),
    { maxLength: 8 },
  ),
  changes: fc.array(
    fc.record({
      gap,
      to: fc.constantFrom('open', 'snoozed', 'resolved', 'resolved', 'nobody'),
      by: fc.constantFrom('user', 'customer', 'system'),
    }),
    { maxLength: 6 },
  ),
  late: fc.constantFrom('nothing', 'nothing', 'message', 'release', 'drop'),
});
const ofSession = fc.record({ session: fc.nat(), offset });
export const history = fc.record({
  moment: fc.constantFrom(...moments),
  sessions: fc.array(session, { minLength: 1, maxLength: 12 }),
  replies: fc.array(
    fc.record({
      where: ofSession,
      outcome: fc.constantFrom('sent', 'held', 'suppressed', 'suppressed', 'failed', 'merged'),
      reason: fc.constantFrom('AI paused', 'contact blocked', null),
      agent: index(2),
      version: fc.constantFrom(1, 2, null),
      provider: fc.constantFrom('offline', 'anthropic'),
      /** With an exact sum. */
      cost: fc.constantFrom(null, 0.25, 0.5),
      handover: fc.constantFrom(null, null, 'requested', 'no_knowledge'),
    }),
    { maxLength: 20 },
  ),
  ratings: fc.array(fc.record({ where: ofSession, score: fc.integer({ min: 1, max: 5 }) }), { maxLength: 8 }),
  pauses: fc.array(fc.record({ where: ofSession, paused: fc.boolean(), byAgent: fc.boolean() }), {
    maxLength: 12,
  }),
  records: fc.array(
    fc.record({
      offset,
      first: fc.constantFrom(...statuses),
      moves: fc.array(fc.record({ gap, step: fc.integer({ min: 1, max: 3 }) }), { maxLength: 5 }),
      deleted: fc.boolean(),
    }),
    { maxLength: 15 },
  ),
  deliveries: fc.array(
    fc.record({
      offset,
      endpoint: index(2),
      status: fc.constantFrom('pending', 'retrying', 'delivered', 'exhausted', 'held'),
      attempts: fc.array(fc.record({ ms: fc.integer({ min: 0, max: 500 }), failed: fc.boolean() }), {
        maxLength: 3,
      }),
      /** Which attempt is in the row of its delivery: none, the first, or one after those of an older release. */
      inRow: fc.constantFrom(null, 0, 1),
    }),
    { maxLength: 12 },
  ),
  ask: fc.record({
    bucket: fc.constantFrom('hour' as const, 'day' as const, 'week' as const, 'month' as const),
    timeZone: fc.constantFrom(...zones),
    start: offset,
    /** The time of an event: boundaries are the edge cases. */
    fromOfMessage: fc.option(fc.nat()),
    toOfMessage: fc.option(fc.nat()),
    filter: fc.constantFrom('none', 'none', 'kanbanId', 'channelId', 'agentId'),
    asOperator: fc.boolean(),
  }),
});
export type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

export interface Places {
  accountId: string;
  kanbanIds: string[];
  channelIds: string[];
  agentIds: string[];
  webhookIds: string[];
}

const tables = [
  'messages',
  'sessions',
  'records',
  'record_status_changes',
  'events',
  'live_changes',
] as const;

async function insert(client: pg.Client, table: string, rows: object[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.keys(rows[0]!).join(', ');
  await client.query(
    `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
    [JSON.stringify(rows)],
  );
}

/** Removes everything from before. Returns what must happen after the figures have been computed. */
export async function writeHistory(
  client: pg.Client,
  places: Places,
  { moment, ...told }: History,
): Promise<() => Promise<void>> {
  const { accountId: account_id, kanbanIds, channelIds, agentIds, webhookIds } = places;
  for (const table of tables) await client.query(`delete from ${table}`);
  const messages: object[] = [];
  const later: { id: string; late: string; at: number; count: number; held: string | undefined }[] = [];
  const sessions = told.sessions.map((one, number) => {
    const session_id = `s${number}`;
    let at = moment + one.offset;
    const created_at = at;
    let held: string | undefined;
    for (const [position, message] of one.messages.entries()) {
      at += message.gap;
      const row = messageRow(account_id, session_id, position + 1, message.kind, at);
      if (row.held) held = row.id;
      messages.push(row);
    }
    later.push({ id: session_id, late: one.late, at, count: one.messages.length, held });
    return {
      account_id,
      session_id,
      channel_id: channelIds[one.channel],
      contact_key: session_id,
      agent_id: agentIds[one.agent],
      kanban_id: kanbanIds[one.kanban],
      ai_paused: false,
      needs_attention: false,
      unread: 0,
      last_message_at: at,
      created_at,
      updated_at: at,
      message_count: one.messages.length,
      event_sequence: 0,
      search_text: '',
    };
  });
  await insert(client, 'sessions', sessions);
  await insert(client, 'messages', messages);
  await insert(client, 'session_changes', statusChanges(account_id, moment, told.sessions));
  const nameOf = (number: number) => `s${number % sessions.length}`;
  await insert(
    client,
    'reply_log',
    told.replies.map(({ where, outcome, reason, agent, version, provider, cost, handover }) => ({
      account_id,
      id: randomUUID(),
      session_id: nameOf(where.session),
      message_id: randomUUID(),
      reply_id: later[where.session % sessions.length]!.held ?? null,
      agent_id: agentIds[agent],
      agent_version: version,
      provider,
      cost,
      handover_reason: handover,
      outcome,
      reason,
      created_at: moment + where.offset,
    })),
  );
  await insert(
    client,
    'session_ratings',
    told.ratings.map(({ where, score }, number) => ({
      account_id,
      session_id: nameOf(where.session),
      resolved_at: number,
      score,
      comment: '',
      created_at: moment + where.offset,
      updated_at: moment + where.offset,
    })),
  );
  await insert(
    client,
    'ai_pauses',
    told.pauses.map(({ where, paused, byAgent }, sequence) => ({
      account_id,
      session_id: nameOf(where.session),
      sequence,
      at: moment + where.offset,
      paused,
      by_agent: byAgent,
    })),
  );
  await writeRecords(client, account_id, kanbanIds[0]!, moment, told.records);
  await writeDeliveries(client, account_id, webhookIds, moment, told.deliveries);
  return async () => {
    for (const { id, late, at, count, held } of later) {
      if (late === 'message') {
        await insert(client, 'messages', [messageRow(account_id, id, count + 1, 'operator', at + 1)]);
        await client.query('update sessions set message_count = $2 where session_id = $1', [id, count + 1]);
      } else if (late !== 'nothing' && held) {
        await client.query(
          late === 'release'
            ? 'update messages set held = false where id = $1'
            : 'delete from messages where id = $1',
          [held],
        );
        await client.query('update sessions set updated_at = updated_at + 1 where session_id = $1', [id]);
      }
    }
  };
}

/** One after the other; `nobody` changes the owner only. */
function statusChanges(account_id: string, moment: number, sessions: History['sessions']): object[] {
  return sessions.flatMap(({ offset: begun, changes }, number) => {
    let [at, status] = [moment + begun, 'open'];
    return changes.map(({ gap, to, by }, index) => {
      at += gap;
      const isStatus = to !== 'nobody' && to !== status;
      const change = isStatus
        ? { field: 'status', oldValue: status, newValue: to }
        : { field: 'assignedUserId', oldValue: 'resolved', newValue: null };
      if (isStatus) status = to;
      return {
        account_id,
        session_id: `s${number}`,
        sequence: index + 1,
        at,
        changed_by: { type: by, id: null, name: null },
        changes: [change],
      };
    });
  });
}

function messageRow(account_id: string, session_id: string, position: number, kind: string, at: number) {
  const roles: { [kind: string]: string } = { note: 'operator', held: 'assistant', echo: 'user' };
  return {
    account_id,
    session_id,
    position,
    id: randomUUID(),
    role: roles[kind] ?? kind,
    content: '',
    created_at: at,
    updated_at: at,
    is_note: kind === 'note',
    is_note_visible_to_ai: false,
    is_echo: kind === 'echo',
    held: kind === 'held',
    reactions: [],
    attachments: [],
  };
}

async function writeRecords(
  client: pg.Client,
  account_id: string,
  kanban_id: string,
  moment: number,
  told: History['records'],
): Promise<void> {
  const changes: object[] = [];
  const records: object[] = [];
  for (const one of told) {
    const id = randomUUID();
    const created_at = moment + one.offset;
    let [at, status, sequence] = [created_at, one.first as string, 1];
    const leave = (gap: number, to_status: string | null) => {
      const entered_at = at;
      at += gap;
      sequence++;
      const record = { record_id: id, record_created_at: created_at };
      changes.push({
        account_id,
        kanban_id,
        ...record,
        sequence,
        at,
        from_status: status,
        to_status,
        entered_at,
      });
    };
    for (const { gap, step } of one.moves) {
      const next = statuses[(statuses.indexOf(status as 'open') + step) % statuses.length]!;
      leave(gap, next);
      status = next;
    }
    if (one.deleted) leave(1_000, null);
    else {
      records.push({
        account_id,
        id,
        kanban_id,
        title: 'x',
        title_hash: '\\x00',
        status,
        custom_fields: {},
        assigned_user_ids: [],
        created_by: 'x',
        updated_by: 'x',
        created_at,
        updated_at: at,
        event_sequence: sequence,
        lookup_keys: [],
      });
    }
  }
  await insert(client, 'record_status_changes', changes);
  await insert(client, 'records', records);
}

async function writeDeliveries(
  client: pg.Client,
  account_id: string,
  webhookIds: readonly string[],
  moment: number,
  told: History['deliveries'],
): Promise<void> {
  const rows = told.map((one) => ({
    ...one,
    id: randomUUID(),
    event: randomUUID(),
    at: moment + one.offset,
    attempts: one.attempts.map(({ ms, failed }, number) => ({
      at: moment + one.offset + number * 1_000,
      ms,
      error: failed ? 'answered 500' : null,
      inRow: number === one.inRow,
    })),
  }));
  await insert(
    client,
    'events',
    rows.map(({ event, at }) => ({
      account_id,
      id: event,
      event: 'crm_record_created',
      subject_id: 'x',
      sequence: 1,
      created_at: at,
      body: '{}',
    })),
  );
  await insert(
    client,
    'webhook_deliveries',
    rows.map(({ id, event, at, endpoint, status, attempts }) => {
      const own = attempts.find(({ inRow }) => inRow);
      return {
        account_id,
        id,
        event_id: event,
        webhook_id: webhookIds[endpoint],
        status,
        sequence: 1,
        attempts: attempts.length,
        next_attempt_at: '2100-01-01',
        created_at: at,
        attempt_at: own?.at ?? null,
        attempt_ms: own?.ms ?? null,
        attempt_error: own?.error ?? null,
      };
    }),
  );
  await insert(
    client,
    'webhook_attempts',
    rows.flatMap(({ id, attempts }) =>
      attempts
        .filter(({ inRow }) => !inRow)
        .map(({ at, ms, error }) => ({ account_id, delivery_id: id, at, duration_ms: ms, error })),
    ),
  );
}
