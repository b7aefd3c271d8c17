/**
 * The part of JSON Schema that describes the arguments of a tool. Arguments are checked by reading the schema, not by
 * code that is made from it: the schemas of MCP servers are written by strangers. Without `pattern`, because an
 * expression that backtracks would hold up the process.
 */
import type { ParameterSchema } from '../../../contract/tools.ts';

export type Arguments = Readonly<Record<string, unknown>>;

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
const describing = ['title', 'description', 'default', 'examples', 'format', 'deprecated', '$comment'];
const counts = ['minLength', 'maxLength', 'minItems', 'maxItems'];
const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const rest = [
  'type',
  'properties',
  'required',
  'additionalProperties',
  'enum',
  'const',
  'items',
  'uniqueItems',
];
const known = new Set([...describing, ...counts, ...bounds, ...rest]);
const maxDepth = 5;
const propertyName = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** What is wrong with a schema of arguments, or null. */
export function parametersProblem(schema: ParameterSchema, maxProperties: number): string | null {
  if (schema.type !== 'object') return 'parameters.type must be "object"';
  const names = Object.keys(propertiesOf(schema));
  if (names.length > maxProperties)
    return `parameters.properties must have at most ${maxProperties} properties`;
  return schemaProblem(schema, 'parameters', 0);
}

function schemaProblem(schema: unknown, path: string, depth: number): string | null {
  if (!isObject(schema)) return `${path} must be an object`;
  if (depth > maxDepth) return `${path} is nested too deeply`;
  const unknown = Object.keys(schema).find((keyword) => !known.has(keyword));
  if (unknown !== undefined) return `${path}.${unknown.slice(0, 100)} is not supported`;
  const { type, properties, required, items, enum: values, additionalProperties } = schema;
  const given = type === undefined ? [] : [type].flat();
  if (given.some((one) => !types.includes(one as string))) return `${path}.type is not a type`;
  if (properties !== undefined && !isObject(properties)) return `${path}.properties must be an object`;
  const names = Object.keys(propertiesOf(schema));
  const bad = names.find((name) => !propertyName.test(name));
  if (bad !== undefined) {
    return `${path}.properties.${bad.slice(0, 100)} must begin with a letter, followed by at most 63 letters, digits, _ or -`;
  }
  if (required !== undefined) {
    if (!Array.isArray(required)) return `${path}.required must be an array`;
    if (required.some((name) => !names.includes(name)))
      return `${path}.required must have names of properties`;
  }
  if (values !== undefined && (!Array.isArray(values) || values.length === 0)) {
    return `${path}.enum must be an array of values`;
  }
  if (additionalProperties !== undefined && typeof additionalProperties !== 'boolean') {
    return `${path}.additionalProperties must be true or false`;
  }
  const count = counts.find((one) => schema[one] !== undefined && !isCount(schema[one]));
  if (count) return `${path}.${count} must be a whole number`;
  const bound = bounds.find((one) => schema[one] !== undefined && typeof schema[one] !== 'number');
  if (bound) return `${path}.${bound} must be a number`;
  if (items !== undefined) {
    const problem = schemaProblem(items, `${path}.items`, depth + 1);
    if (problem) return problem;
  }
  for (const name of names) {
    const problem = schemaProblem(propertiesOf(schema)[name], `${path}.properties.${name}`, depth + 1);
    if (problem) return problem;
  }
  return null;
}

/** What is wrong with the arguments, or null. `isClosed`: those that the schema does not name are refused. */
export function argumentsProblem(schema: ParameterSchema, given: Arguments, isClosed = true): string | null {
  return valueProblem(isClosed ? { ...schema, additionalProperties: false } : schema, given, 'arguments');
}

function valueProblem(schema: unknown, value: unknown, path: string): string | null {
  if (!isObject(schema)) return null;
  const { type, enum: values, const: only } = schema;
  const wanted = type === undefined ? [] : [type].flat();
  if (wanted.length > 0 && !wanted.some((one) => isOfType(one, value))) {
    return `${path} must be of the type ${wanted.join(' or ')}`;
  }
  if (Array.isArray(values) && !values.some((one) => same(one, value))) {
    return `${path} must be one of ${JSON.stringify(values).slice(0, 500)}`;
  }
  if (only !== undefined && !same(only, value))
    return `${path} must be ${JSON.stringify(only).slice(0, 500)}`;
  if (typeof value === 'string')
    return lengthProblem(schema, [...value].length, path, 'Length', 'characters');
  if (typeof value === 'number') return numberProblem(schema, value, path);
  if (Array.isArray(value)) return arrayProblem(schema, value, path);
  return isObject(value) ? objectProblem(schema, value, path) : null;
}

function lengthProblem(schema: ParameterSchema, length: number, path: string, of: string, what: string) {
  const [min, max] = [schema[`min${of}`], schema[`max${of}`]];
  if (typeof min === 'number' && length < min) return `${path} must have at least ${min} ${what}`;
  if (typeof max === 'number' && length > max) return `${path} must have at most ${max} ${what}`;
  return null;
}

function numberProblem(schema: ParameterSchema, value: number, path: string): string | null {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf } = schema;
  if (typeof minimum === 'number' && value < minimum) return `${path} must be at least ${minimum}`;
  if (typeof maximum === 'number' && value > maximum) return `${path} must be at most ${maximum}`;
  if (typeof above === 'number' && value <= above) return `${path} must be more than ${above}`;
  if (typeof below === 'number' && value >= below) return `${path} must be less than ${below}`;
  if (typeof multipleOf === 'number' && multipleOf > 0) {
    const parts = value / multipleOf;
    if (Math.abs(parts - Math.round(parts)) > 1e-9 * Math.max(1, Math.abs(parts))) {
      return `${path} must be a multiple of ${multipleOf}`;
    }
  }
  return null;
}

function arrayProblem(schema: ParameterSchema, value: unknown[], path: string): string | null {
  const problem = lengthProblem(schema, value.length, path, 'Items', 'items');
  if (problem) return problem;
  if (schema.uniqueItems === true && new Set(value.map((one) => JSON.stringify(one))).size < value.length) {
    return `${path} must not contain duplicates`;
  }
  return firstOf(value.map((one, at) => () => valueProblem(schema.items, one, `${path}[${at}]`)));
}

function objectProblem(schema: ParameterSchema, value: ParameterSchema, path: string): string | null {
  const properties = propertiesOf(schema);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${path}.${missing} is required`;
  if (schema.additionalProperties === false) {
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(properties, name));
    if (unknown !== undefined) return `${path}.${unknown.slice(0, 100)} is unknown`;
  }
  const names = Object.keys(value).filter((name) => Object.hasOwn(properties, name));
  return firstOf(names.map((name) => () => valueProblem(properties[name], value[name], `${path}.${name}`)));
}

function firstOf(checks: (() => string | null)[]): string | null {
  for (const check of checks) {
    const problem = check();
    if (problem) return problem;
  }
  return null;
}

export const propertiesOf = ({ properties }: ParameterSchema): ParameterSchema =>
  isObject(properties) ? properties : {};

function isOfType(type: unknown, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return Number.isFinite(value);
  return typeof value === type;
}

const isObject = (value: unknown): value is ParameterSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
