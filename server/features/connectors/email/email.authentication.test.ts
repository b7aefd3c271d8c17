import assert from 'node:assert/strict';
import { it } from 'node:test';
import { failsDmarc } from './email.authentication.ts';
import { noMail } from './email.parse.ts';

const fails = (...authentication: string[]) => failsDmarc({ ...noMail(), authentication }, 'mx.example.com');

it('a mail fails DMARC by the first result of the receiving server for it', () => {
  const cases: [boolean, ...string[]][] = [
    [false],
    [false, 'mx.example.com; none'],
    [false, 'mx.example.com; spf=fail; dmarc=pass header.from=example.org'],
    [true, 'mx.example.com; spf=pass; dmarc=fail (p=none) header.from=example.org'],
    [true, 'MX.example.com 1; DMARC = fail'],
    [false, 'mx.example.com; dmarc=pass (was dmarc=fail)'],
    // A header for each method.
    [true, 'mx.example.com; dkim=none', 'mx.example.com; dmarc=fail'],
    // What came with the mail is below.
    [true, 'mx.example.com; dmarc=fail', 'mx.example.com; dmarc=pass'],
    [false, 'mx.example.com; dmarc=pass', 'mx.example.com; dmarc=fail'],
    [false, 'other.example.com; dmarc=fail'],
  ];
  for (const [expected, ...headers] of cases) assert.equal(fails(...headers), expected, headers.join(' | '));
});

it('without the name of the receiving server no header counts', () => {
  const mail = { ...noMail(), authentication: ['mx.example.com; dmarc=fail'] };
  assert.equal(failsDmarc(mail, undefined), false);
});
