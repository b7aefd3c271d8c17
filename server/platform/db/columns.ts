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
  value(item: Item): unknown;
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
  const names = all.map(({ name }) => name);
  const declared = all.map(({ name, type }) => `${name} ${type}`).join(', ');
  const aliases = new Map<string, { names: Sql; rows: readonly string[] }>();
  const aliased = (alias: string) => {
    let known = aliases.get(alias);
    if (!known) {
      known = {
        names: new Sql([names.map((name) => `${alias}.${name}`).join(', ')], []),
        // One array for each statement: its identity identifies the text.
        rows: ['json_to_recordset(', `::json) as ${alias} (${declared})`],
      };
      aliases.set(alias, known);
    }
    return known;
  };
  const rowOf = (item: Whole) => {
    const row: Record<string, unknown> = {};
    for (const { name, value } of all) {
      const given = value(item);
      // A column that is left out is null, and takes neither space nor time.
      if (given !== null && given !== undefined) row[name] = given;
    }
    return row;
  };
  return {
    names: new Sql([names.join(', ')], []),
    namesOf: (alias) => aliased(alias).names,
    rows: (items, alias = 'r') => new Sql(aliased(alias).rows, [jsonText(items.map(rowOf))]),
  };
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
