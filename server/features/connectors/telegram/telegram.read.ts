/** Reads JSON of which nothing is certain. */
export type Json = Record<string, unknown>;

export const asObject = (value: unknown): Json | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;

export const asObjects = (value: unknown): Json[] =>
  Array.isArray(value) ? value.map(asObject).filter((one) => one !== null) : [];

/** Null for an empty text. PostgreSQL stores neither NUL nor half a surrogate pair. */
export const asText = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value.replaceAll('\0', '').toWellFormed() : null;

export const asNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
