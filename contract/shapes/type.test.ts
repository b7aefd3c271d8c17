/** The schemas are those that TypeBox would build. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import TypeBox from 'typebox';
import { Type } from './type.ts';

type Build = typeof Type;

const described = { description: 'What it is.' };

/** One for each builder, as the contract uses them. */
const samples: Record<keyof Build, (build: Build) => unknown> = {
  Any: (t) => [t.Any(), t.Any(described)],
  Array: (t) => [t.Array(t.String()), t.Array(t.String(), { maxItems: 3, ...described })],
  Boolean: (t) => [t.Boolean(), t.Boolean({ default: true })],
  Integer: (t) => [t.Integer(), t.Integer({ minimum: 1, maximum: 5 })],
  Literal: (t) => [t.Literal('a'), t.Literal(0, described), t.Literal(true)],
  Null: (t) => [t.Null(), t.Null(described)],
  Number: (t) => [t.Number(), t.Number({ exclusiveMinimum: 0 })],
  Object: (t) => [
    t.Object({}),
    t.Object(
      { name: t.String(), note: t.Optional(t.String()) },
      { additionalProperties: false, ...described },
    ),
    t.Object({ note: t.Optional(t.String()) }),
    t.Object({
      kind: t.Optional(t.Unsafe<'a'>({ enum: ['a'] })),
      of: t.Object({ it: t.Optional(t.Literal(1)) }),
    }),
    // A copy is not optional.
    t.Object({ note: { ...t.Optional(t.String()), ...described } }),
  ],
  Optional: (t) => [t.Optional(t.String(described)), t.Optional(t.Optional(t.String()))],
  Partial: (t) => [
    t.Partial(
      t.Object({ name: t.String(), note: t.Optional(t.String()), more: t.Array(t.String()) }, described),
    ),
    t.Partial(t.Object({ name: t.Object({ first: t.String() }) }), { minProperties: 1 }),
    t.Object({ some: t.Optional(t.Partial(t.Object({ name: t.String() }))) }),
    t.Object({ ...t.Partial(t.Object({ name: t.String() })).properties, id: t.String() }),
  ],
  Record: (t) => [
    t.Record(t.String(), t.Unknown()),
    t.Record(t.String(), t.String({ maxLength: 9 }), { maxProperties: 5 }),
  ],
  String: (t) => [t.String(), t.String({ minLength: 1, pattern: '^a', examples: ['ab'] })],
  Union: (t) => [t.Union([t.String(), t.Null()]), t.Union([t.Literal('a')], described)],
  Unknown: (t) => [t.Unknown(), t.Unknown(described)],
  Unsafe: (t) => [
    t.Unsafe<string | null>({ type: ['string', 'null'], ...described }),
    t.Array(t.Unsafe<'a' | 'b'>(t.String({ enum: ['a', 'b'] }))),
  ],
};

describe('the schemas of the contract', () => {
  for (const [name, build] of Object.entries(samples)) {
    it(`${name} builds what TypeBox builds`, () => {
      // As text: the order of the properties is that of the OpenAPI document.
      assert.equal(JSON.stringify(build(Type), null, 1), JSON.stringify(build(TypeBox), null, 1));
    });
  }

  it('do not change the schema that they are built from', () => {
    const name = Type.String();
    Type.Optional(name);
    Type.Partial(Type.Object({ name }));
    assert.deepEqual(Type.Object({ name }).required, ['name']);
  });
});
