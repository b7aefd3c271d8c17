/**
 * Who may call what: every route against every kind of caller. A route that the table does not have fails the test. A run
 * takes for each route one of the callers that it accepts and one of those that it refuses in each way; a full run all.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isManagingScope } from '../../contract/limits.ts';
import {
  type Permission,
  permissionRules,
  permissions,
  permissionsOfRole,
} from '../../contract/roles/permissions.ts';
import { accessTable as table } from '../support/access-table.ts';
import { absentId } from '../support/api-samples.ts';
import { type Route, watchRoutes } from '../support/routes.ts';
import { sampleOf } from '../support/sample.ts';
import { type Answer, allScopes, password, startTestService, type TestService } from '../support/service.ts';

const nameOf = ({ method, url }: Route) => `${method === 'HEAD' ? 'GET' : method} ${url}`;

/** What a route asks a role of the account for beside its permission. */
const asksAlso: Record<string, readonly Permission[]> = {
  'GET /contacts/:id/export': ['conversations.view', 'records.export'],
};

const lacking = 'a token with every other scope';

type Verdict = 'allowed' | 'unauthorized' | 'forbidden';

/** Of the callers with the same verdict. A HEAD has the access of its GET: one caller is enough. */
function oneOfEach<T>(callers: readonly T[], route: Route, verdict: (caller: T) => string): T[] {
  const where = `${route.method} ${route.url}`;
  const chosen = [...Map.groupBy(callers, verdict)].flatMap(([name, alike]) =>
    sampleOf(alike, 1 / 32, `${where} ${name}`),
  );
  return route.method === 'HEAD' ? sampleOf(chosen, 1 / 8, where) : chosen;
}

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
        if ('administrator' in access) return role === 'operator' ? 'forbidden' : 'allowed';
        const managed = needed !== null && isManagingScope(needed) && !('everyUser' in access);
        return managed && role === 'operator' ? 'forbidden' : 'allowed';
      };
      const isForTokens = !['instanceAdmin', 'administrator', 'user'].some((kind) => kind in access);
      const forTokens: Verdict = isForTokens ? 'allowed' : 'forbidden';
      const callers: [string, string | null, Verdict][] = [
        ['nobody', null, isOpen ? 'allowed' : 'unauthorized'],
        ['an invented token', `tb_${'x'.repeat(43)}`, isOpen ? 'allowed' : 'unauthorized'],
        ['an invented JWT', 'eyJhbGciOiJIUzI1NiJ9.e30.x', isOpen ? 'allowed' : 'unauthorized'],
      ];
      // Signing out would end the very session that is asked with; an open route does not look at callers anyway.
      if (!isOpen) {
        callers.push(
          [lacking, allBut.get(needed ?? '') ?? all, needed ? 'forbidden' : forTokens],
          ['a token with this scope alone', only.get(needed ?? '') ?? all, forTokens],
          ['an operator', operator.jwt, forUsers('operator')],
          ['an administrator', admin.jwt, forUsers('admin')],
          ['the instance administrator', service.admin.jwt, forUsers('instance')],
        );
      }
      // Tokens are refused for their scope, users for their role.
      const ways = ([who, , verdict]: (typeof callers)[number]) =>
        `${verdict}${verdict === 'forbidden' && who.startsWith('a token')}`;
      for (const [who, token, expected] of oneOfEach(callers, route, ways)) {
        const answer = await call(route, token);
        assert.equal(
          verdictOf(answer, route),
          expected,
          `${route.method} ${route.url} for ${who}: ${answer.text}`,
        );
        assert.ok(answer.status < 500, `${route.method} ${route.url}: ${answer.status}`);
        if (needed && who === lacking && route.method !== 'HEAD')
          assert.ok(answer.body.message.includes(needed), `${nameOf(route)}: ${answer.text}`);
        seen[expected]++;
      }
    }
    assert.ok(seen.allowed > 200 && seen.unauthorized > 200 && seen.forbidden > 150, JSON.stringify(seen));
  });

  it('every route asks a role of the account for its permission, and for no other', async () => {
    const needsOf = (name: Permission): Permission[] => {
      const { needs } = permissionRules.find((rule) => rule.name === name)!;
      return needs ? [name, needs, ...needsOf(needs)] : [name];
    };
    // In accounts of their own: tokens of one account share a rate limit, and an account has at most 50 roles.
    const { jwt: admin } = await service.createAccount();
    const { jwt: otherAdmin } = await service.createAccount();
    const none = await personWith(admin, []);
    const only = new Map<Permission, RolePerson>();
    const allBut = new Map<Permission, RolePerson>();
    for (const name of permissions) {
      only.set(name, await personWith(admin, [...new Set(needsOf(name))]));
      allBut.set(
        name,
        await personWith(
          otherAdmin,
          permissions.filter((one) => !needsOf(one).includes(name)),
        ),
      );
    }
    const seen: Record<Verdict, number> = { allowed: 0, unauthorized: 0, forbidden: 0 };

    for (const route of routes) {
      const access = table[nameOf(route)]!;
      if ('public' in access || route.method === 'HEAD') continue;
      const permission = 'permission' in access ? access.permission : undefined;
      // With two scopes, the route asks for the one that the body needs: an empty body is a reply.
      const other = 'orPermission' in access && !access.orScope ? access.orPermission : undefined;
      const enough = [permission, other].filter((one) => one !== undefined);
      const isHigher = 'instanceAdmin' in access || 'administrator' in access;
      const people = [
        none,
        only.get(permission ?? 'records.view')!,
        allBut.get(permission ?? 'records.view')!,
      ];
      const callers = people.flatMap(({ jwt, token, has }) => {
        const may =
          !isHigher &&
          (enough.length === 0 || enough.some((one) => has.includes(one))) &&
          (asksAlso[nameOf(route)] ?? []).every((one) => has.includes(one));
        // A token manages only what its user does.
        const manages = has.some((one) => !permissionsOfRole.operator.includes(one));
        const tokenMay: boolean =
          may && 'scope' in access ? !isManagingScope(access.scope) || manages : may && 'anyone' in access;
        const verdict = (allowed: boolean): Verdict => (allowed ? 'allowed' : 'forbidden');
        const asked = [{ who: 'a user', key: jwt, has, expected: verdict(may) }];
        if (has.length > 0)
          asked.push({ who: 'a token of a user', key: token, has, expected: verdict(tokenMay) });
        return asked;
      });
      for (const { who, key, has, expected } of oneOfEach(callers, route, (caller) => caller.expected)) {
        const answer = await call(route, key);
        const label = `${route.method} ${route.url} for ${who} with ${has.join(', ') || 'nothing'}`;
        assert.equal(verdictOf(answer, route), expected, `${label}: ${answer.text}`);
        assert.ok(answer.status < 500, `${label}: ${answer.status}`);
        seen[expected]++;
      }
    }
    assert.ok(seen.allowed > 200 && seen.forbidden > 200, JSON.stringify(seen));
  });

  it('the built-in roles have the permissions of the routes that they could always call', () => {
    for (const [name, access] of Object.entries(table)) {
      if (!('permission' in access) || !access.permission) continue;
      const isOperators = permissionsOfRole.operator.includes(access.permission);
      assert.equal(isOperators, 'user' in access || !isManagingScope(access.scope), name);
      assert.ok(permissionsOfRole.admin.includes(access.permission), name);
    }
  });

  interface RolePerson {
    jwt: string;
    /** With every scope. */
    token: string;
    has: readonly Permission[];
  }

  let people = 0;
  const personWith = async (admin: string, has: readonly Permission[]): Promise<RolePerson> => {
    const name = `Role ${++people}`;
    const role = await service.call('POST', '/roles', { token: admin, body: { name, permissions: has } });
    assert.equal(role.status, 201, role.text);
    const email = `role-${people}@example.com`;
    const body = { email, name, role: 'operator', roleId: role.body.id, password };
    const user = await service.call('POST', '/users', { token: admin, body });
    assert.equal(user.status, 201, user.text);
    const { id, token } = await service.createToken(admin);
    const given = await service.call('POST', `/api-tokens/${id}/transfer`, {
      token: admin,
      body: { userId: user.body.id },
    });
    assert.equal(given.status, 200, given.text);
    return { jwt: await service.login(email, password), token, has };
  };

  const call = (route: Route, token: string | null) =>
    service.call(route.method, route.url.replace(/:\w+/g, absentId), {
      token,
      ...(['POST', 'PUT', 'PATCH'].includes(route.method) && { body: {} }),
    });

  /** A 401 or 403 of an open route is its own (no cookie to renew by, no signature), not the gate's. */
  const verdictOf = ({ status, body, headers }: Answer, route: Route): Verdict => {
    const ofTheGate = headers['www-authenticate'] === 'Bearer';
    if (status === 401 && ofTheGate) {
      if (route.method !== 'HEAD') assert.equal(body.code, 'UNAUTHORIZED');
      return 'unauthorized';
    }
    if (status !== 403 || 'public' in table[nameOf(route)]!) return 'allowed';
    if (route.method !== 'HEAD') assert.equal(body.code, 'FORBIDDEN');
    return 'forbidden';
  };
});
