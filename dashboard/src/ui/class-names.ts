/** Joins class names. Tailwind finds them because they appear literally in the source. */
export function cx(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
