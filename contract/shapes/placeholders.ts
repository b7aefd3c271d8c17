/** `{{customer}}` and its like in saved replies and macros: how they are written and which ones every board has. */
export const placeholderNames = ['customer', 'first name', 'operator', 'board'] as const;

const form = /\{\{\s*([^{}]+?)\s*\}\}/g;

export interface Placeholder {
  /** As written, with its braces. */
  text: string;
  name: string;
  at: number;
}

export const placeholdersIn = (text: string): Placeholder[] =>
  [...text.matchAll(form)].map((match) => ({ text: match[0], name: match[1]!, at: match.index }));

/** One without a value stays, so that nobody sends a gap unnoticed. `valueFor` gets the name in lower case. */
export function replacePlaceholders(text: string, valueFor: (name: string) => string | null): string {
  return text.replace(form, (whole, name: string) => valueFor(name.toLowerCase()) || whole);
}

export const firstNameOf = (customer: string): string | null => customer.trim().split(/\s+/)[0] ?? null;
