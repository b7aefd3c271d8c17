/** The targets of a conversation, without a database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type AppliedPolicy,
  type Happening,
  noTargets,
  type PolicyTerms,
  type StoredTargets,
  Targets,
} from './service-levels.targets.ts';

const terms: PolicyTerms = {
  id: 'policy',
  hoursId: null,
  firstResponseMinutes: 60,
  nextResponseMinutes: 30,
  resolutionMinutes: 600,
  pauseWhileSnoozed: false,
  pauseWhileWaitingForCustomer: false,
  aiCounts: false,
  warnBeforeMinutes: 0,
};
const under = (change: Partial<PolicyTerms> = {}, hours: AppliedPolicy['hours'] = null): AppliedPolicy => ({
  policy: { ...terms, ...change },
  hours,
});
/** Minutes since the conversation began, on Monday, 16 November 2026, at 9:00 UTC. */
const begun = Date.parse('2026-11-16T09:00Z');
const at = (minutes: number) => begun + minutes * 60_000;
const customer = (minutes: number): Happening => ({ type: 'customer', at: at(minutes) });
const answer = (minutes: number): Happening => ({ type: 'answer', at: at(minutes), userId: 'ada' });
const status = (minutes: number, to: 'open' | 'snoozed' | 'resolved'): Happening => ({
  type: 'status',
  at: at(minutes),
  status: to,
});

function run(applied: AppliedPolicy | null, happenings: readonly Happening[], until: number) {
  const targets = new Targets(noTargets, applied);
  targets.begin(begun);
  for (const one of happenings) targets.add(one);
  targets.apply(applied, at(until));
  return { targets, stored: targets.result(1, 1), outcomes: targets.outcomes };
}
/** `kind state due`, with the minute at which it is due. */
const shown = ({ targets }: StoredTargets) =>
  targets.map(
    ({ kind, state, dueAt }) => `${kind} ${state} ${dueAt === null ? '-' : (dueAt - begun) / 60_000}`,
  );
const told = (outcomes: Targets['outcomes']) =>
  outcomes.map((one) => `${one.type} ${one.kind} at ${(one.at - begun) / 60_000}`);

