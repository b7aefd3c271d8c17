/**
 * The only way in for customers' messages: the API, the widget and connectors call `send`. What the request alone shows
 * is checked before the transaction. Messages that arrive at the same time are sent together where that is possible.
 */
import type { MessageSend } from '../../../contract/messaging/messages.ts';
import { createKeyedMutex } from '../../platform/concurrency/keyed-mutex.ts';
import { createSemaphore, type Turns } from '../../platform/concurrency/semaphore.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import { createBatchedWrite, type Submission, submit } from '../../platform/db/shared/batched-writes.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Actor } from '../accounts/accounts.ts';
import { type FileDeps, prepareFiles } from '../attachments/attachments.ts';
import { type BlockHash, countDrop } from '../blocked-contacts/blocked-contacts.ts';
import type { AccountConfigCache } from '../channels/channels.ts';
import { ContactBlocked } from '../sessions/sessions.ts';
import { type SharedSend, sendShared, sharedSend } from './messages.batch.ts';
import { checkSend, type SendDetails, type Sent, sendMessage } from './messages.send.ts';

export interface Intake {
  send(actor: Actor, body: MessageSend, details?: SendDetails): Promise<Sent>;
  /** `run` submits it, such as in the transaction of a request that holds its Idempotency-Key. */
  sendIn<T>(
    actor: Actor,
    body: MessageSend,
    details: SendDetails,
    run: (submission: Submission<Sent>) => Promise<T>,
  ): Promise<T>;
  /**
   * Transactions of connectors take these: they can wait for a burst of messages, and the connections of the pool are
   * shared with requests, which cannot.
   */
  readonly connectorTurns: Turns;
}

interface IntakeDeps extends FileDeps {
  logger: Logger;
  accountConfig: AccountConfigCache;
  blockHash: BlockHash;
}

/** While the database is away each turn ends in its time-out; those far behind must not wait for all of them. */
const turnBounds = { maxWaiting: 200, maxWaitMs: 10_000 };
/** Each holds two or more advisory locks, of which a server has a few thousand. */
const maxSends = 25;
const connectorsAtOnce = 6;

export function createIntake(deps: IntakeDeps): Intake {
  const { db, clock, logger, accountConfig, blockHash } = deps;
  // Messages of one conversation wait for each other anyway. Waiting here they hold no connection: a burst into one
  // conversation would otherwise take the whole pool, and everyone else would get a 503.
  const inTurn = createKeyedMutex(turnBounds);
  const connectorTurns = createSemaphore(connectorsAtOnce);
  const share = createBatchedWrite<SharedSend, Sent>({
    what: 'messages',
    logger,
    maxItems: maxSends,
    write: (sends) =>
      sends.every(({ details }) => details.item)
        ? connectorTurns.take(() => sendShared(deps, sends))
        : sendShared(deps, sends),
  });

  const sendIn: Intake['sendIn'] = async (actor, body, details, run) => {
    const { accountId } = actor;
    checkSend(body);
    await prepareFiles(deps, accountId, body.attachments);
    const submission: Submission<Sent> = {
      alone: (tx) =>
        accountConfig.withKnownConfig(tx, accountId, (config) =>
          sendMessage(tx, { ...config, actor, now: clock.now(), blockHash }, body, details),
        ),
      async shared() {
        const send = sharedSend(actor, body, details);
        return send && share(accountId, send);
      },
    };
    return countingDrops(deps, accountId, () =>
      body.sessionId === undefined
        ? run(submission)
        : inTurn(`${accountId}/${body.sessionId}`, () => run(submission)),
    );
  };
  return {
    send: (actor, body, details = {}) => sendIn(actor, body, details, (submission) => submit(db, submission)),
    sendIn,
    connectorTurns,
  };
}

/** A rejected send is counted on the block list, in a separate transaction: the send's is rolled back. */
export async function countingDrops<T>(
  { db, clock }: { db: Db; clock: Clock },
  accountId: string,
  send: () => Promise<T>,
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof ContactBlocked) await countDrop(db, accountId, error.contactKey, clock.now());
    throw error;
  }
}
