import type { Session } from '../../../../contract/messaging/sessions.ts';
import type { Budget } from '../../../platform/concurrency/budget.ts';
import { isUniqueViolation } from '../../../platform/db/db.ts';
import { isTemporary } from '../../../platform/http/errors.ts';
import { backoffMs } from '../../../platform/jobs/backoff.ts';
import type { Logger } from '../../../platform/logger.ts';
import { inSpan } from '../../../platform/telemetry/tracing.ts';
import {
  findMessage,
  type StoredMessage,
  selectLinkedIds,
  type VoiceContext,
  windowClosedReason,
} from '../../messages/messages.ts';
import { findSession } from '../../sessions/sessions.ts';
import type { Links, OpenLink } from '../connectors.links.ts';
import {
  type Address,
  limitsOf,
  type OutboundPart,
  ProviderError,
  type SentPart,
} from '../connectors.provider.ts';
import { findConnector } from '../connectors.sql.ts';
import { releaseOutbound, saveParts } from './connectors.claim.sql.ts';
import type { OutboundRow, PlannedPart } from './connectors.outbound.sql.ts';
import {
  commitFailed,
  commitSent,
  commitUnknown,
  finish,
  type OutcomeDeps,
  unknownForMs,
  unknownReason,
} from './connectors.outcome.ts';
import { findPause, pauseSends, reserveSend } from './connectors.pace.sql.ts';
import { planParts } from './connectors.plan.ts';
import { type PreparedPart, preparePart } from './connectors.prepare.ts';
import { findRecipient } from './connectors.recipient.sql.ts';

export interface SendDeps extends OutcomeDeps, VoiceContext {
  links: Links;
  logger: Logger;
  /** For the bytes of files. */
  memory: Budget;
  /** Aborted when the process stops. */
  sleep(ms: number): Promise<void>;
  onSent(row: OutboundRow): void;
}

const maxAttempts = 30;
const maxReactionAttempts = 5;
/** The state of a connector is kept for a second. */
const reopenAfterMs = 1_000;
/** A longer wait is spent in the queue, not by a worker. */
const longestSleepMs = 2_000;

const commitAgainMs = 250;
const listedWithinMs = 30_000;
const lookAgainMs = 5_000;

const removedReason = 'The connector of the channel was removed before the message was sent.';
const blockedReason = 'The contact was blocked before the message was sent.';

/** Nothing has failed: it goes on later. */
class Waits extends ProviderError {
  constructor(waitMs: number) {
    super('retry', '', waitMs, null);
  }
}

/** Another process goes on with it. */
class TakenOver extends Error {}

interface Sending {
  row: OutboundRow;
  opened: OpenLink;
  message: StoredMessage;
  session: Session;
  to: Address;
  parts: PlannedPart[];
}

export async function sendRow(deps: SendDeps, row: OutboundRow): Promise<void> {
  const { db, clock } = deps;
  if (row.state === 'unknown') return commitFailed(deps, row, unknownReason);
  const opened = await deps.links.open(row.accountId, row.channelId);
  if (!opened?.isConnected) {
    const isRemoved = !opened && !(await findConnector(db, row.accountId, row.channelId));
    if (isRemoved) return commitFailed(deps, row, mayHaveGone(row) ? unknownReason : removedReason);
    const { parts, attempts } = row;
    return releaseOutbound(db, row, { parts, attempts, waitMs: reopenAfterMs, reason: null }, clock.now());
  }
  const { accountId, sessionId, messageId } = row;
  const [message, session, { identifiers, isBlocked }] = await Promise.all([
    findMessage(db, accountId, sessionId, messageId),
    findSession(db, accountId, sessionId),
    findRecipient(db, accountId, sessionId),
  ]);
  if (!message || !session) return finish(deps, row, 'failed', 'The message was deleted.');
  if (isBlocked) return commitFailed(deps, row, blockedReason);
  const to = addressOf(opened, session, identifiers);
  try {
    if (row.kind === 'reaction')
      return await sendReaction(deps, { row, opened, message, session, to, parts: [] });
    const parts = row.parts ?? planParts(message, limitsIn(opened));
    await sendParts(deps, { row, opened, message, session, to, parts });
  } catch (error) {
    if (!(error instanceof TakenOver)) throw error;
  }
}

const mayHaveGone = ({ parts }: OutboundRow) =>
  parts?.some(({ state }) => state === 'sending' || state === 'unknown') ?? false;

export function addressOf(
  { provider }: Pick<OpenLink, 'provider'>,
  session: Session,
  identifiers: Address['identifiers'],
): Address {
  const { sessionId, externalUserId } = session;
  const prefix = `${provider.kind}:`;
  const fromId = sessionId.startsWith(prefix) ? sessionId.slice(prefix.length) : sessionId;
  return { customerId: externalUserId ?? fromId, identifiers };
}

