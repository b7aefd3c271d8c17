/**
 * Serialisers compiled from the contract's schemas: properties that a schema does not name never leave the service.
 * Each is compiled when it is first needed, once for all cells of a process: all of them at the start take a quarter of
 * it.
 */
import fastJsonStringify, { type Schema } from 'fast-json-stringify';
import type { TSchema } from 'typebox';

type Serialize = (answer: unknown) => string;

const compiled = new WeakMap<TSchema, Serialize>();

export function compileSerializer({ schema }: { schema: TSchema }): Serialize {
  let serialize: Serialize | undefined;
  return (answer) => {
    serialize ??= compiled.get(schema) ?? compile(schema);
    return serialize(answer);
  };
}

function compile(schema: TSchema): Serialize {
  const serialize = fastJsonStringify(withOpenObjects(schema) as Schema) as Serialize;
  compiled.set(schema, serialize);
  return serialize;
}

/**
 * An object with any names and values has nothing to omit, so it goes to JSON.stringify as a whole. Key by key, as
 * compiled, a page of 20 records takes 57 µs instead of 24.
 */
function withOpenObjects(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withOpenObjects);
  if (typeof schema !== 'object' || schema === null) return schema;
  if (isOpenObject(schema)) return {};
  return Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, withOpenObjects(part)]));
}

function isOpenObject(schema: object): boolean {
  const { type, properties, patternProperties } = schema as {
    type?: unknown;
    properties?: object;
    patternProperties?: object;
  };
  if (type !== 'object' || properties || !patternProperties) return false;
  const [[names, values] = [], ...more] = Object.entries(patternProperties);
  return names === '^.*$' && more.length === 0 && Object.keys(values).length === 0;
}
