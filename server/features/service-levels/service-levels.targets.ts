/**
 * The targets of one conversation: what starts, stops and ends them. Pure: what happened in the conversation comes in,
 * in order, and the targets come out. A target keeps its start and the times at which it was paused, so another policy,
 * or other hours, only lead to another time at which it is due.
 */
import type { SessionStatus } from '../../../contract/messaging/sessions.ts';
import type { SlaKind, SlaPolicy, SlaState } from '../../../contract/service-levels.ts';
import { addMinutes, type Hours, minutesBetween } from '../business-hours/business-hours.ts';

/** Of a policy, what its targets need. */
export interface PolicyTerms
  extends Pick<
    SlaPolicy,
    'id' | 'hoursId' | 'pauseWhileSnoozed' | 'pauseWhileWaitingForCustomer' | 'aiCounts' | 'warnBeforeMinutes'
  > {
  firstResponseMinutes: number | null;
  nextResponseMinutes: number | null;
  resolutionMinutes: number | null;
}

export interface AppliedPolicy {
  policy: PolicyTerms;
  /** Null: around the clock. */
  hours: Hours | null;
}

export interface StoredTarget {
  kind: SlaKind;
  startedAt: number;
  /** Of the policy; null: it has no such target, or none applies. */
  minutes: number | null;
  /** In order; only the last one may be open. */
  pauses: { from: number; to: number | null }[];
  state: SlaState;
  /** Null while paused, and without minutes. */
  dueAt: number | null;
  /** When `sla_warning` is due; null: never, or it was. */
  warnAt: number | null;
  hasWarned: boolean;
  endedAt: number | null;
  /** Minutes that were left when it was paused or ended. */
  left: number | null;
}

/** As it is stored beside the conversation. */
export interface StoredTargets {
  /** Up to here messages and changes of the conversation are in it. */
  position: number;
  sequence: number;
  /** Positions of replies that were held then: one that is released is an answer only now. */
  held?: number[];
  status: SessionStatus;
  /** The last word was an answer. */
  waitsForCustomer: boolean;
  /** At most one of each kind: the latest. */
  targets: StoredTarget[];
}

export type Happening =
  | { type: 'customer' | 'answer'; at: number; userId?: string | null }
  | { type: 'status'; at: number; status: SessionStatus };

/** What is reported, and told as an event. */
export interface Outcome {
  type: 'warning' | 'breached' | 'met';
  kind: SlaKind;
  startedAt: number;
  dueAt: number;
  at: number;
  /** Who answered. */
  userId: string | null;
}

/** A target has at most so many pauses; the oldest are merged with their neighbours. */
const maxPauses = 200;

export const noTargets: StoredTargets = {
  position: 0,
  sequence: 0,
  status: 'open',
  waitsForCustomer: false,
  targets: [],
};

const minuteMs = 60_000;
const between = (hours: Hours | null, from: number, to: number) =>
  hours === null ? (to - from) / minuteMs : minutesBetween(hours, from, to);
const later = (hours: Hours | null, from: number, minutes: number) =>
  hours === null ? from + minutes * minuteMs : addMinutes(hours, from, minutes);

/** In one conversation, under one policy or none. */
export class Targets {
  readonly outcomes: Outcome[] = [];
  readonly #stored: StoredTargets;
  #applied: AppliedPolicy | null;
  #reached = 0;

  constructor(stored: StoredTargets, applied: AppliedPolicy | null) {
    this.#stored = structuredClone(stored);
    this.#applied = applied;
  }

  /** The conversation began: so does the time until its resolution. */
  begin(at: number): void {
    this.#start('resolution', at);
  }

  apply(applied: AppliedPolicy | null, now: number): void {
    this.#applied = applied;
    for (const target of this.#open()) this.#schedule(target, now);
    this.advance(now);
  }

  /** One that waited for the lock may be earlier than the one before it. */
  add(happening: Happening): void {
    const at = Math.max(this.#reached, happening.at);
    this.#reached = at;
    this.advance(at);
    if (happening.type === 'status') this.#changeStatus(happening.status, at);
    else if (happening.type === 'customer') this.#hearCustomer(at);
    else this.#hearAnswer(at, happening.userId ?? null);
    for (const target of this.#open()) this.#schedule(target, at);
  }

  /** What is due by then. */
  advance(now: number): void {
    for (const target of this.#open()) {
      if (target.state !== 'running' || target.dueAt === null) continue;
      if (target.warnAt !== null && target.warnAt <= now && !target.hasWarned) {
        target.hasWarned = true;
        this.#tell('warning', target, target.warnAt, null);
        target.warnAt = null;
      }
      if (target.dueAt < now) {
        target.state = 'breached';
        this.#tell('breached', target, target.dueAt, null);
      }
    }
  }

  result(position: number, sequence: number, held: number[] = []): StoredTargets {
    const { held: _before, ...stored } = this.#stored;
    return { ...stored, position, sequence, ...(held.length > 0 && { held }) };
  }

  get status(): SessionStatus {
    return this.#stored.status;
  }

  #open(): StoredTarget[] {
    return this.#stored.targets.filter(({ endedAt }) => endedAt === null);
  }

  #find(kind: SlaKind): StoredTarget | undefined {
    return this.#stored.targets.find((target) => target.kind === kind);
  }

  #start(kind: SlaKind, at: number): void {
    const target: StoredTarget = {
      kind,
      startedAt: at,
      minutes: null,
      pauses: [],
      state: 'running',
      dueAt: null,
      warnAt: null,
      hasWarned: false,
      endedAt: null,
      left: null,
    };
    this.#stored.targets = [...this.#stored.targets.filter((one) => one.kind !== kind), target];
    this.#schedule(target, at);
  }

