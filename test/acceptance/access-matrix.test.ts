/** Who may call what: every route against every kind of caller. A route that the table does not have fails the test. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { accessTable as table } from '../support/access-table.ts';
import { absentId } from '../support/api-samples.ts';
import { type Route, watchRoutes } from '../support/routes.ts';
import { type Answer, allScopes, startTestService, type TestService } from '../support/service.ts';

const nameOf = ({ method, url }: Route) => `${method === 'HEAD' ? 'GET' : method} ${url}`;

type Verdict = 'allowed' | 'unauthorized' | 'forbidden';

describe('access', () => {
  let service: TestService;
  let routes: Route[];
  before(async () => {
    const watched = await watchRoutes(() => startTestService());
    service = watched.started;
    routes = watched.routes;
  });
  after(() => service.close());

  it('the table has every route, and every route declares what the table says', () => {
    const declared = new Map(routes.map((route) => [nameOf(route), route]));
    assert.deepEqual([...declared.keys()].sort(), Object.keys(table).sort());
    for (const route of routes) {
      assert.deepEqual(route.access, table[nameOf(route)], `${route.method} ${route.url}`);
    }
  });

  it('every route answers every kind of caller as its access says', async () => {
    const operator = await service.createUser('operator');
    const admin = await service.createUser('admin');
    const tokenOf = async (scopes: string[]) =>
      (await service.createToken(service.admin.jwt, { scopes })).token;
    const only = new Map<string, string>();
    const allBut = new Map<string, string>();
    for (const name of allScopes) {
      only.set(name, await tokenOf([name]));
      allBut.set(name, await tokenOf(allScopes.filter((one) => one !== name)));
    }
    const all = await tokenOf(allScopes);
    const seen: Record<Verdict, number> = { allowed: 0, unauthorized: 0, forbidden: 0 };

    for (const route of routes) {
      const access = table[nameOf(route)];
      assert.ok(access, `${nameOf(route)} is not in the table`);
      const isOpen = 'public' in access;
      const needed = 'scope' in access ? access.scope : null;
      const forUsers = (role: 'operator' | 'admin' | 'instance'): Verdict => {
        if ('instanceAdmin' in access) return role === 'instance' ? 'allowed' : 'forbidden';
        const managed = needed === 'manage' && !('operators' in access && access.operators);
        return managed && role === 'operator' ? 'forbidden' : 'allowed';
      };
      const forTokens: Verdict = 'instanceAdmin' in access || 'user' in access ? 'forbidden' : 'allowed';
      const callers: [string, string | null, Verdict][] = [
        ['nobody', null, isOpen ? 'allowed' : 'unauthorized'],
        ['an invented token', `tb_${'x'.repeat(43)}`, isOpen ? 'allowed' : 'unauthorized'],
        ['an invented JWT', 'eyJhbGciOiJIUzI1NiJ9.e30.x', isOpen ? 'allowed' : 'unauthorized'],
      ];
      // Signing out would end the very session that is asked with; an open route does not look at callers anyway.
      if (!isOpen) {
        callers.push(
          [
            'a token with every other scope',
            allBut.get(needed ?? '') ?? all,
            needed ? 'forbidden' : forTokens,
          ],
          ['a token with this scope alone', only.get(needed ?? '') ?? all, forTokens],
          ['an operator', operator.jwt, forUsers('operator')],
          ['an administrator', admin.jwt, forUsers('admin')],
          ['the instance administrator', service.admin.jwt, forUsers('instance')],
        );
      }
      for (const [who, token, expected] of callers) {
        const answer = await call(route, token);
        assert.equal(
          verdictOf(answer, route),
          expected,
          `${route.method} ${route.url} for ${who}: ${answer.text}`,
        );
        assert.ok(answer.status < 500, `${route.method} ${route.url}: ${answer.status}`);
        seen[expected]++;
      }
    }
    assert.ok(seen.allowed > 100 && seen.unauthorized > 100 && seen.forbidden > 50, JSON.stringify(seen));
  });

  const call = (route: Route, token: string | null) =>
    service.call(route.method, route.url.replace(/:\w+/g, absentId), {
      token,
      ...(['POST', 'PUT', 'PATCH'].includes(route.method) && { body: {} }),
    });

  /** A 401 or 403 of an open route is its own (no cookie to renew by, no signature), not the gate's. */
  const verdictOf = ({ status, body, headers }: Answer, route: Route): Verdict => {
    const ofTheGate = headers['www-authenticate'] === 'Bearer';
    if (status === 401 && ofTheGate) return 'unauthorized';
    if (status !== 403 || 'public' in table[nameOf(route)]!) return 'allowed';
    if (route.method !== 'HEAD') assert.equal(body.code, 'FORBIDDEN');
    return 'forbidden';
  };
});
