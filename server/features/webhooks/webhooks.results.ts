/**
 * Writes the results of calls, in batches. A batch costs PostgreSQL as much as five to twenty of its rows, so it waits
 * until half of the running calls are in it. While it is written the other half is being sent: a call's slot is free
 * again only when its result is committed. A single result is written at once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../platform/db/db.ts';
import { writeSplit } from '../../platform/jobs/split-batch.ts';
import type { Logger } from '../../platform/logger.ts';
import { healthyEveryMs, noteSuccesses, type Success } from './webhooks.health.sql.ts';
import { type FinishedAttempt, finishAttempts } from './webhooks.queue.sql.ts';

interface Waiting {
  finished: FinishedAttempt;
  done: () => void;
}

export interface ResultsDeps {
  db: Db;
  logger: Logger;
  /** How many deliveries are being sent or wait here. */
  underWay: () => number;
}

const atATime = 500;
const groupsAtOnce = 1;
const groupIsOneOf = 2;
/** If the other calls are slow, the batch does not wait for them. */
const gatherMs = 3;
const retryMs = 100;
const endpointsKnown = 1_000;

export class Results {
  #deps: ResultsDeps;
  #waiting: Waiting[] = [];
  #writing = 0;
  #gathering: NodeJS.Timeout | undefined;
  #noting = new Set<Promise<void>>();
  /** By endpoint: the last recorded success. */
  #healthy = new Map<string, number>();

  constructor(deps: ResultsDeps) {
    this.#deps = deps;
  }

  /** Resolves when it is committed, however long that takes. */
  write(finished: FinishedAttempt): Promise<void> {
    return new Promise((done) => {
      this.#waiting.push({ finished, done });
      this.#writeSoon();
    });
  }

  /** Of a process that stops and sends nothing any more. */
  async settle(): Promise<void> {
    await Promise.all(this.#noting);
  }

  #writeSoon(): void {
    if (this.#writing >= groupsAtOnce || this.#waiting.length === 0) return;
    if (this.#waiting.length * groupIsOneOf >= this.#deps.underWay()) void this.#writeGroup();
    else this.#gathering ??= setTimeout(() => this.#writeGroup(), gatherMs);
  }

  async #writeGroup(): Promise<void> {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#writing++;
    const group = this.#waiting.splice(0, atATime);
    const { logger } = this.#deps;
    try {
      const attempts = group.map(({ finished }) => finished);
      await this.#finish(attempts);
      for (const { done } of group) done();
      // Not part of the results, and so not retried with them: the next success records it.
      const noting = this.#noteHealth(attempts)
        .catch((error) => logger.warn({ err: error }, 'the health of webhooks could not be saved'))
        .finally(() => this.#noting.delete(noting));
      this.#noting.add(noting);
    } catch (error) {
      // Kept and retried: dropping a result would mean sending the event again.
      logger.warn({ err: error, count: group.length }, 'writing webhook results failed; retrying');
      this.#waiting.unshift(...group);
      await delay(retryMs);
    }
    this.#writing--;
    this.#writeSoon();
  }

  /**
   * One that the database refuses is written without its texts; if that fails too it is given up, and its delivery is sent
   * again after the process has ended.
   */
  async #finish(attempts: readonly FinishedAttempt[]): Promise<void> {
    const { db, logger } = this.#deps;
    const write = (some: readonly FinishedAttempt[]) => finishAttempts(db, some);
    await writeSplit(attempts, write, async (attempt) => {
      const plain = { ...attempt, error: attempt.error && 'the error could not be stored', response: null };
      await writeSplit([plain], write, async ({ delivery: { accountId, id } }, error) =>
        logger.error({ err: error, accountId, deliveryId: id }, 'the result of a webhook call is lost'),
      );
    });
  }

  async #noteHealth(attempts: readonly FinishedAttempt[]): Promise<void> {
    const news = new Map<string, Success>();
    for (const { status, at, delivery } of attempts) {
      const { accountId, webhookId } = delivery;
      if (status !== 'delivered' || at - (this.#healthy.get(webhookId) ?? 0) <= healthyEveryMs) continue;
      news.set(webhookId, { accountId, webhookId, at });
    }
    if (news.size === 0) return;
    await noteSuccesses(this.#deps.db, [...news.values()]);
    if (this.#healthy.size >= endpointsKnown) this.#healthy.clear();
    for (const { webhookId, at } of news.values()) this.#healthy.set(webhookId, at);
  }
}
