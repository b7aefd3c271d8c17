import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ParameterSchema } from '../../../../contract/tools.ts';
import { emptyForm, readForm, rowsOf, schemaOf } from './tool-form-values.ts';

describe('the parameters of a tool as rows', () => {
  const schema: ParameterSchema = {
    type: 'object',
    properties: {
      orderId: { description: 'Such as 2024-118', type: 'string' },
      amount: { type: 'number' },
      items: { items: { type: 'string' }, type: 'array' },
    },
    required: ['orderId'],
  };

  it('rows say all of a simple schema', () => {
    const rows = rowsOf(schema)!;
    assert.deepEqual(
      rows.map(({ name, type, isRequired }) => [name, type, isRequired]),
      [
        ['orderId', 'string', true],
        ['amount', 'number', false],
        ['items', 'list', false],
      ],
    );
    assert.deepEqual(schemaOf(rows), schema);
    assert.deepEqual(schemaOf([]), { type: 'object', properties: {} });
  });

  it('a schema that says more is left as JSON', () => {
    const limited = { ...schema, properties: { amount: { type: 'number', minimum: 1 } } };
    for (const one of [limited, { ...schema, additionalProperties: true }, { type: 'string' }]) {
      assert.equal(rowsOf(one), null);
    }
  });

  it('reads what was typed', () => {
    const typed = {
      ...emptyForm(),
      ...{ name: 'find_order', description: 'Finds it.', url: ' https://shop.example.com/{orderId} ' },
      ...{ headers: 'Authorization: Bearer x\n\nAccept: application/json', timeoutSeconds: '2.5' },
      ...{
        rows: null,
        schema: JSON.stringify(schema),
        body: '{"left":"out with GET"}',
        approval: 'always' as const,
      },
    };
    const { approval, url, headers, body, timeoutMs, parameters, resultPath } = readForm(typed);
    assert.deepEqual(
      { approval, url, headers, body, timeoutMs, parameters, resultPath },
      {
        ...{ approval: 'never', url: 'https://shop.example.com/{orderId}', body: null, timeoutMs: 2_500 },
        headers: { Authorization: 'Bearer x', Accept: 'application/json' },
        ...{ parameters: schema, resultPath: null },
      },
    );
  });
});
