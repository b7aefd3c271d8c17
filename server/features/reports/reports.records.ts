/** What happened to the records of a board, or of all boards. */
import {
  allKanbans,
  type BoardReportQuery,
  type RecordsByStatusReport,
  type ReportStatus,
  type StatusConversionReport,
} from '../../../contract/reports.ts';
import type { Db } from '../../platform/db/db.ts';
import { notFound } from '../../platform/http/errors.ts';
import type { Actor } from '../accounts/accounts.ts';
import { type Definitions, type KanbanDefinition, maySee, requireKanban } from '../kanbans/kanbans.ts';
import { eachBucket, type Period, toReportPeriod } from './reports.period.ts';
import { readInOneMoment } from './reports.query.sql.ts';
import { type LevelRow, selectLevels, selectTransitions } from './reports.records.sql.ts';

/** The boards of a report. */
export interface ReportedKanbans {
  /** null: all that the caller may see. */
  kanbanId: string | null;
  /** In the order in which their statuses are listed; at least one. */
  kanbans: readonly KanbanDefinition[];
}

/** Without a kanbanId: the default board, or the first one that the caller may see. */
export function chooseKanbans(
  definitions: Definitions,
  actor: Actor,
  { kanbanId }: Pick<BoardReportQuery, 'kanbanId'>,
): ReportedKanbans {
  const { defaultKanban } = definitions;
  const others = [...definitions.kanbans.values()].filter(({ id }) => id !== defaultKanban.id);
  const visible = [defaultKanban, ...others].filter((kanban) => maySee(actor, kanban));
  const [first] = visible;
  if (kanbanId === allKanbans && first) return { kanbanId: null, kanbans: visible };
  if (kanbanId === undefined && first) return { kanbanId: first.id, kanbans: [first] };
  if (kanbanId === undefined || kanbanId === allKanbans) throw notFound('kanban');
  const chosen = requireKanban(definitions, actor, kanbanId);
  return { kanbanId: chosen.id, kanbans: [chosen] };
}

export async function reportRecordsByStatus(
  db: Db,
  accountId: string,
  { kanbanId, kanbans }: ReportedKanbans,
  period: Period,
): Promise<RecordsByStatusReport> {
  const rows = await readInOneMoment(db, (read) =>
    selectLevels(read, accountId, idsOf(kanbans), period.starts, period.to),
  );
  const statuses = statusesOf(
    kanbans,
    rows.map((row) => row.status),
  );
  const levels = new Map(statuses.map(({ status }) => [status, 0]));
  const rowsOf = Map.groupBy(rows, (row) => row.bucket);
  const after = (bucket: number) => {
    for (const row of rowsOf.get(bucket) ?? []) {
      levels.set(row.status, levels.get(row.status)! + row.created + row.moved);
    }
    return statuses.map(({ status }) => levels.get(status)!);
  };
  const atStart = after(0);
  const buckets = eachBucket(period, (bucket) => ({ counts: after(bucket) }));
  return { period: toReportPeriod(period), kanbanId, statuses, atStart, buckets };
}

export async function reportStatusConversion(
  db: Db,
  accountId: string,
  { kanbanId, kanbans }: ReportedKanbans,
  period: Period,
): Promise<StatusConversionReport> {
  const { from, to } = period;
  // A record that moves between two reads would be missing in one status and counted twice in another.
  const { levels, changes } = await readInOneMoment(db, async (read) => ({
    levels: await selectLevels(read, accountId, idsOf(kanbans), [from], to),
    changes: await selectTransitions(read, accountId, idsOf(kanbans), from, to),
  }));
  const seen = [
    ...levels.map((row) => row.status),
    ...changes.flatMap((row) => [row.from, row.to ?? []]).flat(),
  ];
  const sumOf = (status: string, bucket: number, figure: (row: LevelRow) => number) =>
    levels
      .filter((row) => row.status === status && row.bucket === bucket)
      .reduce((sum, row) => sum + figure(row), 0);
  const moves = changes.flatMap((row) => (row.isAll || row.to === null ? [] : [{ ...row, to: row.to }]));
  const countOf = (rows: readonly { count: number }[]) => rows.reduce((sum, row) => sum + row.count, 0);
  const statuses = statusesOf(kanbans, seen).map((status) => {
    const atStart = sumOf(status.status, 0, (row) => row.created + row.moved);
    const created = sumOf(status.status, 1, (row) => row.created);
    const entered = countOf(moves.filter((row) => row.to === status.status));
    const left = countOf(moves.filter((row) => row.from === status.status));
    const deleted = countOf(
      changes.filter((row) => !row.isAll && row.to === null && row.from === status.status),
    );
    const all = changes.find((row) => row.isAll && row.from === status.status);
    const atEnd = atStart + created + entered - left - deleted;
    return { ...status, atStart, created, entered, left, deleted, atEnd, medianMs: all?.medianMs ?? null };
  });
  const leftOf = new Map(statuses.map(({ status, left }) => [status, left]));
  const order = new Map(statuses.map(({ status }, index) => [status, index]));
  const transitions = moves
    .map(({ from, to, count, medianMs }) => ({ from, to, count, share: count / leftOf.get(from)!, medianMs }))
    .sort(
      (a, b) =>
        b.count - a.count || order.get(a.from)! - order.get(b.from)! || order.get(a.to)! - order.get(b.to)!,
    );
  return { period: toReportPeriod(period), kanbanId, statuses, transitions };
}

const idsOf = (kanbans: readonly KanbanDefinition[]) => kanbans.map(({ id }) => id);

/**
 * Those of the boards in their order, then removed ones. Boards share a status by its value; the first gives the
 * label.
 */
function statusesOf(kanbans: readonly KanbanDefinition[], seen: readonly string[]): ReportStatus[] {
  const present = new Map<string, ReportStatus>();
  for (const { value, label, color } of kanbans.flatMap(({ statuses }) => statuses)) {
    if (!present.has(value)) present.set(value, { status: value, label, color, present: true });
  }
  const gone = [...new Set(seen)].filter((status) => !present.has(status)).sort();
  return [
    ...present.values(),
    ...gone.map((status) => ({ status, label: status, color: null, present: false })),
  ];
}