const limitsIn = ({ provider, link }: OpenLink) => limitsOf(provider, link.settings);

async function sendParts(deps: SendDeps, sending: Sending): Promise<void> {
  const { row } = sending;
  if (sending.parts.length === 0) return commitFailed(deps, row, 'The message is empty.');
  for (let index = 0; index < sending.parts.length; index++) {
    const part = sending.parts[index]!;
    if (part.state === 'sent' || part.state === 'unknown') continue;
    let sent: SentPart | null;
    try {
      sent = await sendPart(deps, sending, index);
    } catch (error) {
      return handleFailure(deps, sending, index, error);
    }
    if (!sent) {
      part.state = 'unknown';
      continue;
    }
    const parts = await keepSent(deps, row, index, sent);
    if (parts === 'linked elsewhere') {
      part.state = 'unknown';
      continue;
    }
    deps.onSent(row);
    if (!parts) return;
    sending.parts = parts;
  }
  await commitUnknown(deps, row, sending.parts);
}

/** The provider's id is known only here: it is kept until the database is back. */
async function keepSent(
  deps: SendDeps,
  row: OutboundRow,
  index: number,
  sent: SentPart,
): Promise<PlannedPart[] | 'linked elsewhere' | null> {
  for (;;) {
    try {
      return await commitSent(deps, row, index, sent);
    } catch (error) {
      if (isUniqueViolation(error)) return 'linked elsewhere';
      if (!isTemporary(error)) throw error;
      await deps.sleep(commitAgainMs);
    }
  }
}

/** Null: it may have been sent, and nobody knows. */
async function sendPart(deps: SendDeps, sending: Sending, index: number): Promise<SentPart | null> {
  const { row, parts } = sending;
  const part = parts[index]!;
  const prepared = await preparePart(deps, sending, index, limitsIn(sending.opened));
  if (part.state === 'sending') {
    const found = await lookUp(deps, sending, index, prepared.outbound);
    if (found !== 'not sent') return found;
    part.state = 'waiting';
  }
  await waitForTurn(deps, sending);
  try {
    return await deps.memory.take(prepared.size, () => transmit(deps, sending, part, prepared));
  } catch (error) {
    if (!isCalled(part)) throw error;
    if (error instanceof ProviderError && error.errorClass !== 'lost') {
      part.state = 'waiting';
      throw error;
    }
    if (!(error instanceof ProviderError))
      deps.logger.warn({ err: error, outbound: row.id }, 'a send failed');
    const found = await lookUp(deps, sending, index, prepared.outbound);
    if (found !== 'not sent') return found;
    part.state = 'waiting';
    throw new ProviderError('retry', error instanceof ProviderError ? error.message : 'The send failed.');
  }
}

const isCalled = ({ state }: PlannedPart) => state === 'sending';

/** The file is read before the part is marked: an error there has sent nothing. */
async function transmit(
  deps: SendDeps,
  sending: Sending,
  part: PlannedPart,
  { outbound, read }: PreparedPart,
): Promise<SentPart> {
  const { db, clock } = deps;
  const { row, opened, parts } = sending;
  const complete: OutboundPart = { ...outbound, ...(await read()) };
  if (!outbound.template)
    complete.isAfterWindow = await requireWindow(deps, sending, outbound.isByPerson === true);
  const startedAt = clock.now();
  const marked = parts.map((one) => (one === part ? { ...one, state: 'sending' as const, startedAt } : one));
  if (!(await saveParts(db, row, marked, startedAt))) throw new TakenOver();
  Object.assign(part, { state: 'sending', startedAt });
  const { kind } = opened.provider;
  const attributes = { 'talkboard.connector.kind': kind };
  return inSpan({ name: `${kind} send`, kind: 'client', attributes }, () =>
    opened.provider.send(opened.link, complete),
  );
}

/** That it was not sent is believed after a while: the provider may list late what it has taken. */
async function lookUp(
  { db, clock }: SendDeps,
  { row, opened, parts }: Sending,
  index: number,
  outbound: OutboundPart,
): Promise<SentPart | 'not sent' | null> {
  const { provider, link } = opened;
  const since = parts[index]!.startedAt ?? row.createdAt;
  const linked = (ids: readonly string[]) => selectLinkedIds(db, row.accountId, row.channelId, ids);
  const found = (await provider.find?.(link, outbound, since, linked)) ?? 'unknown';
  const leftMs = since + listedWithinMs - clock.now();
  if (found === 'not sent' && leftMs > 0) throw new Waits(Math.min(leftMs, lookAgainMs));
  return found === 'unknown' ? null : found;
}

/**
 * After the window has closed, providers take templates only: no free text, however long it waited, and no reaction. The
 * customer may have written meanwhile. True: it is over for all but people.
 */
