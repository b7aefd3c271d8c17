/** Joins what is there; Tailwind sees the names because they stand in the source as they are. */
export function cx(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
