/** What every notification needs: who may see a board, who wants it how, and the rows and pushes that make it. */
import type { NotificationTopic } from '../../../../contract/notifications.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { enqueue } from '../../../platform/jobs/jobs.ts';
import { type Definitions, loadDefinitions } from '../../kanbans/kanbans.ts';
import { selectVersions } from '../realtime.load.sql.ts';
import {
  type Colleague,
  type NewNotification,
  type Recipient,
  upsertNotifications,
} from '../realtime.notifications.sql.ts';
import { selectSubscriptionIds } from '../realtime.push.sql.ts';
import { pushJobKind } from '../realtime.push.ts';
import { waysFor } from '../realtime.settings.ts';

const accountsKept = 1_000;
const excerptLength = 140;

export type Boards = (tx: Tx, accountId: string) => Promise<Definitions>;

/** Read on the transaction's own connection: waiting for a second one could deadlock with others that do the same. */
export function createBoards(): Boards {
  const kept = new Map<string, Definitions>();
  return async (tx, accountId) => {
    const [current] = await selectVersions(tx, [accountId]);
    const known = kept.get(accountId);
    if (known && known.version === current?.version) return known;
    if (kept.size >= accountsKept) kept.clear();
    const definitions = await loadDefinitions(tx, accountId);
    kept.set(accountId, definitions);
    return definitions;
  };
}

/** Without those who have disabled every channel. */
export function recipients(
  people: readonly Colleague[],
  topicOf: (person: Colleague) => NotificationTopic | null,
  now: number,
): Recipient[] {
  return people.flatMap((person) => {
    const topic = topicOf(person);
    const ways = topic && waysFor(person.settings, topic, now);
    return ways && (ways.page || ways.push) ? [{ userId: person.id, ...ways }] : [];
  });
}

/** One job per browser: a failing push service must not repeat successful ones. */
export async function insertNews(
  tx: Tx,
  accountId: string,
  news: NewNotification,
  now: number,
): Promise<void> {
  for (const { id: notificationId, userId } of await upsertNotifications(tx, accountId, news, now)) {
    if (!news.to.find((one) => one.userId === userId)?.push) continue;
    for (const subscriptionId of await selectSubscriptionIds(tx, accountId, userId)) {
      await enqueue(tx, {
        accountId,
        kind: pushJobKind,
        payload: { notificationId, subscriptionId },
        maxAttempts: 5,
      });
    }
  }
}

export function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  if (line.length <= excerptLength) return line;
  return `${line.slice(0, excerptLength).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