async function requireWindow(
  { db, clock }: SendDeps,
  sending: Sending,
  isByPerson: boolean,
): Promise<boolean> {
  const { accountId, sessionId } = sending.row;
  const isOver = (closesAt: number | null) => closesAt !== null && closesAt <= clock.now();
  if (!isOver(sending.session.windowClosesAt)) return false;
  sending.session = (await findSession(db, accountId, sessionId)) ?? sending.session;
  const { windowClosesAt, personWindowClosesAt } = sending.session;
  if (isOver(isByPerson ? personWindowClosesAt : windowClosesAt))
    throw new ProviderError('final', windowClosedReason(sending.opened.provider.templates !== undefined));
  return isOver(windowClosesAt);
}

/** The times are reserved in the database: all processes share one pace. */
async function waitForTurn({ db, sleep }: SendDeps, { row, opened, to }: Sending): Promise<void> {
  const { accountId, channelId, sessionId } = row;
  const { customerId } = to;
  const { perSecond, perCustomerSecond, customerBurst } = limitsIn(opened);
  const pace = { channelId, customer: customerId, perSecond, perCustomerSecond, customerBurst };
  for (let hasWaited = false; ; hasWaited = true) {
    const { reserved, waitMs } = await reserveSend(db, accountId, pace);
    if (!reserved && waitMs > longestSleepMs) throw new Waits(Math.ceil(waitMs));
    if (waitMs > 0) await sleep(Math.ceil(waitMs));
    if (!reserved) continue;
    if (waitMs <= 0 && !hasWaited) return;
    const [pauseMs, { isBlocked }] = await Promise.all([
      findPause(db, accountId, channelId, customerId),
      findRecipient(db, accountId, sessionId),
    ]);
    if (isBlocked) throw new ProviderError('final', blockedReason);
    if (pauseMs > 0) throw new Waits(Math.ceil(pauseMs));
    return;
  }
}

async function handleFailure(deps: SendDeps, sending: Sending, index: number, cause: unknown): Promise<void> {
  const { row, opened, parts } = sending;
  const { db, clock } = deps;
  const now = clock.now();
  const { attempts } = row;
  const error = asProviderError(deps, row, cause);
  const reason = opened.redact(error.message);
  switch (error.errorClass) {
    case 'credentials':
    case 'unlinked':
      await deps.links.fail(opened.link, error);
      return releaseOutbound(db, row, { parts, attempts, waitMs: reopenAfterMs, reason }, now);
    case 'final':
    case 'gone':
      return commitFailed(deps, row, reason);
    default: {
      const isCounted = !(error instanceof Waits);
      const part = parts[index]!;
      const isOverdue = part.state === 'sending' && now > (part.startedAt ?? now) + unknownForMs;
      if (isOverdue) return commitFailed(deps, row, unknownReason);
      if (isCounted && attempts + 1 >= maxAttempts) return commitFailed(deps, row, reason);
      const waitMs = isCounted ? Math.max(error.waitMs ?? 0, backoffMs(attempts + 1)) : error.waitMs!;
      const tried = attempts + (isCounted ? 1 : 0);
      if (error.pauses !== null) {
        const customer = error.pauses === 'customer' ? sending.to.customerId : null;
        await pauseSends(db, row.accountId, {
          channelId: row.channelId,
          customer,
          waitMs: error.waitMs ?? waitMs,
        });
      }
      return releaseOutbound(db, row, { parts, attempts: tried, waitMs, reason: reason || null }, now);
    }
  }
}

/** A mistake of ours is tried again too, but not for ever. What passes by itself is not counted. */
function asProviderError({ logger }: SendDeps, row: OutboundRow, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const isStopping = error instanceof Error && error.name === 'AbortError';
  if (error instanceof TakenOver || isStopping || isTemporary(error)) throw error;
  logger.warn({ err: error, outbound: row.id }, 'a send failed');
  return new ProviderError('retry', 'The message could not be prepared for the provider.');
}

/** Sent again it changes nothing, so a lost answer is no matter. */
async function sendReaction(deps: SendDeps, sending: Sending): Promise<void> {
  const { row, opened, message, to } = sending;
  const { provider, link } = opened;
  const { providerMsgId } = message;
  if (!provider.react || providerMsgId === null) return finish(deps, row, 'sent', null);
  const isOurs = message.role !== 'user' || message.isEcho;
  try {
    await waitForTurn(deps, sending);
    await requireWindow(deps, sending, true);
    await provider.react(link, to, providerMsgId, isOurs, row.emoji);
    await finish(deps, row, 'sent', null);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const isLast = row.attempts + 1 >= maxReactionAttempts && !(error instanceof Waits);
    const reason = opened.redact(error.message);
    if (isLast || error.errorClass === 'final') return finish(deps, row, 'failed', reason);
    await handleFailure(deps, { ...sending, parts: [newPlaceholder] }, 0, error);
  }
}

const newPlaceholder: PlannedPart = {
  text: '',
  file: null,
  state: 'waiting',
  startedAt: null,
  providerMsgId: null,
};
