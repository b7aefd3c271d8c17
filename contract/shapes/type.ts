/**
 * Builds the JSON Schemas of the contract, with TypeBox's types and its results. TypeBox itself is imported for its types
 * only, because a start would load its 373 modules for these 15 functions. Measured in v1.7.248, alternating starts of an
 * installed clone, processor time of the process until it is ready: 2.09 s with this file and 2.27 s with TypeBox 1.4.3
 * (7 pairs), and 4.60 s and 5.01 s without a compile cache (4 pairs). A start may take 1.5 s and has no tenth to spare.
 */
import type TypeBox from 'typebox';

type Schema = Record<string, unknown>;
type Used =
  | 'Any'
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Partial'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe';

/** Not enumerable: a copy by `...` is no longer optional, and JSON does not show it. */
const optionalMark = '~optional';

const simple = (type: string) => (options?: Schema) => ({ type, ...options });
const anything = (options?: Schema) => ({ ...options });

function optional(schema: Schema): Schema {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema));
  return Object.defineProperty(copy, optionalMark, { value: true, configurable: true, writable: true });
}

function object(properties: Record<string, Schema>, options?: Schema): Schema {
  const required = Object.keys(properties).filter((name) => !Object.hasOwn(properties[name]!, optionalMark));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

function partial({ properties }: { properties: Record<string, Schema> }, options?: Schema): Schema {
  const each = Object.entries(properties).map(([name, schema]) => [name, optional(schema)]);
  return object(Object.fromEntries(each), options);
}

const builders = {
  Any: anything,
  Unknown: anything,
  Unsafe: anything,
  Boolean: simple('boolean'),
  Integer: simple('integer'),
  Null: simple('null'),
  Number: simple('number'),
  String: simple('string'),
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Literal: (value: string | number | boolean, options?: Schema) => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Union: (anyOf: Schema[], options?: Schema) => {
    if (anyOf.length === 0) throw new Error('a union of nothing');
    return { anyOf, ...options };
  },
  Object: object,
  Optional: optional,
  Partial: partial,
  /** With texts as keys. */
  Record: (key: Schema, value: Schema, options?: Schema) => {
    if (key.type !== 'string' || Object.keys(key).length > 1) throw new Error('only plain texts can be keys');
    return { type: 'object', patternProperties: { '^.*$': value }, ...options };
  },
};

export const Type = builders satisfies Record<Used, unknown> as unknown as Pick<typeof TypeBox, Used>;
