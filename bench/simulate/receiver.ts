/** Receives the webhooks of all accounts of a simulation, each at an address of its own, and counts every delivery. */
import { startReceiver } from '../load/receiver.ts';
import type { SimulatedAccount } from './accounts.ts';
import type { Balancer } from './balancer.ts';
import type { Books } from './books.ts';
import type { ReceivedEvents } from './check.ts';

export interface SimulationReceiver {
  /** Null: the account has no webhook. */
  eventsOf(account: SimulatedAccount): ReceivedEvents | null;
  /** Deliveries so far. */
  received(): number;
  /** Adds webhooks to the accounts that shall have some. */
  subscribe(accounts: readonly SimulatedAccount[], balancer: Balancer): Promise<void>;
  close(): Promise<void>;
}

const atOnce = 16;

export async function openReceiver(books: Books): Promise<SimulationReceiver> {
  const events = new Map<string, Map<string, Map<string, number>>>();
  let received = 0;
  const receiver = await startReceiver((event, _at, path) => {
    received++;
    const { id, accountId, data, direction } = event;
    if (path !== `/${accountId}`) books.wrong(`an event of ${accountId} arrived at ${path}`);
    const subject = data.record?.recordId ?? (direction === 'outgoing' ? data.message?.id : undefined);
    const own = events.get(accountId);
    if (!own) books.wrong(`an event of ${accountId}, which has no webhook`);
    if (!own || subject === undefined) return;
    const ids = own.get(subject) ?? new Map<string, number>();
    own.set(subject, ids.set(id, (ids.get(id) ?? 0) + 1));
  });
  return {
    eventsOf: ({ id }) => events.get(id) ?? null,
    received: () => received,
    async subscribe(accounts, balancer) {
      const waiting = accounts.filter(({ hasWebhook }) => hasWebhook);
      const lane = async () => {
        for (let account = waiting.pop(); account; account = waiting.pop()) {
          const { id, apiChannelId } = account;
          const url = `${receiver.url}${id}`;
          events.set(id, new Map());
          const kind = 'set-up';
          const webhook = { url, events: ['crm_record_created'] };
          const made = await balancer.ask({
            kind,
            account,
            method: 'POST',
            path: '/webhooks',
            body: webhook,
          });
          const path = `/channels/${apiChannelId}`;
          const changed = await balancer.ask({
            kind,
            account,
            method: 'PATCH',
            path,
            body: { webhookUrl: url },
          });
          if (!made || !changed) throw new Error(`the webhooks of ${account.tag} could not be set up`);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, lane));
    },
    close: () => receiver.close(),
  };
}
