import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { hashAtRealCost } from '../../../../test/support/cheap-hashes.ts';
import {
  type Answer,
  password,
  startTestService,
  type TestService,
} from '../../../../test/support/service.ts';

let counter = 0;
const newEmail = () => `Someone-${++counter}@example.com`;

describe('passwords', () => {
  let service: TestService;
  before(async () => {
    // Two connections: a request that holds one while it hashes would be noticed by everyone else.
    service = await startTestService({ poolSize: 2 });
  });
  after(() => service.close());

  type Setter = (email: string, secret: string) => Promise<Answer>;
  const existing = async (email: string) =>
    (
      await service.call('POST', '/users', {
        token: service.admin.jwt,
        body: { email, name: 'Someone', role: 'operator', password },
      })
    ).body;
  /** Every place where a password is set, and the field in its message. */
  const places: [place: string, field: string, set: Setter][] = [
    [
      'POST /users',
      'password',
      (email, secret) =>
        service.call('POST', '/users', {
          token: service.admin.jwt,
          body: { email, name: 'Someone', role: 'operator', password: secret },
        }),
    ],
    [
      'PATCH /users/{id}',
      'password',
      async (email, secret) => {
        const { id } = await existing(email);
        return service.call('PATCH', `/users/${id}`, {
          token: service.admin.jwt,
          body: { password: secret },
        });
      },
    ],
    [
      'POST /auth/password',
      'newPassword',
      async (email, secret) => {
        await existing(email);
        const token = await service.login(email, password);
        const body = { currentPassword: password, newPassword: secret };
        return service.call('POST', '/auth/password', { token, body });
      },
    ],
    [
      'POST /admin/accounts',
      'adminPassword',
      (email, secret) =>
        service.call('POST', '/admin/accounts', {
          token: service.admin.jwt,
          body: { name: 'Branch', adminEmail: email, adminPassword: secret },
        }),
    ],
  ];
  for (const [place, field, set] of places) {
    it(`${place}: 400 names ${field} for a common password and for the e-mail address`, async () => {
      for (const common of ['password123', 'QwertyUiop', '1234567890', '0987654321', '1111111111']) {
        const { status, body } = await set(newEmail(), common);
        assert.equal(status, 400, common);
        assert.equal(body.code, 'VALIDATION_FAILED');
        assert.equal(body.message, `${field} is one of the most common passwords, choose another`);
      }
      const email = newEmail();
      const own = await set(email, email.toUpperCase());
      assert.equal(own.status, 400);
      assert.equal(own.body.message, `${field} must not be the e-mail address`);
      const good = await set(newEmail(), 'password123 and something of mine');
      assert.ok(good.status < 300, `${good.status} ${good.text}`);
    });
  }

  it('a refused password changes nothing else of the user', async () => {
    const email = newEmail();
    const { id } = await existing(email);
    const path = `/users/${id}`;
    await service.call('PATCH', path, {
      token: service.admin.jwt,
      body: { name: 'New', password: 'password123' },
    });
    assert.ok(await service.login(email, password));
    assert.equal(
      (await service.call('GET', '/users?limit=100')).body.items.some(
        (one: { name: string }) => one.name === 'New',
      ),
      false,
    );
  });

  it('30 changes at once keep no connection: one wins, and others are answered meanwhile', async (t) => {
    hashAtRealCost(true);
    t.after(() => hashAtRealCost(false));
    const user = await service.createUser('operator');
    const change = (index: number) =>
      service.call('POST', '/auth/password', {
        token: user.jwt,
        address: '198.51.100.1',
        body: { currentPassword: password, newPassword: `a good password ${index}` },
      });
    let left = 30;
    const changes = Array.from({ length: left }, (_, index) =>
      change(index).finally(() => {
        left--;
      }),
    );
    // Connections are assigned in order: if each change held one, these would wait for nearly all of them.
    for (let i = 0; i < 5; i++) assert.equal((await service.call('GET', '/kanbans')).status, 200);
    assert.ok(left > 15, `only ${left} changes were left when other requests were answered`);
    const answers = await Promise.all(changes);
    const winners = answers.filter((answer) => answer.status === 200);
    assert.equal(winners.length, 1);
    for (const answer of answers.filter((one) => one.status !== 200)) {
      // On a slow machine the last ones get BUSY.
      if (answer.status === 503) assert.equal(answer.body.code, 'BUSY');
      // The sixth that finds its current password replaced.
      else if (answer.status === 429) assert.equal(answer.body.code, 'RATE_LIMITED');
      else assert.deepEqual([answer.status, answer.body.message], [400, 'currentPassword is wrong']);
    }
    const index = answers.indexOf(winners[0]!);
    assert.ok(await service.login(user.email, `a good password ${index}`));
  });

  it('a repeated change with the same Idempotency-Key gets the first answer', async () => {
    const user = await service.createUser('operator');
    const again = () =>
      service.call('POST', '/auth/password', {
        token: user.jwt,
        headers: { 'idempotency-key': 'change-once' },
        body: { currentPassword: password, newPassword: 'a good password again' },
      });
    assert.equal((await again()).status, 200);
    const replay = await again();
    assert.deepEqual([replay.status, replay.headers['idempotency-replayed']], [200, 'true']);
  });
});
