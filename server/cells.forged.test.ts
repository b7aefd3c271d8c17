import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { refusal, ticketFor } from '../test/support/live.ts';
import { password, startTestService, type TestService } from '../test/support/service.ts';
import { visitorsOf } from '../test/support/visitors.ts';
import { tagOf } from './platform/cells/account-tag.ts';
import { newId } from './platform/ids.ts';

/** What a caller shows says where it belongs; what it is worth is decided by its random or signed part alone. */
describe('credentials that name another account', () => {
  let service: TestService;
  let base: string;
  const accounts: Record<string, { accountId: string; jwt: string; token: string }> = {};
  before(async () => {
    service = await startTestService({ cells: ['eu2'] });
    base = await service.app.listen({ host: '127.0.0.1', port: 0 });
    accounts.eu2 = await service.createAccount();
    accounts.home = await service.createAccount();
  });
  after(() => service.close());

  /** From each of the two to the other, and to nobody. */
  const swaps = () => {
    const { home, eu2 } = accounts as Required<typeof accounts>;
    return [
      { from: home!, to: eu2!.accountId },
      { from: eu2!, to: home!.accountId },
      { from: home!, to: newId() },
      { from: eu2!, to: newId() },
    ];
  };
  const status = async (path: string, init: RequestInit = {}) => (await fetch(`${base}${path}`, init)).status;
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const retag = (text: string, from: string, to: string) => {
    assert.ok(text.includes(tagOf(from)));
    return text.replace(tagOf(from), tagOf(to));
  };

  it('are no tokens', async () => {
    for (const { from, to } of swaps()) {
      assert.equal(await status('/account', bearer(from.token)), 200);
      assert.equal(await status('/account', bearer(retag(from.token, from.accountId, to))), 401);
    }
  });

  it('are no logins', async () => {
    for (const { from, to } of swaps()) {
      const [head, claims, signature] = from.jwt.split('.') as [string, string, string];
      const text = Buffer.from(claims, 'base64url').toString().replace(from.accountId, to);
      const forged = [head, Buffer.from(text).toString('base64url'), signature].join('.');
      assert.notEqual(forged, from.jwt);
      assert.equal(await status('/account', bearer(forged)), 401);
    }
  });

  it('are no cookies', async () => {
    for (const { from, to } of swaps()) {
      const { email } = (await service.call('GET', '/auth/me', { token: from.jwt })).body.user;
      const login = await service.call('POST', '/auth/login', { token: null, body: { email, password } });
      const cookie = String(login.headers['set-cookie']).split(';')[0]!;
      const init = (value: string) => ({ method: 'POST', headers: { cookie: value } });
      assert.equal(await status('/auth/refresh', init(retag(cookie, from.accountId, to))), 401);
      assert.equal(await status('/auth/refresh', init(cookie)), 200);
    }
  });

  it('are no tickets for live connections', async () => {
    for (const { from, to } of swaps()) {
      const ticket = retag(await ticketFor(service.call, from.jwt), from.accountId, to);
      assert.equal(await refusal(`${base.replace('http', 'ws')}/ws?ticket=${ticket}`), 401);
    }
  });

  it('are no visitors', async () => {
    const visitors = visitorsOf(base);
    for (const { from, to } of swaps()) {
      const { items } = (await service.call('GET', '/channels', { token: from.token })).body;
      const channel = items.find(({ type }: { type: string }) => type === 'web').id;
      const token = await visitors.guest(channel);
      const bytes = Buffer.from(token.slice('tbv_'.length), 'base64url');
      const fields = bytes.subarray(32).toString().replace(from.accountId, to);
      const forged = `tbv_${Buffer.concat([bytes.subarray(0, 32), Buffer.from(fields)]).toString('base64url')}`;
      assert.notEqual(forged, token);
      assert.equal(await status('/widget/messages', bearer(forged)), 401);
      assert.equal(await status('/widget/messages', bearer(token)), 200);
    }
  });

  it('are no addresses of files and test receivers', async () => {
    for (const { from, to } of swaps()) {
      const { body } = await service.call('POST', '/webhook-inbox', { token: from.jwt });
      const { pathname } = new URL(body.url);
      const forged = retag(pathname, from.accountId, to);
      const headers = { 'content-type': 'application/json' };
      assert.equal(await status(forged, { method: 'POST', headers, body: '{}' }), 404);
      assert.equal(await status(pathname, { method: 'POST', headers, body: '{}' }), 200);
      assert.equal(await status(`/files/${to}/key?expires=9999999999999&signature=x`), 403);
    }
  });
});
