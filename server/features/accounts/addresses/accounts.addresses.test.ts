import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { password, startTestService, type TestService } from '../../../../test/support/service.ts';
import { isAddressIn, parseRange, rangeText } from '../../../platform/http/client-address.ts';
import { isListWithin, readAddressList } from './accounts.addresses.ts';

describe('lists of addresses', () => {
  const list = ['203.0.113.0/24', '2001:db8:1::/48', '198.51.100.7/32'].map(parseRange);

  it('hold IPv4, IPv6 and IPv4 in IPv6', () => {
    for (const address of [
      '203.0.113.9',
      '::ffff:203.0.113.9',
      '::ffff:cb00:7109',
      '2001:db8:1:2::3',
      '198.51.100.7',
    ])
      assert.ok(isAddressIn(address, list), address);
    for (const address of ['203.0.114.9', '2001:db8:2::3', '198.51.100.8', 'unknown', ''])
      assert.ok(!isAddressIn(address, list), address);
  });

  it('are written in one form, and name a wrong entry', () => {
    assert.deepEqual(
      readAddressList(
        [
          ' 10.1.2.3/8 ',
          '10.0.0.0/8',
          '203.0.113.7',
          '2001:DB8::1/33',
          '::ffff:192.0.2.0/120',
          '0.0.0.0/0',
          '::/0',
        ],
        'list',
      ),
      ['10.0.0.0/8', '203.0.113.7/32', '2001:db8::/33', '192.0.2.0/24', '0.0.0.0/0', '::/0'],
    );
    assert.equal(rangeText(parseRange('2001:db8:ffff::/41')), '2001:db8:ff80::/41');
    for (const wrong of [
      '',
      'x',
      '10.0.0.0/33',
      '10.0.0/8',
      '::1/129',
      '10.0.0.0/8/8',
      '1.2.3.4-5',
      'fe80::1%eth0/64x',
    ]) {
      assert.throws(() => readAddressList([wrong], 'list'), /list must be addresses and ranges/, wrong);
    }
  });

  it('are within others range by range', () => {
    const outer = ['10.0.0.0/8', '2001:db8::/32'].map(parseRange);
    assert.ok(isListWithin(['10.1.0.0/16', '2001:db8:5::/48'], outer));
    for (const wider of [['10.0.0.0/7'], ['0.0.0.0/0'], ['10.1.0.0/16', '11.0.0.0/16'], ['2001::/16'], []]) {
      assert.ok(!isListWithin(wider, outer), String(wider));
    }
  });
});

