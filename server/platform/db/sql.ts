/**
 * The template tag of every query. Fragments can be nested; values become parameters, and each distinct text gets one
 * prepared-statement name (named statements are 1.4 times as fast as unnamed ones here). Texts must come from a
 * bounded set: pass lists as arrays.
 */
import { createHash } from 'node:crypto';

export interface Prepared {
  name: string;
  text: string;
  values: unknown[];
}

export class Sql {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings;
    this.values = values;
  }

  statement(): Prepared {
    const values: unknown[] = [];
    const shape = follow(this, shapeOf(roots, this.strings), values);
    if (shape.text === '') {
      shape.text = textOf(this, { parameters: 0 });
      shape.name = createHash('sha256').update(shape.text).digest('base64url').slice(0, 20);
    }
    return { name: shape.name, text: shape.text, values };
  }
}

export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  return new Sql(strings, values);
}

/**
 * A statement whose text depends on what users wrote, such as a filter: under a name it would stay prepared in every
 * connection. It is also planned for its values.
 */
export function unnamed(statement: Sql): Sql {
  return new UnnamedSql(statement.strings, statement.values);
}

class UnnamedSql extends Sql {
  override statement(): Prepared {
    return { name: '', text: textOf(this, { parameters: 0 }), values: valuesOf(this) };
  }
}

function valuesOf({ values }: Sql): unknown[] {
  return values.flatMap((value) => (value instanceof Sql ? valuesOf(value) : [value]));
}

export const empty = new Sql([''], []);

export function join(parts: readonly Sql[], separator: string): Sql {
  if (parts.length === 0) return empty;
  return new Sql(['', ...Array(parts.length - 1).fill(separator), ''], parts);
}

/**
 * `with a, b, c`: the parts of a statement that is used often. Unlike that of a `join`, its text is computed once for each
 * sequence of parts, so these must be few.
 */
export function withParts(parts: readonly Sql[]): Sql {
  withs[parts.length] ??= ['with ', ...Array(parts.length - 1).fill(', '), ''];
  return new Sql(withs[parts.length]!, parts);
}

/** By the number of parts: its identity identifies the text. */
const withs: string[][] = [];

/**
 * `limit` for lists. As a parameter its value is unknown to a cached plan, so PostgreSQL plans every execution again;
 * as text it is known, but each value makes another statement. So the usual page sizes (plus the row that shows
 * whether there are more) are text.
 */
export function limitTo(rows: number): Sql {
  return usualLimits.get(rows) ?? sql`limit ${rows}`;
}

const usualLimits = new Map([20, 21, 50, 51, 100, 101].map((rows) => [rows, new Sql([`limit ${rows}`], [])]));

/**
 * A node in the tree of all statements: the templates seen so far, in order. The literal parts of a template are one
 * array for the life of the program, so its identity identifies its text; the text and name of a statement are
 * computed once per path.
 */
interface Shape {
  name: string;
  text: string;
  afterFragment: WeakMap<readonly string[], Shape> | null;
  afterValue: Shape | null;
}

const roots = new WeakMap<readonly string[], Shape>();

function newShape(): Shape {
  return { name: '', text: '', afterFragment: null, afterValue: null };
}

function shapeOf(known: WeakMap<readonly string[], Shape>, strings: readonly string[]): Shape {
  let shape = known.get(strings);
  if (!shape) {
    shape = newShape();
    known.set(strings, shape);
  }
  return shape;
}

function follow(part: Sql, from: Shape, values: unknown[]): Shape {
  let shape = from;
  for (const value of part.values) {
    if (value instanceof Sql) {
      shape.afterFragment ??= new WeakMap();
      shape = follow(value, shapeOf(shape.afterFragment, value.strings), values);
    } else {
      values.push(value);
      shape.afterValue ??= newShape();
      shape = shape.afterValue;
    }
  }
  return shape;
}

function textOf(part: Sql, count: { parameters: number }): string {
  let text = part.strings[0] ?? '';
  for (const [index, value] of part.values.entries()) {
    text += value instanceof Sql ? textOf(value, count) : `$${++count.parameters}`;
    text += part.strings[index + 1];
  }
  return text;
}

/** An array literal of PostgreSQL for elements that need no quotes; the driver would check each element. */
export function plainList(elements: readonly (string | number | boolean | null)[]): string {
  return `{${elements.map((element) => element ?? 'NULL').join(',')}}`;
}

/** Separates JSON texts: JSON has no control characters, so it cannot occur within one. */
export const jsonSeparator = '\x1e';
