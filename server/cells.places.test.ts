import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { placeOf } from './cells.places.ts';
import { accountInTag, tagOf } from './platform/cells/account-tag.ts';
import { newId } from './platform/ids.ts';

const account = newId();
const random = 'x'.repeat(43);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const at = (url: string, headers: Record<string, string> = {}) => placeOf({ method: 'GET', url, headers });
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('the account of a request', () => {
  it('is in the tag of what was issued for it', () => {
    assert.equal(accountInTag(tagOf(account) + random, 43), account);
    assert.equal(accountInTag(random, 43), null);
    assert.equal(accountInTag(tagOf(account) + random, 42), null);
    assert.equal(accountInTag(`${'!'.repeat(22)}${random}`, 43), null);
  });

  it('is in tokens, JWTs and tokens of visitors', () => {
    assert.deepEqual(at('/crm/records', bearer(`tb_${tagOf(account)}${random}`)), { account });
    assert.deepEqual(at('/crm/records', bearer(`e30.${encoded({ account })}.x`)), { account });
    const visitor = Buffer.concat([Buffer.alloc(32), Buffer.from(JSON.stringify([account, 'c']))]);
    assert.deepEqual(at('/widget/messages', bearer(`tbv_${visitor.toString('base64url')}`)), { account });
    assert.deepEqual(at('/crm/records', bearer(`tb_${random}`)), { kind: 'token', value: `tb_${random}` });
  });

  it('is in addresses', () => {
    assert.deepEqual(at(`/files/${account}/key?expires=1`), { account });
    assert.deepEqual(at(`/mail-view/${account}/id`), { account });
    assert.deepEqual(at(`/webhook-inbox/${tagOf(account)}${random}`), { account });
    assert.deepEqual(at(`/webhook-inbox/${random}`), { kind: 'inbox', value: random });
    assert.deepEqual(at(`/automations/hooks/${random}`), { kind: 'hook', value: random });
    assert.deepEqual(at(`/connect/${account}`), { kind: 'channel', value: account });
    assert.deepEqual(at('/widget.js?channel=shop%20one'), { kind: 'channel', value: 'shop one' });
    assert.deepEqual(at(`/widget/live?channel=${account}`), { kind: 'channel', value: account });
    assert.deepEqual(at(`/ws?ticket=${tagOf(account)}${random}`), { account });
  });

  it('is in the refresh cookie', () => {
    const family = tagOf(account) + 'f'.repeat(32);
    const cookie = { cookie: `other=1; talkboard_refresh=${family}.proof; last=2` };
    assert.deepEqual(at('/auth/refresh', cookie), { account });
    assert.deepEqual(at('/auth/logout', cookie), { account });
    assert.deepEqual(at('/auth/refresh', { cookie: 'talkboard_refresh=old' }), {
      kind: 'cookie',
      value: 'old',
    });
    assert.equal(at('/crm/records', cookie), null);
  });

  it('is not known for sign-in, pages and documents, nor from anything malformed', () => {
    for (const url of [
      '/',
      '/auth/login',
      '/health/ready',
      '/openapi.json',
      '/app/',
      '/widget/assets/frame.js',
      '',
    ]) {
      assert.equal(at(url), null, url);
    }
    for (const url of ['/files/x/y', '/connect/x', '/ws', '/widget.js', '//', '/%00', '/ws?ticket=']) {
      assert.equal(at(url), null, url);
    }
    for (const token of [
      'a.b.c',
      'tbv_',
      'tbv_!!!',
      '..',
      `e30.${encoded(null)}.x`,
      `e30.${encoded({ account: 7 })}.x`,
    ]) {
      assert.equal(at('/account', bearer(token)), null, token);
    }
  });
});
