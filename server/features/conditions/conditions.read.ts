/** Reads conditions: their form, their fields and their operators, and what they refer to. */
import {
  type ConditionField,
  type ConditionKind,
  conditionFields,
  conditionKinds,
  conditionLimits,
  fieldOfCondition,
  isConditionField,
  kindOfField,
  operatorsOf,
  patternOperator,
} from '../../../contract/conditions.ts';
import {
  callerAsAssignee,
  comparisonOf,
  isOwnFilterField,
  ownFilterFields,
} from '../../../contract/crm/filters.ts';
import type { FieldType } from '../../../contract/limits.ts';
import { badRequest } from '../../platform/http/errors.ts';
import { findTimeZone, type TimeZone } from '../../platform/time-zone.ts';
import { contactKey } from '../blocked-contacts/blocked-contacts.ts';
import { type FilterObject, type FilterReading, type FilterTree, readFilter } from '../search/search.ts';

/** What is not a comparison of one value with others. */
export type SpecialCondition =
  | { test: 'hours'; hoursId: string; isOpen: boolean }
  | { test: 'pattern'; field: string; pattern: string };
export type ConditionTree = FilterTree<SpecialCondition>;
export type ConditionPart = Exclude<
  ConditionTree,
  { and: readonly ConditionTree[] } | { or: readonly ConditionTree[] }
>;

export interface ConditionFields {
  /** The fields of records that may be named. */
  fieldOf(id: string): { type: FieldType; name: string } | undefined;
  kinds?: readonly ConditionKind[];
  /** Who `me` is; null: nobody, as for a rule. */
  me?: string | null;
}

/** What a condition names, with its place. */
export interface Reference {
  kind: 'channel' | 'agent' | 'user' | 'team' | 'label' | 'hours' | 'pattern';
  /** Of a pattern, its text. */
  id: string;
  path: string;
}

/** Conditions that were read once. `inLast` and `inNext` mean other times whenever they are evaluated. */
export class Conditions {
  readonly fields: ReadonlySet<string>;
  readonly references: readonly Reference[];
  readonly zone: TimeZone;
  readonly #read: (now: number) => ConditionTree;
  #tree: ConditionTree | null = null;

  constructor(value: unknown, path: string, context: ConditionFields) {
    const fields = new Set<string>();
    const references: Reference[] = [];
    let isFirst = true;
    let isRelative = false;
    let at = 0;
    const reading = readingOf(context, {
      field: (field) => void fields.add(field),
      reference: (reference) => void (isFirst && references.push(reference)),
      now() {
        isRelative = true;
        return at;
      },
    });
    const first = readFilter(value, path, reading);
    isFirst = false;
    if (!isRelative) this.#tree = first;
    this.#read = (now) => {
      at = now;
      return readFilter(value, path, reading);
    };
    this.fields = fields;
    this.references = references;
    this.zone = findTimeZone((value as { timeZone?: string }).timeZone ?? 'UTC')!;
  }

  /** The ids of everything that they name. */
  get uses(): string[] {
    const named = this.references.filter(({ kind }) => kind !== 'pattern').map(({ id }) => id);
    const fields = [...this.fields].filter((field) => !isConditionField(field) && !isOwnFilterField(field));
    return [...new Set([...named, ...fields])];
  }

  at(now: number): ConditionTree {
    return this.#tree ?? this.#read(now);
  }
}

interface Noted {
  field(name: string): void;
  reference(reference: Reference): void;
  now(): number;
}

function readingOf(
  { fieldOf, kinds = conditionKinds, me = null }: ConditionFields,
  noted: Noted,
): FilterReading<SpecialCondition> {
  return {
    fieldOf(name) {
      if (!kinds.includes(kindOfField(name))) return null;
      noted.field(name);
      if (isConditionField(name)) {
        return { comparison: fieldOfCondition(name).comparison, operators: operatorsOf(name) };
      }
      const comparison = comparisonOf(name, fieldOf(name)?.type);
      return comparison && { comparison };
    },
    get fieldNames() {
      const named = Object.keys(conditionFields).filter((field) => kinds.includes(kindOfField(field)));
      const ofRecords = [...Object.keys(ownFilterFields), 'the id of a field of a board'];
      return `one of ${[...(kinds.includes('record') ? ofRecords : []), ...named].join(', ')}`;
    },
    get now() {
      return noted.now();
    },
    valueFor(field, value, path) {
      if (field === 'contact.phone') return phonePart(value);
      const { refersTo, values } = aboutValues(field);
      if (refersTo === 'user' && value === callerAsAssignee) return meAt(me, path);
      if (values && !values.includes(value)) throw badRequest(`${path} must be one of ${values.join(', ')}`);
      if (refersTo) noted.reference({ kind: refersTo, id: value, path });
      return value;
    },
    readPart(node, path) {
      if (!Object.hasOwn(node, 'withinHours')) return null;
      const part = readHours(node, path);
      noted.reference({ kind: 'hours', id: part.hoursId, path: `${path}.withinHours` });
      return part;
    },
    readOwn(field, { op, value, path }) {
      if (op !== patternOperator) return null;
      if (typeof value !== 'string' || value === '') throw badRequest(`${path}.value must be a string`);
      const max = conditionLimits.patternLength;
      if (value.length > max) throw badRequest(`${path}.value must have at most ${max} characters`);
      noted.reference({ kind: 'pattern', id: value, path: `${path}.value` });
      return { test: 'pattern', field, pattern: value };
    },
  };
}

function aboutValues(field: string): Pick<ConditionField, 'refersTo' | 'values'> {
  if (isConditionField(field)) return fieldOfCondition(field);
  if (field === 'assignedUserIds') return { refersTo: 'user' };
  return field === 'labelIds' ? { refersTo: 'label' } : {};
}

function readHours(node: FilterObject, path: string): SpecialCondition & { test: 'hours' } {
  const { withinHours, is, ...others } = node;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw badRequest(`${path} must have either "withinHours" or a condition on a field, not both`);
  }
  if (typeof withinHours !== 'string')
    throw badRequest(`${path}.withinHours must be the id of opening hours`);
  if (typeof is !== 'boolean') throw badRequest(`${path}.is must be true or false`);
  return { test: 'hours', hoursId: withinHours, isOpen: is };
}

function meAt(me: string | null, path: string): string {
  if (me === null) throw badRequest(`${path} must be the id of a user: "${callerAsAssignee}" is nobody here`);
  return me;
}

/** Numbers are stored as their digits; a part of one may be too short to be recognised. */
function phonePart(value: string): string {
  const key = contactKey(value);
  const digits = key.replace(/\D/g, '');
  return digits !== '' && /^[\d\s+().-]+$/.test(key) ? digits : key;
}
