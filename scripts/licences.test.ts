import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkLicences, exceptions, isAllowed, unstated } from './licences.rules.ts';
import { readPackages } from './lock-file.ts';

const packages = [...readPackages().all.values()];

describe('the licences of the packages', () => {
  it('are allowed, and no exception is left that is not needed', () => {
    assert.deepEqual(checkLicences(packages).problems, []);
  });

  it('are refused if nobody has allowed them', () => {
    const wrong = [
      { name: 'left', version: '1.0.0', license: 'AGPL-3.0-only' },
      { name: 'right', version: '2.0.0' },
      // An exception is for one licence.
      { name: '@ffmpeg/core', version: '9.0.0', license: 'SSPL-1.0' },
    ];
    assert.deepEqual(checkLicences([...packages, ...wrong]).problems, [
      'left 1.0.0 has the licence AGPL-3.0-only, which is not allowed',
      'right 2.0.0 states no licence',
      '@ffmpeg/core 9.0.0 has the licence SSPL-1.0, which is not allowed',
    ]);
  });

  it('an exception that is not needed is a problem', () => {
    const without = packages.filter(({ name }) => name !== '@ffmpeg/core');
    assert.deepEqual(checkLicences(without).problems, [
      'the exception for @ffmpeg/core (GPL-2.0-or-later) is not needed any more',
    ]);
    for (const { why } of [...exceptions, ...unstated]) assert.ok(why.length > 0);
  });

  it('of an expression: all with AND, one with OR', () => {
    for (const expression of [
      'MIT',
      '(MIT)',
      'MIT AND ISC',
      'GPL-3.0-only OR MIT',
      '(MIT OR X) AND (Y OR ISC)',
    ])
      assert.ok(isAllowed(expression), expression);
    const refused = [
      '',
      'X',
      'MIT AND X',
      'MIT OR',
      'MIT ISC',
      '(MIT',
      'MIT)',
      'MIT WITH X',
      'X OR Y',
      'mit',
    ];
    for (const expression of refused) assert.ok(!isAllowed(expression), expression);
    // AND binds more closely.
    assert.ok(isAllowed('MIT OR X AND Y'));
    assert.ok(!isAllowed('MIT AND X OR Y'));
  });
});
