/** PostgreSQL stores neither NUL nor an unpaired surrogate, in texts and in the names and texts of JSON. */
export const cleanText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** For each value that JSON.parse or JSON.stringify comes across; what is inside an object is visited too. */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const names = Object.keys(value);
  if (names.every((name) => cleanText(name) === name)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [cleanText(name), inner]));
}
