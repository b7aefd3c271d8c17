import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startPatience } from './patience.ts';

/** After so many seconds, with a limit of ten: is it over? */
function isOver(now: number, busy: number, worked: number): boolean {
  const times = { now: 5_000, busy: 3_000, worked: 2_000 };
  const patience = startPatience(10_000, () => ({ ...times }));
  Object.assign(times, {
    now: times.now + now * 1_000,
    busy: times.busy + busy * 1_000,
    worked: times.worked + worked * 1_000,
  });
  return patience.isOver();
}

it('a wait ends at its limit where the process got a processor whenever it wanted one', () => {
  assert.equal(isOver(9, 9, 9), false);
  assert.equal(isOver(10.1, 10.1, 10.1), true);
  assert.equal(isOver(10.1, 0.1, 0.1), true);
  assert.equal(isOver(10.1, 0, 0), true);
});

it('it is longer as the process got less, but never more than four times as long', () => {
  assert.equal(isOver(19, 4, 2), false);
  assert.equal(isOver(21, 4, 2), true);
  assert.equal(isOver(39, 30, 1), false);
  assert.equal(isOver(41, 30, 1), true);
});
