/** Recounts every report from the raw rows, row by row and without SQL, to compare with the service's figures. */

export interface OracleQuery {
  from: number;
  to: number;
  bucket: 'hour' | 'day' | 'week' | 'month';
  timeZone: string;
  kanbanId?: string;
  channelId?: string;
  agentId?: string;
  visible: string[] | null;
}

interface SessionRow {
  session_id: string;
  kanban_id: string;
  channel_id: string;
  agent_id: string;
  created_at: number;
}
interface MessageRow {
  id: string;
  session_id: string;
  position: number;
  role: string;
  created_at: number;
  is_note: boolean;
  is_echo: boolean;
  held: boolean;
}

export type Rows = Awaited<ReturnType<typeof readRows>>;

export async function readRows(read: <R>(table: string) => Promise<R[]>) {
  return {
    sessions: await read<SessionRow>('sessions'),
    messages: await read<MessageRow>('messages'),
    replies: await read<ReplyRow>('reply_log'),
    ratings: await read<{ session_id: string; score: number; created_at: number }>('session_ratings'),
    pauses: await read<{ session_id: string; at: number; paused: boolean; by_agent: boolean }>('ai_pauses'),
    sessionChanges: await read<SessionChangeRow>('session_changes'),
    records: await read<{ id: string; kanban_id: string; status: string; created_at: number }>('records'),
    changes: await read<ChangeRow>('record_status_changes'),
    deliveries: await read<{
      id: string;
      webhook_id: string;
      status: string;
      created_at: number;
      attempt_at: number | null;
      attempt_ms: number | null;
      attempt_error: string | null;
    }>('webhook_deliveries'),
    attempts: await read<{ delivery_id: string; at: number; duration_ms: number; error: string | null }>(
      'webhook_attempts',
    ),
  };
}

interface ReplyRow {
  id: string;
  session_id: string;
  reply_id: string | null;
  agent_id: string;
  agent_version: number | null;
  provider: string;
  cost: number | null;
  handover_reason: string | null;
  outcome: string;
  reason: string | null;
  created_at: number;
}
interface SessionChangeRow {
  session_id: string;
  sequence: number;
  at: number;
  changed_by: { type: string };
  changes: { field: string; oldValue: unknown; newValue: unknown }[];
}
interface ChangeRow {
  record_id: string;
  kanban_id: string;
  sequence: number;
  at: number;
  from_status: string;
  to_status: string | null;
  record_created_at: number;
}