describe('allowed addresses', () => {
  let service: TestService;
  let second: Awaited<ReturnType<TestService['startSecond']>>;
  before(async () => {
    service = await startTestService({ env: { TRUST_PROXY: '10.9.0.0/16' } });
    second = await service.startSecond();
  });
  after(async () => {
    await second.close();
    await service.close();
  });

  const statusFrom = async (address: string, token: string, call = service.call) =>
    (await call('GET', '/account', { token, address })).status;
  const jwt = () => service.admin.jwt;

  it('of a token: others get a 403 with a clear message, behind a trusted proxy too', async () => {
    const created = await service.createToken(jwt(), {
      allowedAddresses: ['203.0.113.0/24', '2001:db8::/32'],
    });
    const { token } = created;
    for (let i = 0; i < 3; i++) {
      assert.equal(await statusFrom('203.0.113.5', token), 200);
      assert.equal(await statusFrom('::ffff:203.0.113.5', token), 200);
      assert.equal(await statusFrom('2001:db8::5', token), 200);
      const { status, body } = await service.call('GET', '/account', { token, address: '198.51.100.1' });
      assert.equal(status, 403);
      assert.equal(body.code, 'ADDRESS_NOT_ALLOWED');
      assert.match(body.message, /^requests from 198\.51\.100\.1 are not allowed/);
    }
    const behind = (address: string, forwarded: string) =>
      service.call('GET', '/account', { token, address, headers: { 'x-forwarded-for': forwarded } });
    assert.equal((await behind('10.9.0.1', '203.0.113.5')).status, 200);
    assert.equal((await behind('10.9.0.1', '203.0.113.5, 198.51.100.1')).status, 403);
    assert.equal((await behind('198.51.100.1', '203.0.113.5')).status, 403, 'a claim of the client');

    const changed = await service.call('PATCH', `/api-tokens/${created.id}`, {
      token: jwt(),
      body: { allowedAddresses: ['198.51.100.1'] },
    });
    assert.deepEqual([changed.status, changed.body.allowedAddresses], [200, ['198.51.100.1/32']]);
    assert.equal(await statusFrom('198.51.100.1', token), 200, 'at once');
    await eventually(async () => (await statusFrom('203.0.113.5', token, second.call)) === 403);
    const { body } = await service.call('GET', '/audit-log?action=api_token.updated');
    assert.deepEqual(body.items[0].changes.allowedAddresses.to, ['198.51.100.1/32']);
  });

  it('a token neither locks itself out by mistake nor gets around its own list', async () => {
    const { id, token } = await service.createToken(jwt(), { allowedAddresses: ['127.0.0.0/8'] });
    const patch = (body: object) => service.call('PATCH', `/api-tokens/${id}`, { token, body });
    const locked = await patch({ allowedAddresses: ['127.0.0.2'] });
    assert.deepEqual([locked.status, locked.body.yourAddress], [409, '127.0.0.1']);
    assert.equal((await patch({ allowedAddresses: [] })).status, 403, 'wider');
    assert.equal((await patch({ allowedAddresses: ['10.0.0.0/8'] })).status, 403, 'elsewhere');
    assert.equal((await patch({ allowedAddresses: ['nonsense'] })).status, 400);
    const create = async (body: object) =>
      service.call('POST', '/api-tokens', { token, body: { name: 'x', ...body } });
    assert.equal((await create({ allowedAddresses: [] })).status, 403);
    assert.deepEqual((await create({})).body.allowedAddresses, ['127.0.0.0/8'], 'inherits it');
    assert.equal((await create({ allowedAddresses: ['127.0.0.1'] })).status, 201);
    assert.equal((await patch({ allowedAddresses: ['127.0.0.2'], confirmLockout: true })).status, 200);
    assert.equal(await statusFrom('127.0.0.1', token), 403);
  });

  it('of administrators: at sign-in after the password, and at every request', async () => {
    const { jwt: owner } = await service.createAccount();
    const operator = await service.createUser('operator', owner);
    const admin = await service.createUser('admin', owner);
    const patch = (body: object, address = '127.0.0.1') =>
      service.call('PATCH', '/account/security', { token: owner, body, address });
    const locked = await patch({ adminAddresses: ['203.0.113.0/24'] });
    assert.equal(locked.status, 409);
    assert.match(locked.body.message, /does not contain your address 127\.0\.0\.1.*confirmLockout/);
    assert.equal((await patch({ adminAddresses: ['10.0.0.300'] })).status, 400);
    const away = await service.call('POST', '/auth/login', {
      token: null,
      address: '198.51.100.1',
      body: { email: admin.email, password },
    });
    const saved = await patch({ adminAddresses: ['127.0.0.1', '2001:db8::/64'] });
    assert.deepEqual(saved.body.adminAddresses, ['127.0.0.1/32', '2001:db8::/64']);
    assert.equal(saved.body.yourAddress, '127.0.0.1');

    assert.equal(await statusFrom('127.0.0.1', owner), 200);
    assert.equal(await statusFrom('2001:db8::9', owner), 200);
    assert.equal(await statusFrom('198.51.100.1', owner), 403);
    assert.equal(await statusFrom('127.0.0.1', away.body.token), 401, 'a session from elsewhere has ended');
    assert.equal(await statusFrom('198.51.100.1', operator.jwt), 200, 'operators are free');
    const login = (secret: string, address: string) =>
      service.call('POST', '/auth/login', {
        token: null,
        address,
        body: { email: admin.email, password: secret },
      });
    const refused = await login(password, '198.51.100.1');
    assert.deepEqual([refused.status, refused.body.code], [403, 'ADDRESS_NOT_ALLOWED']);
    assert.equal((await login('wrong', '198.51.100.1')).status, 401, 'says nothing without the password');
    assert.equal((await login(password, '127.0.0.1')).status, 200);
    for (let i = 0; i < 6; i++)
      assert.equal((await login(password, '198.51.100.9')).status, 403, 'not counted');

    assert.equal((await patch({ adminAddresses: ['203.0.113.0/24'], confirmLockout: true })).status, 200);
    await eventually(async () => (await statusFrom('127.0.0.1', owner)) !== 200);
    const { body } = await service.call('GET', '/audit-log?action=account.security_changed', {
      token: (await login(password, '203.0.113.1')).body.token,
      address: '203.0.113.1',
    });
    assert.equal(body.items.length, 2);
    const other = await service.call('GET', '/account/security');
    assert.deepEqual(other.body.adminAddresses, [], 'of another account');
  });

  it('of administrators of the instance: a setting', async () => {
    const strict = await service.startSecond({ INSTANCE_ADMIN_ADDRESSES: '203.0.113.0/24, ::1' });
    try {
      const admin = await service.createUser('admin');
      assert.equal(await statusFrom('127.0.0.1', jwt(), strict.call), 403);
      assert.equal(await statusFrom('203.0.113.4', jwt(), strict.call), 200);
      assert.equal(await statusFrom('127.0.0.1', admin.jwt, strict.call), 200, 'not of the instance');
      const login = await strict.call('POST', '/auth/login', {
        token: null,
        body: { email: service.admin.email, password },
      });
      assert.equal(login.status, 403);
    } finally {
      await strict.close();
    }
  });
});
