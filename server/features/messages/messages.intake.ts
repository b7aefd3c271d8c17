/**
 * The only way in for customers' messages: the API, the widget and connectors call `send`. What the request alone shows
 * is checked before the transaction. Messages that arrive at the same time are sent in batches where that is possible.
 */
import type { MessageSend } from '../../../contract/messaging/messages.ts';
import { createKeyedMutex } from '../../platform/concurrency/keyed-mutex.ts';
import type { Tx } from '../../platform/db/db.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Actor } from '../accounts/accounts.ts';
import { type FileDeps, prepareFiles } from '../attachments/attachments.ts';
import type { BlockHash } from '../blocked-contacts/blocked-contacts.ts';
import type { AccountConfigCache } from '../channels/channels.ts';
import { type Alongside, createSendBatched } from './messages.batch.ts';
import { countingDrops } from './messages.drops.ts';
import { checkSend, type SendDetails, type Sent, sendMessage } from './messages.send.ts';

export interface Intake {
  send(actor: Actor, body: MessageSend, options?: SendOptions): Promise<Sent>;
}

interface SendOptions extends SendDetails {
  /** Runs the send in the transaction of a request, which may hold its Idempotency-Key. Without it, in one of its own. */
  runRule?: (rule: (tx: Tx) => Promise<Sent>) => Promise<Sent>;
  /** What is written with it if it shares a transaction with others. Otherwise `runRule` writes it. */
  alongside?: Alongside;
}

interface IntakeDeps extends FileDeps {
  logger: Logger;
  accountConfig: AccountConfigCache;
  blockHash: BlockHash;
}

/** While the database is away each turn ends in its time-out; those far behind must not wait for all of them. */
const turnBounds = { maxWaiting: 200, maxWaitMs: 10_000 };

export function createIntake(deps: IntakeDeps): Intake {
  const { db, clock, accountConfig, blockHash } = deps;
  // Messages of one conversation wait for each other anyway. Waiting here they hold no connection: a burst into one
  // conversation would otherwise take the whole pool, and everyone else would get a 503.
  const inTurn = createKeyedMutex(turnBounds);
  const sendBatched = createSendBatched(deps);

  const sendAlone = (tx: Tx, actor: Actor, body: MessageSend, details: SendDetails) =>
    accountConfig.withAccountConfig(
      tx,
      actor.accountId,
      (config) => sendMessage(tx, { ...config, actor, now: clock.now(), blockHash }, body, details),
      { verify: 'last' },
    );

  return {
    async send(actor, body, { runRule = db.runRule, alongside, ...details } = {}) {
      const { accountId } = actor;
      checkSend(body);
      await prepareFiles(deps, accountId, body.attachments);
      const send = async () =>
        (alongside && (await sendBatched(actor, body, details, alongside))) ??
        runRule(
          async (tx) =>
            (await tx.commitElsewhere(() => sendBatched(actor, body, details))) ??
            (await sendAlone(tx, actor, body, details)),
        );
      return countingDrops(deps, accountId, () =>
        body.sessionId === undefined ? send() : inTurn(`${accountId}/${body.sessionId}`, send),
      );
    },
  };
}
