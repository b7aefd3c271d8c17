/** Web push: the service's keys, the subscribed browsers, and what is sent to them. */
import type { Notification, PushMessage, PushSubscribe } from '../../../contract/realtime.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db, Tx } from '../../platform/db/db.ts';
import { badRequest } from '../../platform/http/errors.ts';
import type { Metrics } from '../../platform/http/metrics.ts';
import { jobKind } from '../../platform/jobs/job-kinds.ts';
import { enqueue, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/logger.ts';
import { type OutboundAllow, portOf, readHttpUrl } from '../../platform/outbound/outbound-address.ts';
import type { SafeFetch } from '../../platform/outbound/safe-fetch.ts';
import { sealedFor } from '../../platform/secrets/sealed-columns.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { pushMetrics } from './realtime.metrics.ts';
import { findNotification } from './realtime.notifications.sql.ts';
import { selectPeople } from './realtime.people.sql.ts';
import {
  deleteSubscription,
  findKeys,
  findSubscription,
  insertKeys,
  keepNewest,
  type SubscriptionRow,
  upsertSubscription,
} from './realtime.push.sql.ts';
import { pushWords, wordsIn } from './realtime.words.ts';

export const pushJobKind = jobKind('push');

export interface PushDeps {
  db: Db;
  /** The home cell's: the keys are the same for all accounts of the instance. */
  instanceDb: Db;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  secrets: Secrets;
  safeFetch: SafeFetch;
  config: { publicUrl: string; adminEmail: string; outboundAllow: OutboundAllow };
}

interface Keys {
  publicKey: string;
  privateKey: string;
}

const subscriptionsPerUser = 20;
const keptByPushServiceSeconds = 3_600;

/**
 * The hosts of the browsers' push services; a subscription is an address that a user configures, so nothing else is
 * called.
 */
const pushHosts =
  /^(fcm\.googleapis\.com|([a-z0-9-]+\.)*push\.services\.mozilla\.com|[a-z0-9-]+(\.[a-z0-9-]+)*\.notify\.windows\.com|web\.push\.apple\.com|[a-z0-9-]+\.push\.apple\.com)$/;

export function isPushEndpoint(text: string, allow: OutboundAllow): boolean {
  const { url } = readHttpUrl(text);
  if (!url) return false;
  if (url.protocol === 'https:' && url.port === '' && pushHosts.test(url.hostname)) return true;
  const ip = url.hostname.replace(/^\[|\]$/g, '');
  return allow.allows(ip, portOf(url));
}

/** On first use: it takes 15 MB, and not every service uses push. */
const loadWebPush = async () => (await import('web-push')).default;

/** By database: they never change, and a cell sends while the home cell is away. */
const kept = new WeakMap<Db, Keys>();

/** The same for all processes, created on first use. */
export async function requireKeys({
  instanceDb: db,
  clock,
  secrets,
}: Pick<PushDeps, 'instanceDb' | 'clock' | 'secrets'>): Promise<Keys> {
  const known = kept.get(db);
  if (known) return known;
  if (!(await findKeys(db))) {
    const { publicKey, privateKey } = (await loadWebPush()).generateVAPIDKeys();
    const sealed = { publicKey, privateKey: secrets.seal(privateKey, sealedFor.pushKeys()) };
    await db.transaction((tx) => insertKeys(tx, sealed, clock.now()));
  }
  const found = (await findKeys(db))!;
  const keys = { ...found, privateKey: secrets.open(found.privateKey, sealedFor.pushKeys()) };
  kept.set(db, keys);
  return keys;
}

export async function subscribe(
  tx: Tx,
  { accountId, id: userId }: { accountId: string; id: string },
  now: number,
  allow: OutboundAllow,
  input: PushSubscribe,
): Promise<string> {
  if (!isPushEndpoint(input.endpoint, allow)) {
    throw badRequest('endpoint must be an address of a browser’s push service');
  }
  const bytesOf = (text: string) => Buffer.from(text, 'base64url').length;
  if (bytesOf(input.keys.p256dh) !== 65) throw badRequest('keys.p256dh must have 65 bytes');
  if (bytesOf(input.keys.auth) !== 16) throw badRequest('keys.auth must have 16 bytes');
  const id = await upsertSubscription(tx, accountId, userId, input, now);
  await keepNewest(tx, accountId, userId, subscriptionsPerUser);
  return id;
}

/** Sends one notification to one browser, unless it has been read or is being looked at by now. */
export function pushHandler(deps: PushDeps): JobHandler {
  const { db } = deps;
  const { sent } = pushMetrics(deps.metrics);
  return async (job) => {
    const { accountId } = job;
    const { notificationId, subscriptionId } = job.payload as {
      notificationId: string | null;
      subscriptionId: string;
    };
    if (notificationId === null) return sendTest(deps, accountId, subscriptionId);
    const notification = await findNotification(db, accountId, notificationId);
    const subscription = await findSubscription(db, accountId, subscriptionId);
    if (!notification || notification.readAt !== null || subscription?.userId !== notification.userId) return;
    const { sessionId, kind } = notification;
    if (sessionId !== null) {
      const people = await selectPeople(db, accountId, { sessionId, recordId: null });
      if (people.some((person) => person.id === notification.userId)) {
        sent.inc({ outcome: 'quiet' });
        return;
      }
    }
    const message: PushMessage = {
      notificationId,
      kind,
      ...pushWords(notification, subscription.language),
      tag: `${kind}:${sessionId ?? notification.webhookId ?? notificationId}`,
      sessionId,
      url: placeOf(notification),
    };
    await sendOrForget(deps, accountId, subscription, message);
  };
}

function placeOf({
  sessionId,
  webhookId,
  recordId,
  knowledgeSourceId,
  agentId,
}: Pick<Notification, 'sessionId' | 'webhookId' | 'recordId' | 'knowledgeSourceId' | 'agentId'>): string {
  if (recordId !== null) return `/app/records/${recordId}`;
  if (sessionId !== null) return `/app/inbox/${encodeURIComponent(sessionId)}`;
  if (knowledgeSourceId !== null) return `/app/knowledge/sources/${knowledgeSourceId}`;
  if (agentId !== null) return `/app/settings/agents/${agentId}`;
  return webhookId === null ? '/app/' : `/app/settings/webhooks/${webhookId}`;
}

async function sendOrForget(
  deps: PushDeps,
  accountId: string,
  to: SubscriptionRow,
  message: PushMessage,
): Promise<void> {
  const outcome = await send(deps, to, message);
  pushMetrics(deps.metrics).sent.inc({ outcome });
  if (outcome === 'gone') {
    await deps.db.transaction((tx) => deleteSubscription(tx, accountId, to.id, null));
  } else if (outcome === 'retry') throw new Error('the push service did not accept the message');
}

/** Shows whether notifications reach this browser; settings and quiet hours do not apply. */
export async function enqueueTest(tx: Tx, accountId: string, subscriptionId: string): Promise<void> {
  const payload = { notificationId: null, subscriptionId };
  await enqueue(tx, { accountId, kind: pushJobKind, payload, maxAttempts: 2 });
}

async function sendTest(deps: PushDeps, accountId: string, subscriptionId: string): Promise<void> {
  const subscription = await findSubscription(deps.db, accountId, subscriptionId);
  if (!subscription) return;
  await sendOrForget(deps, accountId, subscription, {
    notificationId: '',
    kind: 'test',
    title: 'Talkboard',
    body: wordsIn(subscription.language).test,
    tag: 'test',
    sessionId: null,
    url: '/app/settings/notifications',
  });
}

type Outcome = 'sent' | 'gone' | 'refused' | 'retry';

async function send(deps: PushDeps, to: SubscriptionRow, message: PushMessage): Promise<Outcome> {
  const { config, logger, safeFetch } = deps;
  // Checked again: the rules may have changed since the subscription.
  if (!isPushEndpoint(to.endpoint, config.outboundAllow)) return 'gone';
  const keys = await requireKeys(deps);
  const { headers, body } = (await loadWebPush()).generateRequestDetails(
    { endpoint: to.endpoint, keys: { p256dh: to.p256dh, auth: to.auth } },
    JSON.stringify(message),
    {
      TTL: keptByPushServiceSeconds,
      urgency: 'high',
      contentEncoding: 'aes128gcm',
      vapidDetails: {
        subject: config.publicUrl.startsWith('https:') ? config.publicUrl : `mailto:${config.adminEmail}`,
        ...keys,
      },
    },
  );
  const { 'Content-Length': _length, ...own } = headers as { [name: string]: string | number };
  const response = await safeFetch
    .request(to.endpoint, {
      method: 'POST',
      headers: Object.fromEntries(Object.entries(own).map(([name, value]) => [name, String(value)])),
      body: body as Buffer,
    })
    .catch((error) => {
      logger.warn({ err: error }, 'a push service could not be reached');
      return null;
    });
  const status = response?.status ?? 503;
  if (status >= 200 && status < 300) return 'sent';
  if (status === 404 || status === 410) return 'gone';
  return status === 429 || status >= 500 ? 'retry' : 'refused';
}
