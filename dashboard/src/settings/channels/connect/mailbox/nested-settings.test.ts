import assert from 'node:assert/strict';
import { it } from 'node:test';
import { nested, shownValue, storedValue } from './nested-settings.ts';

it('paths of the form become objects of the service, and back', () => {
  const written = {
    address: 'a@example.com',
    'imap.port': '993',
    'imap.tls': 'tls',
    'smtp.tls': 'starttls',
    repliesPerDay: '0',
  };
  const settings = nested(Object.entries(written).map(([name, text]) => [name, storedValue(name, text)]));
  assert.deepEqual(settings, {
    address: 'a@example.com',
    imap: { port: 993, tls: true },
    smtp: { tls: false },
    repliesPerDay: 0,
  });
  for (const [name, text] of Object.entries(written)) assert.equal(shownValue(settings, name), text);
  assert.equal(shownValue({}, 'imap.host'), '');
});
