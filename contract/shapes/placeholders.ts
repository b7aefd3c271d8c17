/** `{{customer}}` and its like in saved replies and macros: how they are written and which ones every board has. */
export const placeholderNames = ['customer', 'first name', 'operator', 'board'] as const;

/** Spaces are trimmed in code: as parts of the expression they would make it slow on a long text of spaces. */
const form = /\{\{([^{}]+)\}\}/g;

export interface Placeholder {
  /** As written, with its braces. */
  text: string;
  name: string;
  at: number;
}

export const placeholdersIn = (text: string): Placeholder[] =>
  [...text.matchAll(form)]
    .map((match) => ({ text: match[0], name: match[1]!.trim(), at: match.index }))
    .filter(({ name }) => name !== '');

/** One without a value stays, so that a gap is never sent unnoticed. `valueFor` gets the name in lower case, and as written. */
export function replacePlaceholders(
  text: string,
  valueFor: (name: string, written: string) => string | null,
): string {
  return text.replace(form, (whole, inside: string) => {
    const written = inside.trim();
    return (written && valueFor(written.toLowerCase(), written)) || whole;
  });
}

export const firstNameOf = (customer: string): string | null => customer.trim().split(/\s+/)[0] ?? null;