/** The local time at a moment, to the precision of the bucket; hours also by their offset from UTC. */
function clockLabel(timeZone: string) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  });
  return (at: number) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const date = `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
    const day = new Date(`${date}T00:00:00Z`);
    const weekday = day.getUTCDay() || 7;
    const monday = new Date(day.getTime() - (weekday - 1) * 86_400_000).toISOString().slice(0, 10);
    const hour = Number(parts.get('hour'));
    return {
      weekday,
      clockHour: hour,
      hour: `${date} ${hour} ${parts.get('timeZoneName')}`,
      day: date,
      week: monday,
      month: date.slice(0, 7),
    };
  };
}

/** An existing value such that `share` of all are not above it. */
export function percentile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.length === 0 ? null : sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}

export function recount(rows: Rows, query: OracleQuery) {
  const { from, to, bucket, timeZone } = query;
  const label = clockLabel(timeZone);
  const inPeriod = (at: number) => at >= from && at < to;
  const sessions = rows.sessions.filter(
    (one) =>
      (query.visible === null || query.visible.includes(one.kanban_id)) &&
      (query.kanbanId === undefined || one.kanban_id === query.kanbanId) &&
      (query.channelId === undefined || one.channel_id === query.channelId) &&
      (query.agentId === undefined || one.agent_id === query.agentId),
  );
  const known = new Set(sessions.map((one) => one.session_id));
  const messages = rows.messages
    .filter((one) => known.has(one.session_id) && !one.is_note && !one.held && one.role !== 'system')
    .map((one) => ({ ...one, kind: kindOf(one) }));
  const place = (at: number) => label(at)[bucket];
  /** What falls into each bucket, for the buckets of the response. */
  const group = <T>(items: readonly T[], time: (item: T) => number) => {
    const grouped = Map.groupBy(
      items.filter((item) => inPeriod(time(item))),
      (item) => place(time(item)),
    );
    return (start: number) => grouped.get(place(start)) ?? [];
  };
  const traffic = (some: readonly { kind: string }[]) => {
    const count = (kind: string) => some.filter((one) => one.kind === kind).length;
    return { customer: count('customer'), ai: count('ai'), human: count('human'), echo: count('echo') };
  };
  const responses = (some: readonly SessionRow[]) => {
    const facts = some.map((session) => {
      const own = messages
        .filter((one) => one.session_id === session.session_id)
        .sort((a, b) => a.position - b.position);
      const asked = own.find((one) => one.kind === 'customer');
      const after = own.filter((one) => asked && one.position > asked.position);
      const answer = after.find((one) => one.kind === 'ai' || one.kind === 'human');
      return { asked, kind: answer?.kind, ms: answer && asked ? answer.created_at - asked.created_at : null };
    });
    const begun = facts.filter((one) => one.asked);
    const times = (kinds: string[]) => {
      const values = begun.flatMap((one) => (one.ms !== null && kinds.includes(one.kind!) ? [one.ms] : []));
      return { count: values.length, medianMs: percentile(values, 0.5), p90Ms: percentile(values, 0.9) };
    };
    return {
      conversations: begun.length,
      unanswered: begun.filter((one) => one.ms === null).length,
      all: times(['ai', 'human']),
      ai: times(['ai']),
      human: times(['human']),
    };
  };
  const moves = replayStatuses(rows, sessions);
  const resolutions = (some: typeof moves) => {
    const times = some.flatMap(({ to, ms }) => (to === 'resolved' ? [ms] : []));
    const reopened = some.filter((one) => one.to !== 'resolved');
    return {
      resolved: times.length,
      medianMs: percentile(times, 0.5),
      p90Ms: percentile(times, 0.9),
      reopened: reopened.length,
      reopenedByCustomer: reopened.filter((one) => one.by === 'customer').length,
      reopenRate: times.length === 0 ? null : reopened.length / times.length,
    };
  };
  const troubles = [
    ...rows.pauses.map((one) => ({
      session: one.session_id,
      at: one.at,
      what: one.paused ? (one.by_agent ? 'byAi' : 'byPeople') : 'resumed',
      reason: null as string | null,
    })),
    ...rows.replies.map((one) => ({
      session: one.session_id,
      at: one.created_at,
      what: one.outcome,
      reason: one.reason,
    })),
  ].filter((one) => known.has(one.session));
  const handovers = (some: readonly { what: string }[]) => {
    const count = (what: string) => some.filter((one) => one.what === what).length;
    return {
      byAi: count('byAi'),
      byPeople: count('byPeople'),
      resumed: count('resumed'),
      suppressed: count('suppressed'),
      held: count('held'),
      failed: count('failed'),
    };
  };
  const messagesOf = group(messages, (one) => one.created_at);
  const sessionsOf = group(sessions, (one) => one.created_at);
  const movesOf = group(moves, (one) => one.at);
  const troublesOf = group(troubles, (one) => one.at);
  return {
    inPeriod,
    label,
    traffic: {
      total: traffic(messages.filter((one) => inPeriod(one.created_at))),
      of: (start: number) => traffic(messagesOf(start)),
      cell: (weekday: number, hour: number) =>
        traffic(
          messages.filter((one) => {
            const shown = label(one.created_at);
            return inPeriod(one.created_at) && shown.weekday === weekday && shown.clockHour === hour;
          }),
        ),
    },
    responses: {
      total: responses(sessions.filter((one) => inPeriod(one.created_at))),
      of: (start: number) => responses(sessionsOf(start)),
    },
    resolutions: {
      total: resolutions(moves.filter((one) => inPeriod(one.at))),
      of: (start: number) => resolutions(movesOf(start)),
    },
    handovers: {
      total: handovers(troubles.filter((one) => inPeriod(one.at))),
      of: (start: number) => handovers(troublesOf(start)),
      reasons: new Map(
        [
          ...Map.groupBy(
            troubles.filter((one) => inPeriod(one.at) && one.what === 'suppressed'),
            (one) => one.reason ?? '',
          ),
        ].map(([reason, some]) => [reason, some.length]),
      ),
    },
    newConversations: (start: number, channelId: string) =>
      sessionsOf(start).filter((one) => one.channel_id === channelId).length,
    newTotal: sessions.filter((one) => inPeriod(one.created_at)).length,
    ai: recountAi(rows, query, place),
    board: (kanbanId: string) => recountBoard(rows, kanbanId, from, to),
    webhooks: recountWebhooks(rows, group, inPeriod),
  };
}

/** Each reply, and each resolution after one, with what it counts for. */
function recountAi(rows: Rows, query: OracleQuery, place: (at: number) => string | number) {
  const inPeriod = (one: { at: number }) => one.at >= query.from && one.at < query.to;
  const isOfAgent = (reply: ReplyRow | undefined) =>
    reply !== undefined && (query.agentId === undefined || reply.agent_id === query.agentId);
  const sessions = rows.sessions.filter(
    (one) =>
      (query.visible === null || query.visible.includes(one.kanban_id)) &&
      (query.kanbanId === undefined || one.kanban_id === query.kanbanId) &&
      (query.channelId === undefined || one.channel_id === query.channelId),
  );
  const facts = sessions.flatMap((session) => {
    const { session_id, channel_id } = session;
    const replies = rows.replies.filter(
      (one) => one.session_id === session_id && ['sent', 'held', 'failed'].includes(one.outcome),
    );
    const isReleased = (one: ReplyRow) =>
      one.outcome === 'held' && rows.messages.some(({ id, held }) => id === one.reply_id && !held);
    const lastReply = (since: number, until: number) =>
      replies
        .filter((one) => one.outcome === 'sent' || isReleased(one))
        .filter(({ created_at: at }) => at >= since && at <= until)
        .sort((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))
        .at(-1);
    const of = (reply: ReplyRow, at: number, kinds: (string | false)[]) => ({
      session: session_id,
      channel: channel_id,
      agent: reply.agent_id,
      version: reply.agent_version,
      at,
      kinds: kinds.filter((kind) => kind !== false),
      cost: 0,
      reason: null as string | null,
    });
    const resolved = replayStatuses(rows, [session])
      .filter(({ to }) => to === 'resolved')
      .flatMap(({ at, ms }) => {
        const reply = lastReply(at - ms, at);
        if (!reply || !isOfAgent(reply)) return [];
        const isAlone = !rows.messages.some(
          (one) =>
            one.session_id === session_id &&
            one.role === 'operator' &&
            !one.is_note &&
            one.created_at >= at - ms &&
            one.created_at < at + 72 * 3_600_000,
        );
        return [of(reply, at, ['resolved', isAlone && 'alone'])];
      });
    const rated = rows.ratings
      .filter((one) => one.session_id === session_id)
      .map(({ created_at, score }) => ({ at: created_at, score, reply: lastReply(0, created_at) }))
      .filter(({ reply }) => !reply || isOfAgent(reply))
      .map(({ at, score, reply }) => ({
        ...of(reply ?? rows.replies[0] ?? ({} as ReplyRow), at, [reply ? 'ratedWithAi' : 'ratedWithoutAi']),
        score,
      }));
    return [
      ...rated,
      ...resolved.map((one) => ({ ...one, score: 0 })),
      ...replies.filter(isOfAgent).map((one) => ({
        ...of(one, one.created_at, [
          (one.outcome === 'sent' || isReleased(one)) && 'replies',
          one.handover_reason !== null && 'handedOver',
          one.outcome === 'held' && 'held',
          isReleased(one) && 'released',
          one.outcome === 'failed' && 'failed',
          (one.cost ?? 0) > 0 && 'cost',
          one.cost === null && one.outcome !== 'failed' && one.provider !== 'offline' && 'unpriced',
        ]),
        cost: one.cost ?? 0,
        reason: one.handover_reason,
        score: 0,
      })),
    ];
  });
  const counted = facts.filter(inPeriod);
  const withKind = (some: typeof facts, kind: string) => some.filter((one) => one.kinds.includes(kind));
  const figures = (some: typeof facts) => {
    const kinds = ['replies', 'resolved', 'alone', 'handedOver', 'held', 'released', 'failed', 'unpriced'];
    return {
      ...Object.fromEntries(kinds.map((kind) => [kind, withKind(some, kind).length])),
      cost: some.reduce((sum, one) => sum + one.cost, 0),
    };
  };
  const rating = (kind: string) => {
    const scores = withKind(counted, kind).map((one) => one.score);
    const sum = scores.reduce((all, one) => all + one, 0);
    return { count: scores.length, average: scores.length === 0 ? null : sum / scores.length };
  };
  const ofAi = counted.filter((one) => one.score === 0);
  return {
    total: figures(ofAi),
    of: (start: number) => figures(ofAi.filter((one) => place(one.at) === place(start))),
    agent: (id: string) => figures(ofAi.filter((one) => one.agent === id)),
    version: (id: string, version: number | null) =>
      figures(ofAi.filter((one) => one.agent === id && one.version === version)),
    channel: (id: string) => figures(ofAi.filter((one) => one.channel === id)),
    reason: (reason: string) => ofAi.filter((one) => one.reason === reason).length,
    ratings: { withAi: rating('ratedWithAi'), withoutAi: rating('ratedWithoutAi') },
    /** How often each conversation is in a figure. */
    behind: (kind: string) =>
      new Map(
        [...Map.groupBy(withKind(counted, kind), (one) => one.session)].map(([id, some]) => [
          id,
          some.length,
        ]),
      ),
  };
}

/** Each time that a conversation was resolved, with how long it had been open, and each time that it was reopened. */
function replayStatuses(rows: Rows, sessions: readonly SessionRow[]) {
  return sessions.flatMap(({ session_id, created_at }) => {
    let openSince = created_at;
    return rows.sessionChanges
      .filter((one) => one.session_id === session_id)
      .sort((a, b) => a.sequence - b.sequence)
      .flatMap(({ at, changed_by, changes }) => {
        const status = changes.find(({ field }) => field === 'status');
        if (!status || (status.newValue !== 'resolved' && status.oldValue !== 'resolved')) return [];
        const ms = at - openSince;
        if (status.oldValue === 'resolved') openSince = at;
        return [{ at, to: String(status.newValue), by: changed_by.type, ms }];
      });
  });
}

function kindOf({ role, is_echo }: MessageRow): string {
  if (role === 'user') return is_echo ? 'echo' : 'customer';
  return role === 'assistant' ? 'ai' : 'human';
}

/** The life of every record, replayed. */
function recountBoard(rows: Rows, kanbanId: string, from: number, to: number) {
  const changes = Map.groupBy(
    rows.changes.filter((one) => one.kanban_id === kanbanId),
    (one) => one.record_id,
  );
  const living = rows.records.filter((one) => one.kanban_id === kanbanId);
  const ids = new Set([...changes.keys(), ...living.map((one) => one.id)]);
  const lives = [...ids].map((id) => {
    const own = (changes.get(id) ?? []).sort((a, b) => a.sequence - b.sequence);
    const record = living.find((one) => one.id === id);
    const createdAt = record?.created_at ?? own[0]!.record_created_at;
    const first = own[0]?.from_status ?? record!.status;
    const stays = own.map((one, index) => ({
      at: one.at,
      from: one.from_status,
      to: one.to_status,
      ms: one.at - (own[index - 1]?.at ?? createdAt),
    }));
    return { createdAt, first, stays };
  });
  /** Before the moment itself. */
  const levelAt = (moment: number, status: string) =>
    lives.filter(({ createdAt, first, stays }) => {
      if (createdAt >= moment) return false;
      const last = stays.filter((one) => one.at < moment).at(-1);
      return (last ? last.to : first) === status;
    }).length;
  const moves = lives.flatMap(({ stays }) => stays).filter((one) => one.at >= from && one.at < to);
  return {
    levelAt,
    created: (status: string) =>
      lives.filter((one) => one.first === status && one.createdAt >= from && one.createdAt < to).length,
    deleted: (status: string) => moves.filter((one) => one.from === status && one.to === null).length,
    moves: moves.filter((one) => one.to !== null),
  };
}

function recountWebhooks(
  rows: Rows,
  group: <T>(items: readonly T[], time: (item: T) => number) => (start: number) => T[],
  inPeriod: (at: number) => boolean,
) {
  type Delivery = Rows['deliveries'][number];
  const health = (some: readonly Delivery[]) => {
    const tries = some.map((delivery) => ({
      delivery,
      own: [
        ...rows.attempts.filter((one) => one.delivery_id === delivery.id),
        ...(delivery.attempt_at === null
          ? []
          : [
              {
                at: delivery.attempt_at,
                duration_ms: delivery.attempt_ms!,
                error: delivery.attempt_error,
              },
            ]),
      ].sort((a, b) => a.at - b.at),
    }));
    const durations = tries.flatMap(({ own }) => own.map((one) => one.duration_ms));
    return {
      deliveries: some.length,
      delivered: some.filter((one) => one.status === 'delivered').length,
      firstAttempt: tries.filter(({ own }) => own[0]?.error === null).length,
      retried: tries.filter(({ own }) => own.length > 1).length,
      exhausted: some.filter((one) => one.status === 'exhausted').length,
      open: some.filter((one) => ['pending', 'retrying', 'held'].includes(one.status)).length,
      attempts: durations.length,
      p50Ms: percentile(durations, 0.5),
      p95Ms: percentile(durations, 0.95),
    };
  };
  const counted = rows.deliveries.filter((one) => inPeriod(one.created_at));
  const deliveriesOf = group(rows.deliveries, (one) => one.created_at);
  return {
    total: health(counted),
    of: (start: number) => health(deliveriesOf(start)),
    endpoint: (id: string) => health(counted.filter((one) => one.webhook_id === id)),
  };
}
