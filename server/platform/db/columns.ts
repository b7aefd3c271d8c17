/**
 * The columns of a table, by the properties of what is written to it. A property without its column does not compile, and
 * every statement that writes such rows takes their names and values from this one list.
 */
import { Sql } from './sql.ts';

type ColumnType =
  | 'bigint'
  | 'bigint[]'
  | 'boolean'
  | 'bytea'
  | 'float8'
  | 'int'
  | 'jsonb'
  | 'text'
  | 'text[]'
  | 'uuid'
  | 'uuid[]';

export interface Column<Item> {
  name: string;
  type: ColumnType;
  /** Null or undefined: it has none. */
  value(item: Item): unknown;
  /** The table's own default, if that is not null. */
  byDefault?: unknown;
}

/** Its name and type. */
type Plain = readonly [string, ColumnType];

/** By property: the name and type of its column, or the columns that are made of it. */
export type Columns<Item> = {
  readonly [Property in keyof Required<Item>]: Plain | readonly Column<Item>[];
};

export interface Table<Item> {
  /** `a, b, c`: what to insert, and what to select from the rows. */
  readonly names: Sql;
  /** Of the rows that are called so: `g.a, g.b, g.c`. */
  namesOf(alias: string): Sql;
  /** `json_to_recordset(…) as <alias> (a uuid, b text, …)`, one row for each item. */
  rows(items: readonly Item[], alias?: string): Sql;
  /** To insert: names and rows without the columns for which no item has a value. */
  given(items: readonly Item[]): { names: Sql; rows: Sql };
}

/** `derived` are columns that are made of the whole item. */
export function tableOf<Item, Whole extends Item = Item>(
  columns: Columns<Item>,
  derived: readonly Column<Whole>[] = [],
): Table<Whole> {
  const own = (Object.keys(columns) as (keyof Item & string)[]).flatMap((property): Column<Whole>[] => {
    const given: Plain | readonly Column<Item>[] = columns[property];
    if (!isPlain(given)) return [...given];
    const [name, type] = given;
    return [{ name, type, value: (item) => item[property] }];
  });
  const all = [...own, ...derived];
  const names = namesOf(all);
  const aliases = new Map<string, { names: Sql; rows: readonly string[] }>();
  const aliased = (alias: string) => {
    let known = aliases.get(alias);
    if (!known) {
      const prefixed = all.map(({ name }) => `${alias}.${name}`).join(', ');
      known = { names: new Sql([prefixed], []), rows: recordset(all, alias) };
      aliases.set(alias, known);
    }
    return known;
  };
  const choices = new Map<string, Choice<Whole>>();
  const choiceOf = (chosen: readonly Column<Whole>[]): Choice<Whole> => {
    const key = namesOf(chosen);
    const known = choices.get(key);
    if (known) return known;
    // Each is a statement that every connection prepares: what comes after these has all columns.
    if (choices.size >= maxChoices && chosen !== all) return choiceOf(all);
    const choice = { columns: chosen, names: new Sql([key], []), rows: recordset(chosen, 'r') };
    choices.set(key, choice);
    return choice;
  };
  return {
    names: new Sql([names], []),
    namesOf: (alias) => aliased(alias).names,
    rows: (items, alias = 'r') =>
      new Sql(aliased(alias).rows, [jsonText(items.map((item) => rowOf(all, item)))]),
    given: (items) => {
      const used = all.filter(({ value }) => items.some((item) => (value(item) ?? null) !== null));
      const choice = choiceOf(used);
      return {
        names: choice.names,
        rows: new Sql(choice.rows, [jsonText(items.map((item) => rowOf(choice.columns, item)))]),
      };
    },
  };
}

/** Of the columns of an insert. */
const maxChoices = 12;

interface Choice<Item> {
  columns: readonly Column<Item>[];
  names: Sql;
  rows: readonly string[];
}

const namesOf = (columns: readonly Pick<Column<never>, 'name'>[]): string =>
  columns.map(({ name }) => name).join(', ');

/** One array for each statement: its identity identifies the text. */
function recordset(
  columns: readonly Pick<Column<never>, 'name' | 'type'>[],
  alias: string,
): readonly string[] {
  const declared = columns.map(({ name, type }) => `${name} ${type}`).join(', ');
  return ['json_to_recordset(', `::json) as ${alias} (${declared})`];
}

function rowOf<Item>(columns: readonly Column<Item>[], item: Item): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const { name, value, byDefault } of columns) {
    const given = value(item) ?? byDefault;
    // A column that is left out is null, and takes neither space nor time.
    if (given !== null && given !== undefined) row[name] = given;
  }
  return row;
}

const isPlain = <Item>(given: Plain | readonly Column<Item>[]): given is Plain =>
  typeof given[0] === 'string';

const mayHaveHalfPair = /\\ud[89a-f]/;

/** PostgreSQL refuses half of a surrogate pair in a document; as a parameter the driver would replace it. */
function jsonText(rows: unknown): string {
  const text = JSON.stringify(rows);
  if (!mayHaveHalfPair.test(text)) return text;
  return JSON.stringify(rows, (_name, value) => (typeof value === 'string' ? value.toWellFormed() : value));
}