describe('the targets of a conversation', () => {
  it('answers meet responses, a resolve meets the resolution and cancels an unanswered response', () => {
    const { stored, outcomes } = run(
      under(),
      [customer(0), customer(5), answer(10), answer(11), customer(20), status(25, 'resolved')],
      30,
    );
    assert.deepEqual(shown(stored), [
      'resolution met 600',
      'first_response met 60',
      'next_response cancelled 50',
    ]);
    assert.deepEqual(told(outcomes), ['met first_response at 10', 'met resolution at 25']);
    assert.equal(outcomes[0]!.userId, 'ada');
    assert.deepEqual(
      stored.targets.map(({ left }) => left),
      [575, 50, 25],
    );
  });

  it('a reopening begins the resolution and the next response anew', () => {
    const begin = [customer(0), answer(1), status(2, 'resolved')];
    const byPerson = run(under(), [...begin, status(100, 'open')], 101).stored;
    assert.deepEqual(shown(byPerson), [
      'first_response met 60',
      'resolution running 700',
      'next_response running 130',
    ]);
    const byCustomer = run(under(), [...begin, customer(100), status(100, 'open'), answer(131)], 132);
    assert.deepEqual(told(byCustomer.outcomes).slice(2), ['breached next_response at 130']);
    assert.deepEqual(shown(byCustomer.stored), [
      'first_response met 60',
      'resolution running 700',
      'next_response breached 130',
    ]);
  });

  it('a warning and a breach are told once, also if the policy changes afterwards', () => {
    const warned = under({ warnBeforeMinutes: 20 });
    const { targets, stored } = run(warned, [customer(0)], 41);
    assert.deepEqual(told(targets.outcomes), ['warning first_response at 40']);
    const later = new Targets(stored, warned);
    later.apply(warned, at(61));
    assert.deepEqual(told(later.outcomes), ['breached first_response at 60']);
    const again = new Targets(later.result(1, 1), under({ firstResponseMinutes: 90 }));
    again.apply(under({ firstResponseMinutes: 90, warnBeforeMinutes: 20 }), at(200));
    assert.deepEqual(again.outcomes, []);
    // Exactly at the moment at which it is due it is in time.
    assert.deepEqual(told(run(under(), [customer(0), answer(60)], 60).outcomes), [
      'met first_response at 60',
    ]);
  });

  it('pauses while snoozed, and the resolution while it waits for the customer', () => {
    const pausing = under({ pauseWhileSnoozed: true, pauseWhileWaitingForCustomer: true });
    const waiting = run(pausing, [customer(0), answer(10)], 50).stored;
    assert.deepEqual(shown(waiting), ['resolution paused -', 'first_response met 60']);
    assert.equal(waiting.targets[0]!.left, 590);
    const heard = run(pausing, [customer(0), answer(10), customer(110)], 120).stored;
    assert.deepEqual(shown(heard), [
      'resolution running 700',
      'first_response met 60',
      'next_response running 140',
    ]);
    const snoozed = [customer(0), status(10, 'snoozed')];
    assert.deepEqual(shown(run(pausing, snoozed, 500).stored), [
      'resolution paused -',
      'first_response paused -',
    ]);
    const back = run(pausing, [...snoozed, status(500, 'open')], 500).stored;
    assert.deepEqual(shown(back), ['resolution running 1090', 'first_response running 550']);
    assert.deepEqual(shown(run(under(), snoozed, 20).stored), [
      'resolution running 600',
      'first_response running 60',
    ]);
  });

  it('opening hours count, across a night', () => {
    const week = [1, 2].map((day) => ({ day, from: '09:00', to: '10:00' }));
    const hours = { timeZone: 'UTC', week, closedDates: [] };
    const { stored } = run(under({ firstResponseMinutes: 90 }, hours), [customer(0)], 1);
    // 60 minutes on Monday and 30 on Tuesday.
    assert.equal(stored.targets.at(-1)!.dueAt, Date.parse('2026-11-17T09:30Z'));
  });

  it('another policy keeps the start and the pauses', () => {
    const pausing = under({ pauseWhileSnoozed: true });
    const { stored } = run(pausing, [customer(0), status(10, 'snoozed'), status(20, 'open')], 21);
    const other = new Targets(stored, pausing);
    other.apply(under({ firstResponseMinutes: 100 }), at(30));
    assert.deepEqual(shown(other.result(1, 1)), ['resolution running 610', 'first_response running 110']);
    const none = new Targets(other.result(1, 1), null);
    none.apply(null, at(1_000));
    assert.deepEqual(
      [none.result(1, 1).targets.map(({ minutes }) => minutes), none.outcomes],
      [[null, null], []],
    );
    const back = new Targets(none.result(1, 1), under());
    back.apply(under(), at(1_001));
    assert.deepEqual(told(back.outcomes), ['breached resolution at 610', 'breached first_response at 70']);
  });

  it('what happened is the same in one step and in many', () => {
    const pausing = under({
      pauseWhileSnoozed: true,
      pauseWhileWaitingForCustomer: true,
      warnBeforeMinutes: 7,
    });
    let state = 1;
    const random = (limit: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return (state >>> 8) % limit;
    };
    for (let round = 0; round < 200; round++) {
      let minute = 0;
      const happenings = Array.from({ length: 1 + random(30) }, (): Happening => {
        minute += random(50);
        const kind = random(6);
        if (kind < 2) return customer(minute);
        return kind < 4
          ? answer(minute)
          : status(minute, (['open', 'snoozed', 'resolved'] as const)[random(3)]!);
      });
      const whole = run(pausing, happenings, minute + 100);
      let stored = noTargets;
      const outcomes: Targets['outcomes'] = [];
      const step = (change: (targets: Targets) => void) => {
        const targets = new Targets(stored, pausing);
        change(targets);
        stored = targets.result(1, 1);
        outcomes.push(...targets.outcomes);
      };
      step((targets) => targets.begin(begun));
      for (const one of happenings) {
        step((targets) => targets.add(one));
        step((targets) => targets.apply(pausing, one.at));
      }
      step((targets) => targets.apply(pausing, at(minute + 100)));
      assert.deepEqual([stored, outcomes], [whole.stored, whole.outcomes], JSON.stringify(happenings));
    }
  });
});
