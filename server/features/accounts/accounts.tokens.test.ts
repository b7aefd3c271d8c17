import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { allScopes, joinTestService, type TestService } from '../../../test/support/service.ts';

describe('API tokens', () => {
  let service: TestService;
  before(async () => {
    service = await joinTestService();
  });
  after(() => service.close());

  const create = (body: object, token = service.admin.jwt) =>
    service.call('POST', '/api-tokens', { token, body });

  it('201 id, name, scopes, createdAt and the token itself, 256 bits, this once', async () => {
    const { status, body } = await create({ name: ' Import ', scopes: ['crm:write', 'crm:read'] });
    assert.equal(status, 201);
    assert.equal(body.name, 'Import');
    assert.deepEqual(body.scopes, ['crm:write', 'crm:read']);
    assert.equal(typeof body.createdAt, 'number');
    assert.match(body.token, /^tb_[\w-]{65}$/);
    // After the account's tag.
    assert.equal(Buffer.from(body.token.slice(3 + 22), 'base64url').length, 32);
    const list = await service.call('GET', '/api-tokens', { token: service.admin.jwt });
    assert.ok(!list.text.includes(body.token));
    const listed = list.body.items.find((item: { id: string }) => item.id === body.id);
    assert.deepEqual(Object.keys(listed).sort(), [
      'allowedAddresses',
      'createdAt',
      'createdBy',
      'expiresAt',
      'id',
      'lastUsedAt',
      'name',
      'scopes',
    ]);
  });

  it('no scopes given means all but knowledge:write and manage', async () => {
    const { body } = await create({ name: 'default' });
    assert.deepEqual(
      body.scopes,
      allScopes.filter((scope) => scope !== 'knowledge:write' && scope !== 'manage'),
    );
    assert.equal((await service.call('GET', '/crm/records', { token: body.token })).status, 200);
    assert.equal((await service.call('GET', '/api-tokens', { token: body.token })).status, 403);
  });

  it('scopes do not imply each other', async () => {
    const { body: writer } = await create({ name: 'writer', scopes: ['crm:write'] });
    const { body: manager } = await create({ name: 'manager', scopes: ['manage'] });
    const refused = await service.call('GET', '/crm/records', { token: writer.token });
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.error],
      [403, 'FORBIDDEN', 'Forbidden'],
    );
    assert.match(refused.body.message, /crm:read/);
    assert.equal((await service.call('GET', '/crm/records', { token: manager.token })).status, 403);
    assert.equal((await service.call('GET', '/account', { token: writer.token })).status, 200);
    const record = await service.call('POST', '/crm/records', {
      token: writer.token,
      body: { title: 'By a token' },
    });
    assert.deepEqual([record.status, record.body.createdBy], [201, writer.id], 'it acts under its own id');
  });

  it('400 names what is wrong', async () => {
    const now = service.context.clock.now();
    const cases: [object, RegExp][] = [
      [{}, /^name is required$/],
      [{ name: '  ' }, /^name is required$/],
      [{ name: 'x', scopes: ['all'] }, /^scopes\[0\] must be one of crm:read, /],
      [{ name: 'x', scopes: ['crm:read', 'crm:read'] }, /^scopes /],
      [{ name: 'x', scopes: 'crm:read' }, /^scopes must be an array$/],
      [{ name: 'x', expiresAt: now - 1 }, /^expiresAt must be in the future$/],
      [{ name: 'x', expiresAt: 'tomorrow' }, /^expiresAt must be /],
      [{ name: 'x', expiresAt: 9e15 }, /^expiresAt must be at most /],
      [{ name: 'x'.repeat(256) }, /^name must have at most 255 characters$/],
    ];
    for (const [body, message] of cases) {
      const answer = await create(body);
      assert.deepEqual([answer.status, answer.body.code], [400, 'VALIDATION_FAILED'], JSON.stringify(body));
      assert.match(answer.body.message, message);
    }
    assert.equal((await create({ name: 'later', expiresAt: now + 60_000 })).status, 201);
  });

  it('the list is newest first, in pages, with when each was last used', async () => {
    const { jwt, token } = await service.createAccount();
    for (const name of ['a', 'b', 'c']) await create({ name }, jwt);
    await service.call('GET', '/account', { token });
    const names: string[] = [];
    let next = '';
    do {
      const page = await service.call('GET', `/api-tokens?limit=2${next && `&nextToken=${next}`}`, {
        token: jwt,
      });
      assert.equal(page.status, 200);
      names.push(...page.body.items.map((item: { name: string }) => item.name));
      next = page.body.nextToken ?? '';
    } while (next);
    assert.deepEqual(names, ['c', 'b', 'a', 'test']);
    const all = await service.call('GET', '/api-tokens', { token: jwt });
    const used = all.body.items.map((item: { lastUsedAt: number | null }) => item.lastUsedAt !== null);
    assert.deepEqual(used, [false, false, false, true]);
    assert.equal(all.body.nextToken, null);
  });
});
