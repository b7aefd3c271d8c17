/** Makes a slug (`a-z0-9-`) from a name in any script, as far as it has Latin letters or digits. */
export function slugOf(name: string, fallback: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 80)
    .replace(/^-+|-+$/g, '');
  return slug || fallback;
}

/** The name itself, or with the first free number from 2. */
export function uniqueName(name: string, taken: readonly string[]): string {
  let candidate = name;
  for (let number = 2; taken.includes(candidate); number++) candidate = `${name}-${number}`;
  return candidate;
}
