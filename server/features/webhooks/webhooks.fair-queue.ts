/**
 * The claimed deliveries of this process, one queue per endpoint. At most 4 calls run for one endpoint and 64 in all,
 * and the least recently served endpoint comes first: in a fixed order the first sixteen busy endpoints would take
 * every free slot, and the others would starve.
 */
import type { Budget, ClaimedDelivery } from './webhooks.queue.sql.ts';

const perEndpoint = 4;
const inAll = 64;
const aheadAtFirst = 16;
const aheadAtMost = 200;
/**
 * Work done faster than the first limit doubles the next claim, work slower than the second resets it. With a single
 * limit an endpoint near it fell back to small claims again and again, and they cost the most.
 */
const quickMs = 500;
const slowMs = 2_000;
const forgetAfterMs = 10_000;

interface Line {
  waiting: ClaimedDelivery[];
  sending: number;
  ahead: number;
  filledAt: number;
  /** The size of the last claim, and how many it returned: if all, there may be more. */
  asked: number;
  brought: number;
}

export class FairQueue {
  #lines = new Map<string, Line>();
  #sending = 0;

  add(delivery: ClaimedDelivery): void {
    let line = this.#lines.get(delivery.webhookId);
    if (!line) {
      line = { waiting: [], sending: 0, ahead: aheadAtFirst, filledAt: 0, asked: aheadAtFirst, brought: 0 };
      this.#lines.set(delivery.webhookId, line);
    }
    if (line.brought++ === 0) line.filledAt = performance.now();
    line.waiting.push(delivery);
  }

  /** Everything it returns counts as being sent until `done` is called with it. */
  next(): ClaimedDelivery | null {
    if (this.#sending >= inAll) return null;
    for (const [id, line] of this.#lines) {
      if (line.waiting.length === 0 || line.sending >= perEndpoint) continue;
      this.#lines.delete(id);
      this.#lines.set(id, line);
      line.sending++;
      this.#sending++;
      return line.waiting.shift()!;
    }
    return null;
  }

  /** True: more should be claimed for this endpoint, because nothing waits, or little and there may be more. */
  done(delivery: ClaimedDelivery): boolean {
    const line = this.#lines.get(delivery.webhookId)!;
    line.sending--;
    this.#sending--;
    return line.waiting.length === 0 || (isLow(line) && mayHaveMore(line));
  }

  /**
   * How many to claim now for the known endpoints. None if enough waits: a claim skips over everything already
   * claimed, so frequent small ones cost more than the rows they return.
   */
  budgets(): Budget[] {
    return [...this.#lines].map(([webhookId, line]) => {
      if (!isLow(line)) return { webhookId, count: 0 };
      const tookMs = performance.now() - line.filledAt;
      if (tookMs >= slowMs) line.ahead = aheadAtFirst;
      else if (tookMs < quickMs && mayHaveMore(line)) line.ahead = Math.min(aheadAtMost, line.ahead * 2);
      line.asked = Math.max(0, line.ahead - line.waiting.length - line.sending);
      line.brought = 0;
      return { webhookId, count: line.asked };
    });
  }

  get budgetOfOthers(): number {
    return aheadAtFirst;
  }

  forgetIdle(): void {
    for (const [id, { waiting, sending, filledAt }] of this.#lines) {
      const idle = waiting.length === 0 && sending === 0;
      if (idle && performance.now() - filledAt > forgetAfterMs) this.#lines.delete(id);
    }
  }
}

function isLow({ waiting, ahead }: Line): boolean {
  return waiting.length <= ahead / 4;
}

function mayHaveMore({ asked, brought }: Line): boolean {
  return asked > 0 && brought >= asked;
}
