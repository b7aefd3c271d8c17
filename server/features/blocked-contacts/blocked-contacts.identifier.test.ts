import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runsOf, seed } from '../../../test/support/sample.ts';
import { contactKey, identifierTypeOf } from './blocked-contacts.identifier.ts';

const digits = fc.stringMatching(/^[1-9]\d{6,14}$/);
const device = fc.constantFrom('', ':1', ':27');
/** Of the general category Cf: soft hyphen, zero-width space and joiners, direction marks, byte order mark, tags. */
const invisible = [
  '\u00ad',
  '\u200b',
  '\u200d',
  '\u200e',
  '\u202e',
  '\u2060',
  '\u2066',
  '\ufeff',
  '\u{e0041}',
];
const invisibles = fc.array(fc.constantFrom('', '', ...invisible), { minLength: 40, maxLength: 40 });
const weave = (text: string, between: readonly string[]) =>
  [...text].map((character, n) => (between[n] ?? '') + character).join('');
const fullWidth = (text: string) =>
  text.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0));
const run = <T>(arbitrary: fc.Arbitrary<T>, holds: (value: T) => void) =>
  fc.assert(fc.property(arbitrary, holds), { numRuns: runsOf(300), seed });

/** The rule again, written as plainly as possible: character by character, without regular expressions. */
function oracle(identifier: string): string {
  const isDigits = (text: string) => text !== '' && [...text].every((one) => one >= '0' && one <= '9');
  let text = [...identifier.normalize('NFKC')]
    .filter((one) => !/\p{Cf}/u.test(one))
    .join('')
    .trim();
  for (const scheme of ['tel:', 'sms:', 'mailto:', 'whatsapp:']) {
    if (text.slice(0, scheme.length).toLowerCase() === scheme) {
      text = text.slice(scheme.length).trim();
      break;
    }
  }
  const at = text.indexOf('@');
  if (at > 0 && !text.includes('@', at + 1)) {
    const host = text.slice(at + 1).toLowerCase();
    const [user, ...devices] = text.slice(0, at).split(':');
    const hasForm = devices.length === 0 || (devices.length === 1 && isDigits(devices[0]!));
    const isServer = host.startsWith('s.') && host.length > 2 && ![...host].some((one) => one.trim() === '');
    const isChatHost = host === 'c.us' || host === 'g.us' || isServer;
    const number = user!.startsWith('+') ? user!.slice(1) : user!;
    if (hasForm && isChatHost && isDigits(number)) return number;
    if (hasForm && host === 'lid' && isDigits(user!)) return `${user}@lid`;
  }
  const all = [...text];
  const number = all.filter((one) => isDigits(one)).join('');
  const isPhone = all.every((one) => isDigits(one) || '+-().'.includes(one) || one.trim() === '');
  if (isPhone && number.length >= 7) return number.startsWith('00') ? number.slice(2) : number;
  const isEmail =
    text.split('@').length === 2 && text.split('@').every((part) => part !== '') && !/\s/.test(text);
  return isEmail ? text.toLowerCase() : text;
}

describe('the compared form of an identifier', () => {
  it('a phone number is one contact with its chat-app ids, however it is written', () => {
    const marks = fc.array(fc.constantFrom('', ' ', '-', '(', ')', '.', '+'), {
      minLength: 15,
      maxLength: 15,
    });
    const lead = fc.constantFrom('', '+', '00', '+00', 'tel:', 'TEL: +', 'sms:', 'whatsapp:+', 'Whatsapp:00');
    const suffix = fc.constantFrom('@c.us', '@g.us', '@C.US', '@s.whatsapp.example', '@s.x');
    run(
      fc.tuple(digits, marks, lead, suffix, device, invisibles, fc.boolean()),
      ([number, between, before, at, on, hidden, wide]) => {
        const disguise = (text: string) => weave(wide ? fullWidth(text) : text, hidden);
        const written = `${before}${[...number].map((digit, n) => digit + between[n]).join('')}`;
        assert.equal(contactKey(` ${disguise(written)} `), number);
        const plus = before.endsWith('+') ? '+' : '';
        assert.equal(contactKey(disguise(`${plus}${number}${on}${at}`)), number);
        assert.equal(contactKey(disguise(`whatsapp:${plus}${number}${on}${at}`)), number);
      },
    );
  });

  it('an anonymous chat-app id is never a phone number, with or without its device', () => {
    run(fc.tuple(digits, device, fc.constantFrom('@lid', '@LID')), ([number, on, at]) => {
      assert.equal(contactKey(`${number}${on}${at}`), `${number}@lid`);
      assert.notEqual(contactKey(`${number}${on}${at}`), contactKey(number));
    });
    assert.equal(identifierTypeOf('154417159582282@lid'), 'chatapp');
  });

  it('e-mail addresses without regard to case, everything else as it is', () => {
    run(fc.emailAddress(), (address) => {
      if (oracle(address) !== address.toLowerCase()) return;
      assert.equal(contactKey(` mailto:${address.toUpperCase()} `), contactKey(address.toLowerCase()));
    });
    const others = [
      'Ada',
      '@Ada',
      'a@b@C',
      'A b@c',
      '123456',
      '+12-34',
      'user-12345678',
      '12345678x',
      '00-123',
    ];
    for (const other of others) assert.equal(contactKey(` ${other} `), other);
  });

  it('agrees with the rule written out plainly, for anything', () => {
    const piece = fc.constantFrom(
      ...[
        'tel:',
        'sms:',
        'mailto:',
        'WhatsApp:',
        '00',
        '+',
        '@lid',
        '@c.us',
        '@s.',
        '@',
        ':',
        ':1',
        ' ',
        '-',
      ],
      ...[
        '(',
        ')',
        '.',
        '1',
        '7',
        '5511',
        '99998888',
        'Ada',
        'x',
        '１',
        '＠',
        '\u00a0',
        'ß',
        'ﬁ',
        ...invisible,
      ],
    );
    const composed = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
    run(fc.oneof(composed, composed, composed, fc.string({ unit: 'binary' }), fc.emailAddress()), (text) => {
      assert.equal(contactKey(text), oracle(text));
    });
  });
});
