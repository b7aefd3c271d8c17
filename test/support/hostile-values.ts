/** What an attacker or a broken client sends. Raw JSON and raw bytes: most of it no serialiser would produce. */

/** What is wrong with it: of each kind a sampled run takes at least one for every place. */
interface Hostile {
  what: string;
  kind: string;
}

export interface HostileJson extends Hostile {
  json: string | Buffer;
  /** It cannot be stored unchanged: the response must be a 400 that names the field. */
  unstorable?: boolean;
}

export interface HostileBody extends Hostile {
  body: string | Buffer | undefined;
  headers?: Record<string, string>;
}

/** As in an address. `unstorable` ones are not characters at all. */
export interface HostileText extends Hostile {
  text: string;
  unstorable?: boolean;
}

const quoted = (text: string) => JSON.stringify(text);
const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
const bytes = (...values: number[]) =>
  Buffer.concat([Buffer.from('"a'), Buffer.from(values), Buffer.from('z"')]);

export const hostileJson: HostileJson[] = [
  { kind: 'NUL', what: 'a NUL', json: '"a\\u0000b"', unstorable: true },
  { kind: 'NUL', what: 'only a NUL', json: '"\\u0000"', unstorable: true },
  { kind: 'NUL inside', what: 'a NUL deep inside', json: '{"x":[{"y":"\\u0000"}]}', unstorable: true },
  { kind: 'NUL inside', what: 'a NUL in a property name', json: '{"a\\u0000":1}', unstorable: true },
  { kind: 'surrogate', what: 'a high surrogate alone', json: '"a\\ud83d"', unstorable: true },
  { kind: 'surrogate', what: 'a low surrogate alone', json: '"\\udc00b"', unstorable: true },
  { kind: 'surrogate', what: 'surrogates the wrong way round', json: '"\\ude00\\ud83d"', unstorable: true },
  {
    kind: 'surrogate',
    what: 'half a surrogate pair in a property name',
    json: '{"\\ud800":1}',
    unstorable: true,
  },
  { kind: 'bytes', what: 'a byte that no UTF-8 has', json: bytes(0xff), unstorable: true },
  { kind: 'bytes', what: 'a sequence cut short', json: bytes(0xe2, 0x82), unstorable: true },
  { kind: 'bytes', what: 'an overlong slash', json: bytes(0xc0, 0xaf), unstorable: true },
  { kind: 'bytes', what: 'a surrogate encoded as bytes', json: bytes(0xed, 0xa0, 0x80), unstorable: true },
  { kind: 'bytes', what: 'Latin-1', json: bytes(0xe9), unstorable: true },
  { kind: 'depth', what: 'arrays 33 deep', json: nested('[', ']', 33), unstorable: true },
  { kind: 'depth', what: 'arrays 10,000 deep', json: nested('[', ']', 10_000), unstorable: true },
  {
    kind: 'depth',
    what: 'objects 10,000 deep',
    json: `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
    unstorable: true,
  },
  {
    kind: 'prototype',
    what: '__proto__ as a property',
    json: '{"__proto__":{"polluted":true}}',
    unstorable: true,
  },
  {
    kind: 'prototype',
    what: '__proto__ disguised',
    json: '{"\\u005f_proto__":{"polluted":true}}',
    unstorable: true,
  },
  {
    kind: 'prototype',
    what: 'constructor.prototype',
    json: '{"constructor":{"prototype":{"polluted":true}}}',
  },
  {
    kind: 'prototype',
    what: 'toString and valueOf',
    json: '{"toString":1,"valueOf":2,"hasOwnProperty":3,"length":-1}',
  },
  ...['null', 'true', 'false', '[]', '{}', '[[]]', '[null]', '{"x":1}', '["x"]', '[1,"x",null,{}]'].map(
    (json) => ({ kind: 'type', what: `the wrong type: ${json}`, json }),
  ),
  ...[
    '0',
    '-0',
    '-1',
    '1.5',
    '1e400',
    '-1e400',
    '1e308',
    '5e-324',
    '2147483648',
    '-2147483649',
    '9007199254740993',
    '9223372036854775807',
    '9223372036854775808',
    '-9223372036854775809',
    '123456789012345678901234567890',
  ].map((json) => ({ kind: 'number', what: `the number ${json}`, json })),
  ...[
    '',
    ' ',
    '\t\r\n',
    '\u00a0\u2003\ufeff',
    '\u0001\u0002\u001b\u007f\u0085',
    '__proto__',
    'constructor',
    'toString',
    'null',
    'NaN',
    "'; drop table records; --",
    '" or 1=1 --',
    '%_\\%',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a template that nobody may evaluate
    '${1+1} {{7*7}} <%= 7 %>',
    '../../../../etc/passwd',
    '<script>alert(1)</script>',
    '\u202eevil\u2066',
    '\u{1f469}\u200d\u{1f469}\u200d\u{1f467} e\u0301 \ufdfa \u{10ffff}',
    '\u2028\u2029',
    'İıſßŉ',
    'a'.repeat(1_001),
    '\u{1f600}'.repeat(500),
    'x'.repeat(70_000),
  ].map((text) => ({ kind: 'text', what: `the text ${quoted(text.slice(0, 24))}`, json: quoted(text) })),
];

const gzip = Buffer.from('1f8b08000000000000ffab5600000000ffff', 'hex');

export const hostileBodies: HostileBody[] = [
  { kind: 'syntax', what: 'no body, no type', body: undefined },
  ...[
    '',
    'null',
    'true',
    '1',
    '"text"',
    '[]',
    '[{}]',
    '{',
    '{"a":1,}',
    "{'a':1}",
    '{a:1}',
    '{"a":NaN}',
    '{"a":1} trailing',
    '{"a":"line\nbreak"}',
    '{"a":1e}',
    '\ufeff{}',
    '/* comment */ {}',
    '\u0000',
    '{"a":"\u0000"}',
    '{"a":"\\x41"}',
    '{"a":"\\u12"}',
  ].map((body) => ({ kind: 'syntax', what: `the body ${quoted(body)}`, body })),
  { kind: 'bytes', what: 'bytes that are no text', body: Buffer.from([0xff, 0xfe, 0x00, 0x01]) },
  { kind: 'bytes', what: 'UTF-16', body: Buffer.from('{"title":"x","name":"x"}', 'utf16le') },
  { kind: 'bytes', what: 'compressed', body: gzip, headers: { 'content-encoding': 'gzip' } },
  { kind: 'size', what: 'brackets 100,000 deep', body: nested('[', ']', 100_000) },
  { kind: 'size', what: 'objects 100,000 deep, never closed', body: '{"a":'.repeat(100_000) },
  { kind: 'bytes', what: '__proto__ at the top', body: '{"__proto__":{"polluted":true}}' },
  { kind: 'size', what: 'a property 100,000 times', body: `{${'"a":1,'.repeat(100_000)}"a":1}` },
  { kind: 'size', what: 'more than a MiB', body: quoted('x'.repeat(1_048_576)) },
  { kind: 'size', what: 'a property name of half a MiB', body: `{"${'k'.repeat(500_000)}":"\\u0000"}` },
  ...[
    '',
    'text/plain',
    'text/html; charset=utf-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'application/json; charset=utf-16',
    'application/json, text/plain',
    'application/jsonx',
    'application/vnd.api+json',
    'application',
    '/',
    'nonsense; =',
    'a'.repeat(5_000),
  ].map((type) => ({
    kind: 'content type',
    what: `the content type ${quoted(type.slice(0, 40))}`,
    body: '{}',
    headers: { 'content-type': type },
  })),
];

export const hostileInAddress: HostileText[] = [
  { kind: 'NUL', what: 'a NUL', text: '%00', unstorable: true },
  { kind: 'NUL', what: 'a NUL inside', text: 'a%00b', unstorable: true },
  { kind: 'bytes', what: 'a byte that no UTF-8 has', text: '%ff', unstorable: true },
  { kind: 'bytes', what: 'a surrogate encoded as bytes', text: '%ed%a0%80', unstorable: true },
  { kind: 'bytes', what: 'an overlong slash', text: '%c0%af', unstorable: true },
  { kind: 'escape', what: 'a percent sign alone', text: '%', unstorable: true },
  { kind: 'escape', what: 'a broken escape', text: '%zz', unstorable: true },
  ...[
    '%20',
    '%09%0d%0a',
    '%2e%2e%2f',
    '..%5c',
    '%25',
    '__proto__',
    'constructor',
    'null',
    'undefined',
    '[object%20Object]',
    '0',
    '-0',
    '-1',
    '1.5',
    '1e400',
    'NaN',
    '9223372036854775808',
    '%27%20or%20%271%27=%271',
    '%22%3b--',
    '%F0%9F%98%80',
    '%E2%80%AE',
    '%EF%BB%BF',
    '{}',
    '[]',
    '01890000-0000-7000-8000-000000000000%20',
    '01890000-0000-7000-8000-00000000000g',
    'x'.repeat(5_000),
  ].map((text) => ({ kind: 'text', what: text.slice(0, 40), text })),
];
