/** Raising the numbers of several cards by an amount or a percentage. */
import type { FieldType } from '../../../../contract/limits.ts';

export const howsToChange = ['set', 'add', 'percent'] as const;
export type HowToChange = (typeof howsToChange)[number];

/** Without the noise of binary fractions: 0.1 + 0.2 is 0.3, and money has cents. */
export function raised(
  type: FieldType,
  how: Exclude<HowToChange, 'set'>,
  current: unknown,
  by: number,
): number {
  const value = Number(current);
  const next = how === 'add' ? value + by : value * (1 + by / 100);
  return Number(next.toFixed(type === 'currency' ? 2 : 6));
}
