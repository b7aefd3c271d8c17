import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Release } from '../../../contract/releases.ts';
import { version } from '../../../contract/version.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';
import { parseChangelog } from './releases.ts';

describe('releases', () => {
  let service: TestService;
  before(async () => {
    service = await joinTestService();
  });
  after(() => service.close());

  it('200 every release of CHANGELOG.md with its date, this one first', async () => {
    const { token } = await service.createAccount();
    const { status, body } = await service.call('GET', '/releases', { token });
    assert.equal(status, 200);
    const items = body.items as Release[];
    assert.equal(items[0]!.version, version);
    const text = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8');
    assert.equal(items.length, text.match(/^## /gm)!.length);
    const changes = items.flatMap((release) => release.changes);
    assert.equal(changes.length, text.match(/^- /gm)!.length);
    for (const release of items) {
      assert.ok(!Number.isNaN(Date.parse(release.date)), release.date);
      assert.ok(release.changes.length > 0, release.version);
    }
  });

  it('a user has read about the release they started with, and about what they say they have read', async () => {
    const { jwt } = await service.createAccount();
    const seen = async () => (await service.call('GET', '/auth/me', { token: jwt })).body.user.seenRelease;
    assert.equal(await seen(), version);
    const say = (seenRelease: unknown) =>
      service.call('PATCH', '/auth/me', { token: jwt, body: { seenRelease } });
    assert.equal((await say('v1.7.90')).body.user.seenRelease, 'v1.7.90');
    assert.equal((await say('latest')).status, 400);
    assert.equal(await seen(), 'v1.7.90');
  });

  it('headings, continued lines and links are read as a person reads them', () => {
    const text = [
      '# Changelog',
      '- not of a release',
      '## v1.7.9 (2026-01-02)',
      'A paragraph.',
      '### Security',
      '- One thing, see [docs/one.md](docs/one.md).',
      '- Another that',
      '  continues `here`.',
      '## v1.7.10 (2026-02-03)',
      '- Newer.',
    ].join('\n');
    assert.deepEqual(parseChangelog(text), [
      { version: 'v1.7.10', date: '2026-02-03', changes: ['Newer.'] },
      {
        version: 'v1.7.9',
        date: '2026-01-02',
        changes: ['One thing, see docs/one.md.', 'Another that continues `here`.'],
      },
    ]);
  });
});
