/**
 * Reads a filter: checks its form and its fields, and compiles it. What fields there are, and which conditions besides
 * those on fields, is the caller's: filters on records and conditions on conversations have the same form.
 */
import { type Comparison, comparisons, filterLimits } from '../../../../contract/crm/filters.ts';
import { badRequest } from '../../../platform/http/errors.ts';
import { findTimeZone, type TimeZone } from '../../../platform/time-zone.ts';
import type { Leaf } from '../../../search-engine/columns/conditions.ts';
import { readDates, readTimes } from './search.filter-times.ts';
import { finiteNumber, type Given, listOf, stringOf } from './search.filter-values.ts';

/** `Special`: conditions besides those that compare a field. */
export type FilterTree<Special = never> =
  | { and: readonly FilterTree<Special>[] }
  | { or: readonly FilterTree<Special>[] }
  | Leaf
  | Special;

export interface FilterField {
  comparison: Comparison;
  /** Those of the comparison, unless it has others. */
  operators?: readonly string[];
}

export interface FilterReading<Special = never> {
  /** Null: it may not be named. */
  fieldOf(field: string): FilterField | null;
  /** For the message about one that may not. */
  fieldNames: string;
  /** A text or an option as it is compared; it throws for one that cannot be. */
  valueFor(field: string, value: string, path: string): string;
  readonly now: number;
  /** A part that compares no field; null: it is a condition on a field. */
  readPart?(node: FilterObject, path: string): Special | null;
  /** A condition with an operator of its own. */
  readOwn?(field: string, given: Given): Special | null;
}

export type FilterObject = { [name: string]: unknown };

/** `path` names it in messages. */
export function readFilter<Special = never>(
  value: unknown,
  path: string,
  reading: FilterReading<Special>,
): FilterTree<Special> {
  if (!isObject(value)) {
    throw badRequest(
      `${path} must be a JSON object, for example {"and":[{"field":"title","op":"notEmpty"}]}`,
    );
  }
  const { timeZone, ...node } = value;
  const zone = timeZone === undefined ? utc : typeof timeZone === 'string' ? findTimeZone(timeZone) : null;
  if (!zone) throw badRequest(`${path}.timeZone must be an IANA name such as America/Sao_Paulo`);
  return new Compiler(reading, zone, path).node(node, path, 1);
}

const utc = findTimeZone('UTC')!;

class Compiler<Special> {
  readonly #reading: FilterReading<Special>;
  readonly #zone: TimeZone;
  readonly #root: string;
  #conditions = 0;

  constructor(reading: FilterReading<Special>, zone: TimeZone, root: string) {
    this.#reading = reading;
    this.#zone = zone;
    this.#root = root;
  }

  node(node: unknown, path: string, depth: number): FilterTree<Special> {
    if (!isObject(node)) throw badRequest(`${path} must be an object`);
    const groups = ['and', 'or'].filter((name) => Object.hasOwn(node, name));
    if (groups.length === 0) return this.#leaf(node, path);
    const name = groups[0]!;
    const other = Object.keys(node).find((key) => key !== name);
    if (other !== undefined) {
      throw badRequest(
        `${path} must have either "and", "or" or a condition, not ${quote(name)} and ${quote(other)}`,
      );
    }
    if (depth > filterLimits.depth) {
      throw badRequest(`${path} is nested too deeply: groups may be ${filterLimits.depth} deep`);
    }
    const parts = node[name];
    if (!Array.isArray(parts) || parts.length === 0) {
      throw badRequest(`${path}.${name} must be a list of at least 1 condition`);
    }
    const compiled = parts.map((part, i) => this.node(part, `${path}.${name}[${i}]`, depth + 1));
    return name === 'and' ? { and: compiled } : { or: compiled };
  }

  #leaf(node: FilterObject, path: string): Leaf | Special {
    if (++this.#conditions > filterLimits.conditions) {
      throw badRequest(`${this.#root} must have at most ${filterLimits.conditions} conditions`);
    }
    const part = this.#reading.readPart?.(node, path) ?? null;
    if (part !== null) return part;
    const unknown = Object.keys(node).find((key) => !members.includes(key));
    if (unknown !== undefined) throw badRequest(`${path} has an unknown member ${quote(unknown)}`);
    const { field } = node;
    if (typeof field !== 'string') throw badRequest(`${path}.field is required`);
    const known = this.#reading.fieldOf(field);
    if (!known) throw badRequest(`${path}.field must be ${this.#reading.fieldNames}`);
    const { comparison, operators = comparisons[comparison] as readonly string[] } = known;
    if (typeof node.op !== 'string' || !operators.includes(node.op)) {
      throw badRequest(`${path}.op must be one of ${operators.join(', ')}`);
    }
    const given = { op: node.op, value: node.value, unit: node.unit, path };
    if (given.unit !== undefined && given.op !== 'inLast' && given.op !== 'inNext') {
      throw badRequest(`${path}.unit is only for inLast and inNext`);
    }
    if (given.op === 'empty' || given.op === 'notEmpty') {
      if (given.value !== undefined) throw badRequest(`${path}.value must be omitted with ${given.op}`);
      return { field, test: 'isEmpty', isNegated: given.op === 'notEmpty' };
    }
    if (given.value === undefined) throw badRequest(`${path}.value is required with ${given.op}`);
    return this.#reading.readOwn?.(field, given) ?? this.#compare(field, comparison, given);
  }

  #compare(field: string, comparison: Comparison, given: Given): Leaf {
    const { op } = given;
    const isNegated = negated.includes(op);
    const read = (value: unknown, path: string) => this.#reading.valueFor(field, stringOf(value, path), path);
    switch (comparison) {
      case 'text': {
        const operator =
          op === 'startsWith' ? op : op === 'contains' || op === 'notContains' ? 'contains' : 'is';
        return { field, test: 'text', operator, values: listOf(given, read), isNegated };
      }
      case 'option':
      case 'options':
        return {
          field,
          test: op === 'allOf' ? 'hasAll' : 'hasAny',
          values: listOf(given, read),
          isNegated,
        };
      case 'boolean':
        if (typeof given.value !== 'boolean') throw badRequest(`${given.path}.value must be true or false`);
        return { field, test: 'inRanges', ranges: [exactly(given.value ? 1 : 0)], isNegated };
      case 'number':
        return { field, test: 'inRanges', ranges: numberRanges(given), isNegated };
      case 'date':
        return {
          field,
          test: 'inRanges',
          ranges: readDates(given, this.#reading.now, this.#zone),
          isNegated,
        };
      case 'time':
        return {
          field,
          test: 'inRanges',
          ranges: readTimes(given, this.#reading.now, this.#zone),
          isNegated,
        };
    }
  }
}

const members = ['field', 'op', 'value', 'unit'];
const negated = ['isNot', 'notContains', 'noneOf'];
const exactly = (value: number) => ({ from: value, to: value });
const quote = (name: string) => JSON.stringify(name.slice(0, 50));

function numberRanges(given: Given) {
  if (given.op === 'between') {
    const [from, to] = listOf(given, finiteNumber, 2);
    return [{ from: from!, to: to! }];
  }
  const values = listOf(given, finiteNumber);
  const [value] = values;
  switch (given.op) {
    case 'gt':
      return [{ from: value!, to: Infinity, isFromOpen: true }];
    case 'gte':
      return [{ from: value!, to: Infinity }];
    case 'lt':
      return [{ from: -Infinity, to: value!, isToOpen: true }];
    case 'lte':
      return [{ from: -Infinity, to: value! }];
    default:
      return values.map(exactly);
  }
}

function isObject(value: unknown): value is FilterObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
