import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { passwordProblem } from './password-rules.ts';

const isRefused = (password: string) => passwordProblem(password, 'ada@example.com') !== null;

describe('passwords that nobody may choose', () => {
  it('are the long ones among the 10,000 most common, in any case', () => {
    const common = [
      ...['qwertyuiop', '1234567890', 'q1w2e3r4t5', '1q2w3e4r5t', 'password123', 'basketball', '12345678910'],
      ...[
        '1qaz2wsx3edc',
        'qwerty12345',
        'qwerty123456',
        'california',
        'christopher',
        'mypassword',
        'password12',
      ],
      ...['0987654321', '0123456789', '1111111111', '0000000000', 'qwertyqwerty', 'aaaaaaaaaa', '1212121212'],
    ];
    assert.deepEqual(
      common.filter((password) => !isRefused(password)),
      [],
    );
    assert.ok(isRefused('Password123') && isRefused('QWERTYUIOP') && isRefused(' password123 '));
  });

  it('are equal to the e-mail address, in any case', () => {
    assert.match(
      passwordProblem('Ada@Example.com', ' ada@example.com') ?? '',
      /must not be the e-mail address/,
    );
  });

  it('are no others', () => {
    for (const password of [
      'correct horse battery',
      'password123!x',
      'ada@example.com.br',
      'tr0ub4dor&3-again',
    ]) {
      assert.equal(passwordProblem(password, 'ada@example.com'), null, password);
    }
  });
});
