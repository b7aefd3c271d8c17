import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { argumentsProblem } from './tools.schema.ts';
import { fillHeader, fillJson, fillUrl, readUrlTemplate, type UrlTemplate } from './tools.template.ts';

const none = new Map<string, string>();
const fill = (url: string, given: Record<string, unknown>, values = none) =>
  fillUrl(readUrlTemplate(url) as UrlTemplate, given, values);

/** What somebody might say to an agent so that a call becomes another one. */
const injections = [
  '../admin',
  '..',
  '.',
  '%2e%2e',
  '%2e%2e%2fadmin',
  '..%2f..%2fadmin',
  '..\\admin',
  '/admin',
  '//evil.example/',
  '\\\\evil.example\\',
  'https://evil.example/',
  '@evil.example',
  ':80@evil.example/',
  '#',
  '#/admin',
  '?admin=1',
  '&admin=1',
  'x&role=admin',
  'x=1&x=2',
  ';admin=1',
  'a;b=c',
  'a%00b',
  'a\0b',
  'a\r\nX-Admin: 1',
  'a\r\n\r\nGET /admin HTTP/1.1',
  'a\nb',
  'a\tb',
  'a b',
  '+',
  'a+b',
  '%',
  '%zz',
  '%252e%252e',
  '{orderId}',
  '{{customer.id}}',
  '{{card.x}}',
  '{q}',
  '$' + '{process.env.SECRET}',
  '$&',
  '$1',
  "$'",
  '$`',
  '"',
  '","admin":true,"x":"',
  '"}',
  '\\"',
  '\\',
  '\\u0022',
  '}{',
  '[1,2]',
  '{"admin":true}',
  'null',
  'true',
  '0',
  "' or 1=1 --",
  '<script>alert(1)</script>',
  '`id`',
  '$(id)',
  '日本語',
  'é\u0301\u202e',
  '😀',
  '__proto__',
  'constructor',
];

describe('templates of tools', () => {
  it(`each of ${injections.length} injections is its own value, or an error`, () => {
    assert.ok(injections.length >= 60);
    for (const orderId of injections) {
      const isInexpressible = ['.', '..'].includes(orderId);
      const filledPath = () => fill('https://shop.example/orders/{orderId}/lines?all=1', { orderId });
      if (isInexpressible) {
        assert.throws(filledPath, { message: 'arguments.orderId cannot be a part of the address' });
      } else {
        const url = new URL(filledPath());
        assert.equal(url.origin, 'https://shop.example');
        const [, first, value, last, ...more] = url.pathname.split('/');
        assert.deepEqual([first, last, more, url.hash, url.search], ['orders', 'lines', [], '', '?all=1']);
        assert.equal(decodeURIComponent(value!), orderId);
      }
      const url = new URL(fill('https://shop.example/orders?q={q}&all=1', { q: orderId }));
      assert.equal(url.pathname, '/orders');
      assert.deepEqual(
        [...url.searchParams],
        [
          ['q', orderId],
          ['all', '1'],
        ],
      );
      assert.equal(url.hash, '');
      const template = { whole: '{q}', part: 'is {q}.', fixed: 1, list: ['{q}'] };
      const json = JSON.parse(JSON.stringify(fillJson(template, { q: orderId }, none)!.value));
      assert.deepEqual(json, { whole: orderId, part: `is ${orderId}.`, fixed: 1, list: [orderId] });
      const header = fillHeader('id={{customer.id}}', new Map([['customer.id', orderId]]));
      assert.match(header, /^id=[\x20-\x7e]*$/);
    }
  });

  it('a value that is empty, or no text, is no part of a path', () => {
    assert.throws(() => fill('https://a.example/orders/{id}', { id: '' }), /cannot be a part/);
    assert.throws(() => fill('https://a.example/.{id}', { id: '.' }), /cannot be a part/);
    assert.throws(() => fill('https://a.example/{id}', { id: { a: 1 } }), /must be a single value/);
    assert.throws(() => fill('https://a.example/{id}', { id: '\ud800' }), /unpaired surrogate/);
    assert.equal(fill('https://a.example/orders/{id}', { id: 5 }), 'https://a.example/orders/5');
  });

  it('leaves out what has no value', () => {
    assert.equal(fill('https://a.example/?a={a}&b={b}&c=1', { b: 2 }), 'https://a.example/?b=2&c=1');
    assert.equal(fill('https://a.example/?a={a}', {}), 'https://a.example/');
    const template = { a: '{a}', b: ['{a}', '{b}'], c: 'x{a}' };
    assert.deepEqual(fillJson(template, { b: 2 }, none), { value: { b: [2], c: 'x' } });
    assert.equal(fillJson('{a}', {}, none), null);
  });

  it('keeps the types of arguments, and fills the values of the service', () => {
    const values = new Map([
      ['customer.id', '+55 11'],
      ['card.f', 'x'],
    ]);
    const given = { n: 1.5, yes: true, list: [1, 'a'], object: { a: null } };
    const template = { n: '{n}', yes: '{yes}', list: '{list}', object: '{object}', id: '{{customer.id}}' };
    assert.deepEqual(fillJson(template, given, values), { value: { ...given, id: '+55 11' } });
    assert.equal(
      fill('https://a.example/{{ customer.id }}?c={{card.f}}', {}, values),
      'https://a.example/%2B55%2011?c=x',
    );
  });
});

describe('arguments of tools', () => {
  const schema = {
    type: 'object',
    properties: {
      id: { type: 'string', minLength: 2, maxLength: 4 },
      n: { type: 'integer', minimum: 1, exclusiveMaximum: 10, multipleOf: 3 },
      state: { enum: ['open', 'paid'] },
      tags: { type: 'array', items: { type: 'string' }, maxItems: 2, uniqueItems: true },
      place: { type: ['object', 'null'], properties: { zip: { type: 'string' } }, required: ['zip'] },
    },
    required: ['id'],
  };
  const cases: [Record<string, unknown>, string | null][] = [
    [{ id: 'ab' }, null],
    [{ id: 'ab', n: 9, state: 'open', tags: ['a', 'b'], place: null }, null],
    [{}, 'arguments.id is required'],
    [{ id: 1 }, 'arguments.id must be of the type string'],
    [{ id: 'a' }, 'arguments.id must have at least 2 characters'],
    [{ id: '😀😀😀😀😀' }, 'arguments.id must have at most 4 characters'],
    [{ id: 'ab', n: 1.5 }, 'arguments.n must be of the type integer'],
    [{ id: 'ab', n: 0 }, 'arguments.n must be at least 1'],
    [{ id: 'ab', n: 10 }, 'arguments.n must be less than 10'],
    [{ id: 'ab', n: 4 }, 'arguments.n must be a multiple of 3'],
    [{ id: 'ab', state: 'x' }, 'arguments.state must be one of ["open","paid"]'],
    [{ id: 'ab', tags: ['a', 1] }, 'arguments.tags[1] must be of the type string'],
    [{ id: 'ab', tags: ['a', 'a'] }, 'arguments.tags must not contain duplicates'],
    [{ id: 'ab', tags: ['a', 'b', 'c'] }, 'arguments.tags must have at most 2 items'],
    [{ id: 'ab', place: {} }, 'arguments.place.zip is required'],
    [{ id: 'ab', toString: 1 }, 'arguments.toString is unknown'],
  ];
  for (const [given, problem] of cases) {
    it(`${JSON.stringify(given)}: ${problem ?? 'accepted'}`, () => {
      assert.equal(argumentsProblem(schema, given), problem);
    });
  }
});
