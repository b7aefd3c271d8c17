/** The value of a condition: one, or a list where the operator takes several. */
import { filterLimits } from '../../../../contract/crm/filters.ts';
import { badRequest } from '../../../platform/http/errors.ts';

export interface Given {
  op: string;
  value: unknown;
  unit: unknown;
  path: string;
}

const takesList = ['anyOf', 'noneOf', 'allOf', 'between'];

/** `length` is the required number of values. Operators without a list give a list of one. */
export function listOf<T>(
  { op, value, path }: Given,
  read: (value: unknown, path: string) => T,
  length?: number,
): T[] {
  if (!takesList.includes(op)) return [read(value, `${path}.value`)];
  if (length !== undefined && (!Array.isArray(value) || value.length !== length)) {
    throw badRequest(`${path}.value must be a list of ${length} values with ${op}`);
  }
  if (!Array.isArray(value) || value.length === 0 || value.length > filterLimits.values) {
    throw badRequest(`${path}.value must be a list of 1 to ${filterLimits.values} values with ${op}`);
  }
  return value.map((one, i) => read(one, `${path}.value[${i}]`));
}

export function stringOf(value: unknown, path: string): string {
  if (typeof value !== 'string') throw badRequest(`${path} must be a string`);
  if (value === '') throw badRequest(`${path} must not be empty: use the operator empty`);
  if (value.length > filterLimits.valueLength) {
    throw badRequest(`${path} must have at most ${filterLimits.valueLength} characters`);
  }
  return value;
}

export function finiteNumber(value: unknown, path: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw badRequest(`${path} must be a number`);
  return value;
}
