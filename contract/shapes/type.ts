/**
 * Builds the JSON Schemas of the contract, with TypeBox's types and its results. TypeBox itself is imported for its types
 * only: it has 373 modules, a tenth of the processor time of a start, and these few functions are all we call.
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

/** Not enumerable: a copy by `...` is not optional any more, and JSON does not show it. */
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
