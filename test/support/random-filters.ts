/** Filters of any form, from a seed: a failing run can be repeated. */
import { type Comparison, comparisons } from '../../contract/crm/filters.ts';
import type { Json } from './service.ts';

export type Random = ReturnType<typeof generator>;

export function generator(seed: number) {
  let state = seed >>> 0 || 1;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return {
    pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!,
    chance: (p: number) => next() < p,
  };
}

/** `valueFor` is a value that suits the operator. */
export function anyCondition(
  { pick }: Random,
  field: string,
  comparison: Comparison,
  valueFor: (op: string) => unknown,
): Json {
  const op: string = pick(comparisons[comparison]);
  if (op === 'empty' || op === 'notEmpty') return { field, op };
  if (op === 'inLast' || op === 'inNext') {
    const units = comparison === 'date' ? ['days', 'weeks', 'months'] : ['hours', 'days', 'weeks', 'months'];
    return { field, op, value: pick([1, 2, 5, 30]), unit: pick(units) };
  }
  const takesList = ['between', 'anyOf', 'noneOf', 'allOf'].includes(op);
  return { field, op, value: takesList ? [valueFor(op), valueFor(op)] : valueFor(op) };
}

/** Groups up to `depth` deep. */
export function anyNode(random: Random, depth: number, condition: () => Json): Json {
  const { pick, chance } = random;
  if (depth === 0 || chance(0.5)) return condition();
  const parts = Array.from({ length: pick([1, 2, 3]) }, () => anyNode(random, depth - 1, condition));
  return chance(0.5) ? { and: parts } : { or: parts };
}
