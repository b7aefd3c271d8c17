/** Validators compiled from the contract's schemas when they are first needed, and their messages. */
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { ruleOf } from '../../../contract/shapes/patterns.ts';
import { badRequest } from './errors.ts';
import { textProblem } from './json-body.ts';

const strict = {
  allErrors: false,
  strict: false,
  // `strict: false` alone would accept 1e400, which is read as Infinity, as a number.
  strictNumbers: true,
  removeAdditional: false,
  useDefaults: false,
  // The test of the OpenAPI document does it. Here it compiles the schema of schemas first: 45 ms for each of the two.
  validateSchema: false,
  // Compiling the 134 bodies takes 0.5 s of processor time instead of 1.6; a check takes 0.2 µs longer.
  code: { optimize: false },
} as const;
/** JSON has types: "1" is not a number. A query string has only texts, so those are converted. */
const bodyAjv = new Ajv({ ...strict, coerceTypes: false });
const queryAjv = new Ajv({ ...strict, coerceTypes: true });

export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let validate: ValidateFunction | undefined;
  return (data: unknown) => {
    validate ??= (httpPart === 'body' ? bodyAjv : queryAjv).compile(schema);
    const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
    if (httpPart === 'body' && !isObject && !isAnything(schema)) {
      // Fastify passes a missing body as null.
      return { error: badRequest(data === null ? 'body is required' : 'body must be a JSON object') };
    }
    if (httpPart === 'querystring') {
      const problem = queryProblem(data as Record<string, unknown>);
      if (problem) return { error: badRequest(problem) };
    }
    if (validate(data)) {
      const endless = httpPart === 'body' ? undefined : endlessNumber(data as Record<string, unknown>);
      if (endless === undefined) return { value: data };
      return { error: badRequest(`${endless} must be a finite number`) };
    }
    return { error: badRequest(describe(validate.errors![0]!)) };
  };
};

/** `Type.Unknown()`: any JSON. */
const isAnything = (schema: TSchema) => !('type' in schema || 'anyOf' in schema || 'allOf' in schema);

/** The same check for a part of a body that is validated on its own, such as one item of a batch. */
export function checkObject<T extends TSchema>(schema: T, value: unknown): Static<T> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('item must be an object');
  const validate = bodyAjv.compile(schema);
  if (!validate(value)) throw badRequest(describe(validate.errors![0]!));
  return value as Static<T>;
}

/** A repeated parameter has no single value; one that cannot be stored cannot be found. */
function queryProblem(query: Record<string, unknown>): string | null {
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) return `${printable(name)} is given more than once`;
    if (value === undecodable) return `${printable(name)} is not valid UTF-8`;
    const problem = textProblem(String(value));
    if (problem) return `${printable(name)} ${problem}`;
  }
  return null;
}

/** "1e400" becomes Infinity, which Ajv accepts even as an integer. */
function endlessNumber(query: Record<string, unknown>): string | undefined {
  return Object.keys(query).find((name) => typeof query[name] === 'number' && !Number.isFinite(query[name]));
}

/** Marks bytes that are not text: percent-decoding can never produce it. */
const undecodable = '\ud800';

/**
 * The usual parsers replace bytes that are not UTF-8 or leave them encoded: either would search for something else.
 */
export function parseQueryString(text: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  for (const pair of text === '' ? [] : text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodePart(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decodePart(pair.slice(equals + 1));
    const earlier = query[name];
    query[name] = earlier === undefined ? value : [earlier, value].flat();
  }
  return query;
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undecodable;
  }
}

function printable(name: string): string {
  return name.toWellFormed().replaceAll('\0', '').slice(0, 100) || 'a parameter';
}

function describe(error: ErrorObject): string {
  const path = error.instancePath
    .slice(1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
    .split('/')
    .filter(Boolean);
  const name = path.reduce(
    (text, part) => (/^\d+$/.test(part) ? `${text}[${part}]` : text ? `${text}.${part}` : part),
    '',
  );
  const here = name || 'body';
  const { params } = error;
  switch (error.keyword) {
    case 'required':
      return `${name ? `${name}.` : ''}${params.missingProperty} is required`;
    case 'type':
      return `${here} must be ${article(params.type)}`;
    case 'enum':
      return `${here} must be one of ${params.allowedValues.join(', ')}`;
    case 'const':
      return `${here} must be ${JSON.stringify(params.allowedValue)}`;
    case 'minLength':
      return params.limit === 1
        ? `${here} must not be empty`
        : `${here} must have at least ${params.limit} characters`;
    case 'maxLength':
      return `${here} must have at most ${params.limit} characters`;
    case 'minItems':
      return `${here} must have at least ${params.limit} item${params.limit === 1 ? '' : 's'}`;
    case 'maxItems':
      return `${here} must have at most ${params.limit} items`;
    case 'minimum':
      return `${here} must be at least ${params.limit}`;
    case 'maximum':
      return `${here} must be at most ${params.limit}`;
    case 'uniqueItems':
      return `${here} must not contain duplicates`;
    case 'pattern':
      return `${here} ${ruleOf(params.pattern) ?? 'has an invalid format'}`;
    case 'minProperties':
      return `${here} must have at least one property`;
    default:
      return `${here} ${error.message ?? 'is not valid'}`;
  }
}

function article(type: string | string[]): string {
  const words: Record<string, string> = {
    integer: 'a whole number',
    number: 'a number',
    string: 'a string',
    boolean: 'true or false',
    array: 'an array',
    object: 'an object',
    null: 'null',
  };
  return (Array.isArray(type) ? type : [type]).map((one) => words[one] ?? one).join(' or ');
}
