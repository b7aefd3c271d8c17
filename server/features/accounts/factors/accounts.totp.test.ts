import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { base32, findStep, hotp, stepOf, totpUri } from './accounts.totp.ts';

const secret = Buffer.from('12345678901234567890');

describe('codes of authenticator apps', () => {
  it('are those of RFC 4226, appendix D', () => {
    const codes = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583'];
    codes.push('399871', '520489');
    assert.deepEqual(
      codes.map((_, counter) => hotp(secret, counter)),
      codes,
    );
  });

  it('are those of RFC 6238, appendix B, at its times', () => {
    const vectors: [seconds: number, code: string][] = [
      [59, '94287082'],
      [1_111_111_109, '07081804'],
      [1_111_111_111, '14050471'],
      [1_234_567_890, '89005924'],
      [2_000_000_000, '69279037'],
      [20_000_000_000, '65353130'],
    ];
    for (const [seconds, code] of vectors) assert.equal(hotp(secret, stepOf(seconds * 1000), 8), code);
  });

  it('are valid one step before and after, and never at or before the step that was used', () => {
    const now = 1_700_000_000_000;
    const step = stepOf(now);
    for (const distance of [-1, 0, 1]) {
      assert.equal(findStep(secret, hotp(secret, step + distance), now, null), step + distance);
    }
    for (const distance of [-2, 2])
      assert.equal(findStep(secret, hotp(secret, step + distance), now, null), null);
    assert.equal(findStep(secret, hotp(secret, step), now, step), null);
    assert.equal(findStep(secret, hotp(secret, step - 1), now, step), null);
    assert.equal(findStep(secret, hotp(secret, step + 1), now, step), step + 1);
  });

  it('may be typed with spaces; anything but six digits is wrong', () => {
    const now = 1_700_000_000_000;
    const code = hotp(secret, stepOf(now));
    assert.equal(findStep(secret, ` ${code.slice(0, 3)} ${code.slice(3)}`, now, null), stepOf(now));
    for (const wrong of ['', '12345', `${code}0`, 'abcdef', '１２３４５６']) {
      assert.equal(findStep(secret, wrong, now, null), null, wrong);
    }
  });

  it('have their secret in base32 (RFC 4648) and in an otpauth address', () => {
    const pairs = [
      ['', ''],
      ['f', 'MY'],
      ['fo', 'MZXQ'],
      ['foo', 'MZXW6'],
      ['foob', 'MZXW6YQ'],
      ['fooba', 'MZXW6YTB'],
      ['foobar', 'MZXW6YTBOI'],
    ] as const;
    for (const [plain, encoded] of pairs) assert.equal(base32(Buffer.from(plain)), encoded);
    assert.equal(
      totpUri('MZXW6', 'ana+1@example.com'),
      'otpauth://totp/Talkboard:ana%2B1%40example.com?secret=MZXW6&issuer=Talkboard&algorithm=SHA1&digits=6&period=30',
    );
  });
});
