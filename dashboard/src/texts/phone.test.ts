import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { phoneDigits, shownPhone } from './phone.ts';

describe('a phone number', () => {
  it('looks the same in whatever way it is written', () => {
    for (const text of ['+12025550167', '+1 (202) 555-0167', '0012025550167', '12025550167@c.us']) {
      assert.equal(shownPhone(text), '+1 202 555 0167', text);
    }
    assert.equal(phoneDigits('12025550167'), '+1 202 555 0167');
    assert.equal(shownPhone('+49 170/5551004'), '+49 170 555 1004');
    assert.equal(shownPhone('+5511977770001'), '+55 119 777 70001');
    assert.equal(shownPhone('+351912345678'), '+351 912 345 678');
    assert.equal(shownPhone('+78121234567'), '+7 812 123 4567');
  });

  it('stays as it is where it may be something else', () => {
    const others = [
      '5551234567',
      '030 1234567',
      '+44 20',
      'Ada',
      '+1 202 555 0167 ext. 4',
      '99887766554433@lid',
      '+0123456789',
      '',
    ];
    for (const text of others) assert.equal(shownPhone(text), text);
    assert.equal(phoneDigits('12345'), '12345');
  });
});
