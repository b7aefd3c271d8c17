import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Json, password, startTestService, type TestService } from '../../../test/support/service.ts';
import { newId } from '../../platform/ids.ts';

describe('accounts and their log', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService({ realLimits: true });
  });
  after(() => service.close());

  const as = (token: string, method: string, path: string, body?: object) =>
    service.call(method, path, { token, ...(body && { body }) });
  const limits = {
    crmPerMinute: 120,
    crmPerHour: 3_000,
    messagesPerMinute: 600,
    storageBytes: 20 * 1024 ** 3,
    aiRepliesPerDay: 20_000,
    knowledgeDocuments: 50_000,
    knowledgeBytes: 200 * 1024 ** 2,
  };
  const unused = { storageBytes: 0, aiRepliesToday: 0 };
  const settings = { language: 'en', replyTakesOver: true };

  describe('the instance administrator', () => {
    it('201 an account that can be signed in to and used at once', async () => {
      const body = { name: ' Acme ', adminEmail: 'Boss@Acme.example', adminPassword: password };
      const created = await as(service.admin.jwt, 'POST', '/admin/accounts', body);
      assert.equal(created.status, 201);
      assert.deepEqual(Object.keys(created.body).sort(), ['account', 'user']);
      assert.deepEqual(created.body.account, { id: created.body.account.id, name: 'Acme', limits });
      const { id, name, ...user } = created.body.user;
      assert.deepEqual(user, { email: 'boss@acme.example', role: 'admin' });
      const jwt = await service.login('boss@acme.example', password);
      const kanbans = await as(jwt, 'GET', '/kanbans');
      assert.equal(kanbans.body.items.length, 1);
      assert.equal(kanbans.body.items[0].isDefault, true);
      assert.equal(kanbans.body.items[0].statuses.length, 3);
      assert.equal((await as(jwt, 'POST', '/crm/records', { title: 'First' })).status, 201);
      assert.equal((await as(jwt, 'GET', '/auth/me')).body.user.id, id);
    });

    it('400 and 409 name the field', async () => {
      const good = { name: 'B', adminEmail: 'b@example.com', adminPassword: password };
      const cases: [object, number, RegExp][] = [
        [{ ...good, name: ' ' }, 400, /^name is required$/],
        [{ ...good, adminEmail: 'no address' }, 400, /^adminEmail must be an e-mail address$/],
        [{ ...good, adminPassword: 'short' }, 400, /^adminPassword must have at least 10/],
        [{ ...good, adminEmail: service.admin.email }, 409, /mail is already in use$/],
      ];
      for (const [body, status, message] of cases) {
        const answer = await as(service.admin.jwt, 'POST', '/admin/accounts', body);
        assert.equal(answer.status, status);
        assert.match(answer.body.message, message);
      }
      assert.equal(
        (await as(service.admin.jwt, 'GET', '/admin/accounts?limit=100')).text.includes('"B"'),
        false,
      );
    });

    it('lists all accounts in pages', async () => {
      const seen: string[] = [];
      const { accountId } = await service.createAccount('Listed');
      for (let next: string | null = ''; next !== null; ) {
        const page: Json = await as(
          service.admin.jwt,
          'GET',
          `/admin/accounts?limit=1${next && `&nextToken=${next}`}`,
        );
        assert.equal(page.body.items.length, 1);
        seen.push(page.body.items[0].id);
        next = page.body.nextToken;
      }
      assert.equal(new Set(seen).size, seen.length);
      assert.ok(seen.includes(accountId) && seen.includes(service.admin.accountId));
    });

    it('PATCH merges limits and renames; 404 for an account that is none', async () => {
      const { accountId, jwt } = await service.createAccount();
      const path = `/admin/accounts/${accountId}`;
      const changed = await as(service.admin.jwt, 'PATCH', path, { limits: { crmPerHour: 9 } });
      assert.deepEqual(changed.body.limits, { ...limits, crmPerHour: 9 });
      const renamed = await as(service.admin.jwt, 'PATCH', path, { name: 'New name' });
      assert.deepEqual([renamed.body.name, renamed.body.limits.crmPerHour], ['New name', 9]);
      const log = await as(jwt, 'GET', '/audit-log');
      assert.deepEqual(log.body.items[0].changes, { name: { from: changed.body.name, to: 'New name' } });
      assert.deepEqual(log.body.items[1].changes, { crmPerHour: { from: 3_000, to: 9 } });
      for (const id of ['x', newId(), '%00']) {
        assert.equal((await as(service.admin.jwt, 'PATCH', `/admin/accounts/${id}`, {})).status, 404);
      }
    });

    it('is the only one: tokens, even of their own account, and other administrators get 403', async () => {
      const other = await service.createAccount();
      const colleague = await service.createUser('admin');
      const body = { name: 'C', adminEmail: 'c@example.com', adminPassword: password };
      for (const token of [service.token, other.token, other.jwt, colleague.jwt]) {
        for (const answer of [
          await as(token, 'POST', '/admin/accounts', body),
          await as(token, 'GET', '/admin/accounts'),
          await as(token, 'PATCH', `/admin/accounts/${other.accountId}`, { limits: { crmPerHour: 1e6 } }),
        ]) {
          assert.deepEqual([answer.status, answer.body.code], [403, 'FORBIDDEN']);
        }
      }
      assert.deepEqual((await as(other.jwt, 'GET', '/account')).body.limits, limits);
    });
  });

  describe('the own account', () => {
    it('anyone of the account reads it; administrators and manage tokens rename it', async () => {
      const { jwt, token, accountId } = await service.createAccount('Own');
      const operator = await service.createUser('operator', jwt);
      const reader = await service.createToken(jwt, { scopes: ['crm:read'] });
      for (const credential of [jwt, token, operator.jwt, reader.token]) {
        const answer = await as(credential, 'GET', '/account');
        assert.deepEqual(answer.body, { id: accountId, name: 'Own', limits, ...settings, usage: unused });
      }
      const changed = await as(token, 'PATCH', '/account', {
        name: ' Renamed ',
        limits: { crmPerHour: 1e6 },
      });
      const after = { id: accountId, name: 'Renamed', limits, ...settings, usage: unused };
      assert.deepEqual(changed.body, after, 'limits are read only here');
      for (const credential of [operator.jwt, reader.token]) {
        assert.equal((await as(credential, 'PATCH', '/account', { name: 'X' })).status, 403);
      }
      assert.equal((await as(jwt, 'PATCH', '/account', { name: '  ' })).status, 400);
      assert.equal((await as(jwt, 'PATCH', '/account', {})).body.name, 'Renamed');
    });
  });

  describe('the account’s settings', () => {
    it('language and replyTakesOver are changed apart from each other, and audited', async () => {
      const { jwt } = await service.createAccount();
      const patch = (body: object) => as(jwt, 'PATCH', '/account', body);
      assert.deepEqual((await patch({ replyTakesOver: false })).body.replyTakesOver, false);
      const { body } = await patch({ language: 'pt' });
      assert.deepEqual([body.language, body.replyTakesOver], ['pt', false]);
      const { language, replyTakesOver } = (await as(jwt, 'GET', '/account')).body;
      assert.deepEqual({ language, replyTakesOver }, { language: 'pt', replyTakesOver: false });
      const [newest] = (await as(jwt, 'GET', '/audit-log')).body.items;
      assert.deepEqual(newest.changes, { language: { from: 'en', to: 'pt' } });
      for (const wrong of [{ language: 'xx' }, { language: null }, { replyTakesOver: 'yes' }]) {
        const answer = await patch(wrong);
        assert.equal(answer.status, 400);
        assert.match(answer.body.message, new RegExp(`^${Object.keys(wrong)[0]} `));
      }
    });

    it('an account can be created in its language', async () => {
      const body = { name: 'Loja', adminEmail: 'loja@example.com', adminPassword: 'correct horse battery' };
      const made = await as(service.admin.jwt, 'POST', '/admin/accounts', { ...body, language: 'pt' });
      assert.equal(made.status, 201, made.text);
      const jwt = await service.login(body.adminEmail, body.adminPassword);
      assert.equal((await as(jwt, 'GET', '/account')).body.language, 'pt');
    });
  });

  describe('the audit log', () => {
    it('lists who changed what, newest first', async () => {
      const { jwt, token, accountId } = await service.createAccount();
      const me = (await as(jwt, 'GET', '/auth/me')).body.user;
      const before = service.context.clock.now();
      await as(jwt, 'PATCH', '/account', { name: 'One' });
      await as(token, 'PATCH', '/account', { name: 'Two' });
      const { status, body } = await as(token, 'GET', '/audit-log');
      assert.equal(status, 200);
      const [newest, older] = body.items;
      assert.deepEqual(Object.keys(newest).sort(), [
        'action',
        'actor',
        'address',
        'at',
        'changes',
        'id',
        'target',
      ]);
      assert.equal(newest.address, '127.0.0.1');
      assert.equal(newest.actor.type, 'token');
      assert.deepEqual(older.actor, { type: 'user', id: me.id, name: me.name });
      assert.equal(newest.action, 'account.updated');
      assert.deepEqual(newest.target, { type: 'account', id: accountId });
      assert.deepEqual(newest.changes, { name: { from: 'One', to: 'Two' } });
      assert.ok(older.at >= before && newest.at >= older.at);
    });

    it('is paged without gaps or doubles while entries are added', async () => {
      const { jwt } = await service.createAccount();
      for (let i = 0; i < 7; i++) await as(jwt, 'PATCH', '/account', { name: `Name ${i}` });
      const whole: Json[] = (await as(jwt, 'GET', '/audit-log?limit=1000')).body.items;
      const seen: Json[] = [];
      for (let next: string | null = ''; next !== null; ) {
        const page: Json = await as(jwt, 'GET', `/audit-log?limit=3${next && `&nextToken=${next}`}`);
        seen.push(...page.body.items);
        next = page.body.nextToken;
        await as(jwt, 'PATCH', '/account', { name: `Meanwhile ${seen.length}` });
      }
      assert.deepEqual(seen, whole);
      const ids = whole.map((entry) => entry.at);
      assert.deepEqual(
        ids,
        [...ids].sort((a, b) => b - a),
      );
    });

    it('can be narrowed by actor, kind of thing and time', async () => {
      const { jwt, token } = await service.createAccount();
      const me = (await as(jwt, 'GET', '/auth/me')).body.user;
      await as(token, 'PATCH', '/account', { name: 'By the token' });
      await as(jwt, 'PATCH', '/account', { name: 'By hand' });
      const all: Json[] = (await as(jwt, 'GET', '/audit-log?limit=100')).body.items;
      const narrowed = async (query: string): Promise<Json[]> =>
        (await as(jwt, 'GET', `/audit-log?limit=100&${query}`)).body.items;
      const at = all[1].at;
      const cases: [string, (entry: Json) => boolean][] = [
        [`actorId=${me.id}`, (entry) => entry.actor.id === me.id],
        ['targetType=account', (entry) => entry.target.type === 'account'],
        [`from=${at}`, (entry) => entry.at >= at],
        [`to=${at}`, (entry) => entry.at <= at],
        ['actorId=nobody', () => false],
      ];
      for (const [query, fits] of cases) assert.deepEqual(await narrowed(query), all.filter(fits), query);
      assert.notEqual((await narrowed(`actorId=${me.id}`)).length, all.length);
      const { nextToken } = (await as(jwt, 'GET', '/audit-log?limit=1')).body;
      assert.equal((await as(jwt, 'GET', `/audit-log?to=1&nextToken=${nextToken}`)).status, 400);
    });

    it("400 for a nextToken that is altered, shortened, another list's or another account's", async () => {
      const [one, other] = [await service.createAccount(), await service.createAccount()];
      const { nextToken } = (await as(one.jwt, 'GET', '/audit-log?limit=1')).body;
      const tokens = (await as(one.jwt, 'GET', '/kanbans?limit=1')).body;
      assert.equal(tokens.nextToken, null);
      await as(one.jwt, 'POST', '/api-tokens', { name: 'second' });
      const otherList = (await as(one.jwt, 'GET', '/api-tokens?limit=1')).body.nextToken;
      const altered = `${nextToken.slice(0, -1)}${nextToken.endsWith('A') ? 'B' : 'A'}`;
      const wrong = [altered, nextToken.slice(0, 10), `${nextToken}==`, otherList, 'x', '', '%00', '%ff'];
      for (const token of wrong) {
        const answer = await as(one.jwt, 'GET', `/audit-log?nextToken=${token}`);
        assert.deepEqual([answer.status, answer.body.code], [400, 'VALIDATION_FAILED'], token);
        assert.match(answer.body.message, /^nextToken /);
      }
      assert.equal((await as(other.jwt, 'GET', `/audit-log?nextToken=${nextToken}`)).status, 400);
      assert.equal((await as(one.jwt, 'GET', `/audit-log?limit=2&nextToken=${nextToken}`)).status, 200);
    });

    it('limit: over 100 counts as 100, below 1 or no whole number is a 400', async () => {
      for (const limit of ['0', '-1', '1.5', 'x', '', 'NaN', '1&limit=2']) {
        const answer = await as(service.admin.jwt, 'GET', `/audit-log?limit=${limit}`);
        assert.equal(answer.status, 400, limit);
        assert.match(answer.body.message, /^limit /);
      }
      assert.equal((await as(service.admin.jwt, 'GET', '/audit-log?limit=100000')).status, 200);
    });
  });
});
