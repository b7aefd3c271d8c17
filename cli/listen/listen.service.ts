/**
 * Events of a service that cannot reach this machine: a disabled webhook holds its events, so that they can be
 * fetched instead of being sent. It exists as long as the command runs.
 */
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { CommandError } from '../command.ts';

const pollMs = 500;
/** A held event may become visible after a later one: its change took longer to commit. */
const overlapMs = 30_000;
const triesWhileAway = 60;

export interface HeldEvent {
  id: string;
  event: string;
  timestamp: number;
  /** Exactly what a delivery would send. */
  text: string;
}

export interface Subscription {
  id: string;
  secret: string;
  /** Calls `take` for each event in order, until the signal aborts. */
  follow(take: (event: HeldEvent) => Promise<void>, signal: AbortSignal): Promise<void>;
  /** Removes the webhook. */
  end(): Promise<void>;
}

interface Held {
  id: string;
  eventId: string;
  createdAt: number;
}

export async function subscribe(
  base: string,
  token: string,
  events: readonly string[],
  say: (text: string) => void,
): Promise<Subscription> {
  const call = createCaller(base, token, say);
  const { id, secret } = await call<{ id: string; secret: string }>('POST', '/webhooks', {
    // Nothing is ever sent there; the name never resolves.
    url: 'https://talkboard-listen.invalid/',
    events,
    enabled: false,
    description: `talkboard listen on ${hostname()}; removed when the command ends`,
  });
  const seen = new Map<string, number>();
  let newest = 0;

  const fetchNew = async (): Promise<Held[]> => {
    const found: Held[] = [];
    for (let token: string | null = ''; token !== null; ) {
      const next: string = token && `&nextToken=${encodeURIComponent(token)}`;
      const page: { items: Held[]; nextToken: string | null } = await call(
        'GET',
        `/webhooks/${id}/deliveries?status=held&limit=100${next}`,
      );
      found.push(...page.items.filter((one) => !seen.has(one.id)));
      const oldest = page.items.at(-1)?.createdAt ?? 0;
      token = oldest < newest - overlapMs ? null : page.nextToken;
    }
    return found.reverse();
  };

  return {
    id,
    secret,
    async follow(take, signal) {
      while (!signal.aborted) {
        for (const { id: deliveryId, eventId, createdAt } of await fetchNew()) {
          if (signal.aborted) return;
          const event = await call<{ event: string; timestamp: number; body: object }>(
            'GET',
            `/events/${eventId}`,
          );
          await take({
            id: eventId,
            event: event.event,
            timestamp: event.timestamp,
            text: JSON.stringify(event.body),
          });
          seen.set(deliveryId, createdAt);
          newest = Math.max(newest, createdAt);
        }
        for (const [one, at] of seen) if (at < newest - 2 * overlapMs) seen.delete(one);
        await delay(pollMs, undefined, { signal }).catch(() => {});
      }
    },
    async end() {
      await call('DELETE', `/webhooks/${id}`);
    },
  };
}

/** Waits if the service asks for it (limits) and while it is unreachable, for about a minute. */
function createCaller(base: string, token: string, say: (text: string) => void) {
  return async <T>(method: string, path: string, body?: object): Promise<T> => {
    for (let tries = 1; ; tries++) {
      const answer = await fetch(base + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      }).catch((error: Error & { cause?: { code?: string } }) => error);
      if (answer instanceof Error) {
        const reason = (answer as { cause?: { code?: string } }).cause?.code ?? answer.message;
        if (path === '/webhooks' || tries >= triesWhileAway)
          throw new CommandError(`${base} does not respond: ${reason}`);
        if (tries === 1) say(`${base} does not respond (${reason}); retrying`);
        await delay(1_000);
        continue;
      }
      if (answer.ok) return (await answer.json()) as T;
      const retryAfter = Number(answer.headers.get('retry-after'));
      if ((answer.status === 429 || answer.status === 503) && tries < triesWhileAway) {
        await answer.arrayBuffer();
        await delay(Math.max(1, retryAfter || 1) * 1_000);
        continue;
      }
      throw new CommandError(`${method} ${path} answered ${answer.status}: ${await messageOf(answer)}`);
    }
  };
}

async function messageOf(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    return String(JSON.parse(text).message);
  } catch {
    return text.slice(0, 200);
  }
}
