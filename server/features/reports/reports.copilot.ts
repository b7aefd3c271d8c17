/** Whether what the copilot writes is used. */
import type { CopilotReport } from '../../../contract/reports.ts';
import type { Db } from '../../platform/db/db.ts';
import type { ConversationFilter } from './reports.conversations.sql.ts';
import { type CopilotFigures, countSuggestions } from './reports.copilot.sql.ts';
import { eachBucket, type Period, toReportPeriod } from './reports.period.ts';

export async function reportCopilot(
  db: Db,
  accountId: string,
  filter: ConversationFilter,
  period: Period,
): Promise<CopilotReport> {
  const rows = await countSuggestions(db, accountId, filter, period);
  const byBucket = new Map(rows.filter(({ part }) => part === 'bucket').map((row) => [row.bucket, row]));
  return {
    period: toReportPeriod(period),
    total: figuresOf(rows.find(({ part }) => part === 'total')),
    users: rows
      .filter(({ part }) => part === 'user')
      .map((row) => ({ userId: row.userId, name: row.name, ...figuresOf(row) }))
      .sort((a, b) => b.suggested - a.suggested),
    buckets: eachBucket(period, (bucket) => figuresOf(byBucket.get(bucket))),
  };
}

function figuresOf(row: CopilotFigures | undefined): CopilotFigures {
  const { suggested = 0, accepted = 0, edited = 0, discarded = 0 } = row ?? {};
  return { suggested, accepted, edited, discarded };
}
