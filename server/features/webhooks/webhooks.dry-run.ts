/** What a dry run reports about each event: which webhooks would fire, and what prevents the others. */
import type { Reader } from '../../platform/db/db.ts';
import { filteredBy } from './webhooks.filters.ts';
import { selectEvents } from './webhooks.log.sql.ts';
import { selectWebhooks } from './webhooks.settings.sql.ts';

const allOfThem = 10_000;

interface EventForecast {
  event: string;
  body: unknown;
  webhooks: { id: string; wouldFire: boolean; filteredBy?: string }[];
}

export async function forecastEvents(
  db: Reader,
  accountId: string,
  eventIds: readonly string[],
): Promise<EventForecast[]> {
  const events = await selectEvents(db, accountId, eventIds);
  const webhooks = await selectWebhooks(db, accountId, null, allOfThem);
  return events.map((event) => ({
    event: event.event,
    body: JSON.parse(event.body),
    webhooks: webhooks.map((webhook) => {
      const rule = webhook.enabled ? filteredBy(webhook, event) : 'disabled';
      return { id: webhook.id, wouldFire: rule === null, ...(rule && { filteredBy: rule }) };
    }),
  }));
}
