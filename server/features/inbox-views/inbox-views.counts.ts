/**
 * How many conversations each view has. Readers ask every few seconds, so counts are kept for a while: those of a shared
 * view once for all readers who see the same boards, unless its filter is about the reader.
 */
import type { InboxView, InboxViewCounts } from '../../../contract/inbox-views.ts';
import { limits } from '../../../contract/limits.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Reader } from '../../platform/db/db.ts';
import { type Actor, personOf } from '../accounts/accounts.ts';
import { countMatching, type SessionFilters } from '../sessions/sessions.ts';
import { listInboxViews } from './inbox-views.ts';

/** From the beginning of the count. */
const keptMs = 4_000;
const countsKept = 10_000;

interface Kept {
  until: number;
  count: Promise<number>;
}

export interface ViewCounts {
  read(actor: Actor, visible: string[] | null): Promise<InboxViewCounts>;
}

export function createViewCounts({
  db,
  clock,
  sessionFilters,
}: {
  db: Reader;
  clock: Pick<Clock, 'now'>;
  sessionFilters: SessionFilters;
}): ViewCounts {
  const kept = new Map<string, Kept>();
  return {
    async read(actor, visible) {
      const { accountId } = actor;
      const views = await listInboxViews(db, actor);
      const now = clock.now();
      for (const [key, { until }] of kept) {
        if (until > now && kept.size <= countsKept) break;
        kept.delete(key);
      }
      const missing = new Map<string, InboxView>();
      const keys = views.map((view) => keyOf(actor, visible, view));
      for (const [index, key] of keys.entries()) {
        if ((kept.get(key)?.until ?? 0) <= now) missing.set(key, views[index]!);
      }
      if (missing.size > 0) {
        const max = limits.inboxViews.counted + 1;
        const counting = Promise.all(
          [...missing.values()].map(({ filter }) => filter && sessionFilters.read(actor, filter).at(now)),
        ).then((filters) => countMatching(db, accountId, visible, filters, max));
        for (const [index, key] of [...missing.keys()].entries()) {
          const count = counting.then((counts) => counts[index]!);
          // In the order of their ends; a count that failed is asked for again.
          kept.delete(key);
          kept.set(key, { until: now + keptMs, count });
          count.catch(() => kept.delete(key));
        }
      }
      const counts = await Promise.all(keys.map((key) => kept.get(key)!.count));
      return {
        items: views.map(({ id }, index) => ({
          id,
          count: Math.min(counts[index]!, limits.inboxViews.counted),
          more: counts[index]! > limits.inboxViews.counted,
        })),
      };
    },
  };
}

function keyOf(actor: Actor, visible: string[] | null, { filter }: InboxView): string {
  const text = JSON.stringify(filter);
  const reader = text.includes('"me"') ? personOf(actor)?.id : null;
  return JSON.stringify([actor.accountId, reader, visible && [...visible].sort(), text]);
}
