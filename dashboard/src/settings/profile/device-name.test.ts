import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deviceOf } from './device-name.ts';

describe('the name of a device', () => {
  const cases: [userAgent: string | null, browser: string | null, system: string | null, isPhone: boolean][] =
    [
      [
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
        'Chrome',
        'Windows',
        false,
      ],
      [
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0',
        'Edge',
        'Windows',
        false,
      ],
      [
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
        'Safari',
        'iPhone',
        true,
      ],
      [
        'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36',
        'Chrome',
        'Android',
        true,
      ],
      ['Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0', 'Firefox', 'Linux', false],
      [
        'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
        'Safari',
        'macOS',
        false,
      ],
      ['curl/8.5.0', 'curl', null, false],
      ['Mozilla/5.0', null, null, false],
      [null, null, null, false],
    ];
  for (const [userAgent, browser, system, isPhone] of cases) {
    it(`${browser} on ${system}`, () => {
      assert.deepEqual(deviceOf(userAgent), { browser, system, isPhone });
    });
  }
});
