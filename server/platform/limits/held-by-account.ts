/** What a process holds in memory for each account, within a budget: what was used longest ago goes first. */

export type DropReason = 'budget' | 'idle' | 'moved';

interface Holdable {
  readonly byteLength: number;
  /** It is not dropped now. */
  readonly isBusy: boolean;
}

export interface HeldLimits {
  budgetBytes: number;
  idleMs: number;
}

export class HeldByAccount<T extends Holdable> {
  readonly #limits: HeldLimits;
  readonly #onLeave: (accountId: string, value: T, reason: 'budget' | 'idle') => void;
  /** In the order of their last use. */
  readonly #held = new Map<string, { value: T; usedAt: number }>();

  constructor(limits: HeldLimits, onLeave: (accountId: string, value: T, reason: 'budget' | 'idle') => void) {
    this.#limits = limits;
    this.#onLeave = onLeave;
  }

  get size(): number {
    return this.#held.size;
  }

  get byteLength(): number {
    let sum = 0;
    for (const { value } of this.#held.values()) sum += value.byteLength;
    return sum;
  }

  get(accountId: string): T | undefined {
    return this.#held.get(accountId)?.value;
  }

  /** In the order of their last use. */
  entries(): { accountId: string; value: T; usedAt: number }[] {
    return [...this.#held].map(([accountId, held]) => ({ accountId, ...held }));
  }

  use(accountId: string, create: () => T): T {
    const value = this.get(accountId) ?? create();
    this.#held.delete(accountId);
    this.#held.set(accountId, { value, usedAt: Date.now() });
    return value;
  }

  /** False: there was none. */
  remove(accountId: string): boolean {
    return this.#held.delete(accountId);
  }

  clear(): void {
    this.#held.clear();
  }

  /**
   * One that exceeds the whole budget is held only while it is the last used one. Otherwise it leaves as soon as it is
   * idle, and the others are held as if it were not there: dropping them would not help.
   */
  keepBudget(): void {
    const { budgetBytes } = this.#limits;
    const entries = this.entries();
    const lastUsed = entries.at(-1)?.value;
    const isTooLarge = (value: T) => value.byteLength > budgetBytes && value !== lastUsed;
    let bytes = 0;
    for (const { value } of entries) if (!isTooLarge(value)) bytes += value.byteLength;
    for (const { accountId, value } of entries) {
      if (value.isBusy || value === lastUsed) continue;
      if (isTooLarge(value)) this.#leave(accountId, value, 'budget');
      else if (bytes > budgetBytes) {
        bytes -= value.byteLength;
        this.#leave(accountId, value, 'budget');
      }
    }
  }

  dropIdle(): void {
    const since = Date.now() - this.#limits.idleMs;
    for (const { accountId, value, usedAt } of this.entries())
      if (usedAt < since && !value.isBusy) this.#leave(accountId, value, 'idle');
  }

  #leave(accountId: string, value: T, reason: 'budget' | 'idle'): void {
    this.#held.delete(accountId);
    this.#onLeave(accountId, value, reason);
  }
}
