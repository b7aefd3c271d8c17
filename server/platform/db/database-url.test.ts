import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseDatabaseUrl } from './database-url.ts';

describe('DATABASE_URL', () => {
  const accepted: [string, [name: string, url: string][]][] = [
    ['postgres://u:p@db/talk', [['db:5432', 'postgres://u:p@db:5432/talk']]],
    [
      'postgres://u:p@h1:5432,h2:5433/talk?sslmode=verify-full&target_session_attrs=read-write',
      [
        ['h1:5432', 'postgres://u:p@h1:5432/talk?sslmode=verify-full'],
        ['h2:5433', 'postgres://u:p@h2:5433/talk?sslmode=verify-full'],
      ],
    ],
    [
      'postgresql://u@[::1],10.0.0.2/talk?target_session_attrs=primary',
      [
        ['[::1]:5432', 'postgresql://u@[::1]:5432/talk'],
        ['10.0.0.2:5432', 'postgresql://u@10.0.0.2:5432/talk'],
      ],
    ],
    [
      'postgres://u@/talk?host=/run/a,/run/b&port=1,2',
      [
        ['/run/a', 'postgres://u@localhost/talk?host=%2Frun%2Fa&port=1'],
        ['/run/b', 'postgres://u@localhost/talk?host=%2Frun%2Fb&port=2'],
      ],
    ],
    ['postgres://u@%2Frun%2Fa/talk', [['/run/a', 'postgres://u@%2Frun%2Fa/talk']]],
    ['postgres://u@%2Frun%2Fa:5433/talk', [['/run/a', 'postgres://u@%2Frun%2Fa/talk?port=5433']]],
    ['postgres://u:a@b@db/talk', [['db:5432', 'postgres://u:a@b@db:5432/talk']]],
  ];
  for (const [value, expected] of accepted) {
    it(`${value} names ${expected.length}`, () => {
      const found = parseDatabaseUrl(value).map(({ name, url }) => [name, url]);
      assert.deepEqual(found, expected);
    });
  }

  const refused: [string, RegExp][] = [
    ['mysql://localhost/talk', /^must be a URL that begins with postgres:\/\/ or postgresql:\/\//],
    ['postgres://u:secret@h1,,h2/talk', /^has an empty host between two commas$/],
    ['postgres://u:secret@h1:x,h2/talk', /^has a port that is not a number from 1 to 65535 for the host h1$/],
    ['postgres://u:secret@h1:70000/talk', /for the host h1$/],
    ['postgres://u:secret@/talk?host=a,b,c&port=1,2', /^has 3 hosts but 2 ports$/],
    ['postgres://u:secret%@h1/talk', /^has a wrong percent-encoding: write % as %25$/],
    [
      'postgres://u:secret@h1/talk?target_session_attrs=standby',
      /^target_session_attrs must be read-write or primary/,
    ],
    ['postgres://u:secret@h<1>/talk', /^has an invalid host: h<1>:5432$/],
  ];
  for (const [value, message] of refused) {
    it(`${value} is refused without its password`, () => {
      assert.throws(
        () => parseDatabaseUrl(value),
        (error: Error) => message.test(error.message) && !error.message.includes('secret'),
      );
    });
  }
});