  #hearCustomer(at: number): void {
    this.#stored.waitsForCustomer = false;
    const first = this.#find('first_response');
    if (!first) this.#start('first_response', at);
    else if (first.endedAt !== null) {
      const next = this.#find('next_response');
      if (!next || next.endedAt !== null) this.#start('next_response', at);
    }
  }

  #hearAnswer(at: number, userId: string | null): void {
    this.#stored.waitsForCustomer = true;
    for (const kind of ['first_response', 'next_response'] as const) this.#end(kind, at, 'met', userId);
  }

  #changeStatus(status: SessionStatus, at: number): void {
    const before = this.#stored.status;
    this.#stored.status = status;
    if (status === 'resolved') {
      for (const kind of ['first_response', 'next_response'] as const) this.#end(kind, at, 'cancelled', null);
      this.#end('resolution', at, 'met', null);
    } else if (before === 'resolved') {
      this.#stored.waitsForCustomer = false;
      this.#start('resolution', at);
      if (this.#find('first_response')) this.#start('next_response', at);
    }
  }

  #end(kind: SlaKind, at: number, state: 'met' | 'cancelled', userId: string | null): void {
    const target = this.#find(kind);
    if (!target || target.endedAt !== null) return;
    const left = this.#left(target, at);
    Object.assign(target, { endedAt: at, warnAt: null, left });
    if (target.state === 'breached') return;
    target.state = state;
    // Of one that was paused: when it would have been.
    target.dueAt ??= left === null ? null : later(this.#hours, at, left);
    if (state === 'met') this.#tell('met', target, at, userId);
  }

  get #hours(): Hours | null {
    return this.#applied?.hours ?? null;
  }

  /** Pauses or resumes it, and says when it is due. */
  #schedule(target: StoredTarget, at: number): void {
    const policy = this.#applied?.policy ?? null;
    target.minutes = policy && minutesOf(policy, target.kind);
    if (target.state === 'breached') return;
    const paused = policy !== null && this.#isPaused(policy, target.kind);
    const last = target.pauses.at(-1);
    if (paused && last?.to !== null) this.#pause(target, at);
    if (!paused && last?.to === null) last.to = at;
    target.state = paused ? 'paused' : 'running';
    target.left = paused ? this.#left(target, at) : null;
    target.dueAt = paused || target.minutes === null ? null : this.#reach(target, target.minutes);
    const warnBefore = policy?.warnBeforeMinutes ?? 0;
    target.warnAt =
      target.dueAt === null || warnBefore === 0 || target.hasWarned
        ? null
        : this.#reach(target, Math.max(0, target.minutes! - warnBefore));
  }

  #isPaused(policy: PolicyTerms, kind: SlaKind): boolean {
    if (policy.pauseWhileSnoozed && this.#stored.status === 'snoozed') return true;
    return kind === 'resolution' && policy.pauseWhileWaitingForCustomer && this.#stored.waitsForCustomer;
  }

  #pause(target: StoredTarget, at: number): void {
    target.pauses.push({ from: at, to: null });
    if (target.pauses.length <= maxPauses) return;
    const [first, second, ...others] = target.pauses;
    // As long as both, from the beginning of the first: what lies between them moves behind.
    const to = second!.to! - (second!.from - first!.to!);
    target.pauses = [{ from: first!.from, to }, ...others];
  }

  /** The times in which it ran, or runs: the last one has no end. */
  #runs({ startedAt, pauses }: StoredTarget): { from: number; to: number }[] {
    const starts = [startedAt, ...pauses.flatMap(({ to }) => (to === null ? [] : [to]))];
    return starts.map((from, index) => ({ from, to: pauses[index]?.from ?? Infinity }));
  }

  /** When so many minutes have run. Null: never, with these hours. */
  #reach(target: StoredTarget, minutes: number): number | null {
    let left = minutes;
    for (const { from, to } of this.#runs(target)) {
      if (to !== Infinity) {
        const ran = between(this.#hours, from, to);
        if (ran < left) {
          left -= ran;
          continue;
        }
      }
      return later(this.#hours, from, left);
    }
    return null;
  }

  /** Negative: late. */
  #left(target: StoredTarget, at: number): number | null {
    if (target.minutes === null) return null;
    let left = target.minutes;
    for (const { from, to } of this.#runs(target)) {
      const end = Math.min(to, at);
      if (end > from) left -= between(this.#hours, from, end);
    }
    return left;
  }

  #tell(type: Outcome['type'], target: StoredTarget, at: number, userId: string | null): void {
    const { kind, startedAt, dueAt } = target;
    if (target.minutes === null || dueAt === null) return;
    this.outcomes.push({ type, kind, startedAt, dueAt, at, userId });
  }
}

function minutesOf(policy: PolicyTerms, kind: SlaKind): number | null {
  if (kind === 'first_response') return policy.firstResponseMinutes;
  return kind === 'next_response' ? policy.nextResponseMinutes : policy.resolutionMinutes;
}
