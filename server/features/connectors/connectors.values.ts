/** Reads values of bodies that anybody may have written: what is not of the expected type is absent. */
export type Values = Record<string, unknown>;

export const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectOf = (value: unknown): Values => (isObject(value) ? value : {});

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Null where it is no text, or an empty one. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** A number, its digits as text, or the halves of a 64-bit number. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'string') return /^\d{1,15}$/.test(value) ? Number(value) : null;
  if (!isObject(value) || typeof value.low !== 'number' || typeof value.high !== 'number') return null;
  return value.high * 2 ** 32 + (value.low >>> 0);
}
