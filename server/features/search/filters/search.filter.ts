/** Reads `filter`: checks its form and its fields, and compiles it for the search engine. */
import {
  type Comparison,
  callerAsAssignee,
  comparisonOf,
  comparisons,
  filterLimits,
} from '../../../../contract/crm/filters.ts';
import { badRequest } from '../../../platform/http/errors.ts';
import { findTimeZone, type TimeZone } from '../../../platform/time-zone.ts';
import type { Condition, Leaf } from '../../../search-engine/columns/conditions.ts';
import type { FieldDefinition } from '../../kanbans/kanbans.ts';
import { readDates, readTimes } from './search.filter-times.ts';
import { finiteNumber, type Given, listOf, stringOf } from './search.filter-values.ts';

export interface FilterContext {
  /** The fields that may be named. */
  fieldOf(id: string): FieldDefinition | undefined;
  /** Who `me` is; null for a token. */
  callerId: string;
  now: number;
}

export function compileFilter(text: string, context: FilterContext): Condition {
  const parsed = parse(text);
  const { timeZone, ...node } = parsed;
  const zone = timeZone === undefined ? utc : typeof timeZone === 'string' ? findTimeZone(timeZone) : null;
  if (!zone) throw badRequest('filter.timeZone must be an IANA name such as America/Sao_Paulo');
  return new Compiler(context, zone).node(node, 'filter', 1);
}

const utc = findTimeZone('UTC')!;

function parse(text: string): { [name: string]: unknown } {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isObject(parsed)) return parsed;
  } catch {
    // The same message as for JSON of another kind.
  }
  throw badRequest('filter must be a JSON object, for example {"and":[{"field":"title","op":"notEmpty"}]}');
}

class Compiler {
  readonly #context: FilterContext;
  readonly #zone: TimeZone;
  #conditions = 0;

  constructor(context: FilterContext, zone: TimeZone) {
    this.#context = context;
    this.#zone = zone;
  }

  node(node: unknown, path: string, depth: number): Condition {
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

  #leaf(node: { [name: string]: unknown }, path: string): Leaf {
    if (++this.#conditions > filterLimits.conditions) {
      throw badRequest(`filter must have at most ${filterLimits.conditions} conditions`);
    }
    const unknown = Object.keys(node).find((key) => !members.includes(key));
    if (unknown !== undefined) throw badRequest(`${path} has an unknown member ${quote(unknown)}`);
    const { field } = node;
    if (typeof field !== 'string') throw badRequest(`${path}.field is required`);
    const comparison = comparisonOf(field, this.#context.fieldOf(field)?.type);
    if (!comparison) {
      throw badRequest(
        `${path}.field must be title, status, assignedUserIds, labelIds, createdAt, updatedAt or the id of a field of the board`,
      );
    }
    const allowed: readonly string[] = comparisons[comparison];
    if (typeof node.op !== 'string' || !allowed.includes(node.op)) {
      throw badRequest(`${path}.op must be one of ${allowed.join(', ')}`);
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
    return this.#compare(field, comparison, given);
  }

  #compare(field: string, comparison: Comparison, given: Given): Leaf {
    const { op } = given;
    const isNegated = negated.includes(op);
    switch (comparison) {
      case 'text': {
        const operator =
          op === 'startsWith' ? op : op === 'contains' || op === 'notContains' ? 'contains' : 'is';
        return { field, test: 'text', operator, values: listOf(given, stringOf), isNegated };
      }
      case 'option':
      case 'options': {
        const values = listOf(given, stringOf).map((value) =>
          field === 'assignedUserIds' && value === callerAsAssignee ? this.#context.callerId : value,
        );
        return { field, test: op === 'allOf' ? 'hasAll' : 'hasAny', values, isNegated };
      }
      case 'boolean':
        if (typeof given.value !== 'boolean') throw badRequest(`${given.path}.value must be true or false`);
        return { field, test: 'inRanges', ranges: [exactly(given.value ? 1 : 0)], isNegated };
      case 'number':
        return { field, test: 'inRanges', ranges: numberRanges(given), isNegated };
      case 'date':
        return {
          field,
          test: 'inRanges',
          ranges: readDates(given, this.#context.now, this.#zone),
          isNegated,
        };
      case 'time':
        return {
          field,
          test: 'inRanges',
          ranges: readTimes(given, this.#context.now, this.#zone),
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

function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
