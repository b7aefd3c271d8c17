/** Who may call what: every route against every kind of caller. A route that the table does not have fails the test. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Scope } from '../../contract/limits.ts';
import type { Access } from '../../server/features/accounts/accounts.access.routes.ts';
import { absentId } from '../support/api-samples.ts';
import { type Route, watchRoutes } from '../support/routes.ts';
import { type Answer, allScopes, startTestService, type TestService } from '../support/service.ts';

const open: Access = { public: true };
const anyone: Access = { anyone: true };
const user: Access = { user: true };
/** Also for a user who must set up a second factor first. */
const unfinished: Access = { user: true, withoutFactor: true };
const instance: Access = { instanceAdmin: true };
const scope = (name: Scope): Access => ({ scope: name });

/** What decisions.md says, section 2 and the lines on reading; `HEAD` goes with `GET`. */
const table: Record<string, Access> = {
  'GET /': open,
  'GET /favicon.ico': open,
  'GET /app': open,
  'GET /app/': open,
  'GET /app/*': open,
  'GET /docs': open,
  'GET /docs/*': open,
  'GET /openapi.json': open,
  'GET /health/live': open,
  'GET /health/ready': open,
  'GET /metrics': open,
  'GET /version': open,
  'POST /auth/login': open,
  'POST /auth/login/factor': open,
  'POST /auth/passkeys/options': open,
  'POST /auth/passkeys/sign-in': open,
  'POST /auth/refresh': open,
  'POST /auth/logout': open,
  'GET /auth/methods': open,
  'GET /auth/oidc/start': open,
  'GET /auth/oidc/callback': open,
  'POST /auth/invitations/look-up': open,
  'POST /auth/invitations/accept': open,
  'POST /auth/password-reset': open,
  'POST /auth/password-reset/confirm': open,
  'POST /auth/login-link': open,
  'GET /auth/me': unfinished,
  'GET /auth/factors': unfinished,
  'POST /auth/factors/passkey-options': unfinished,
  'POST /auth/factors/totp': unfinished,
  'POST /auth/factors/totp/confirm': unfinished,
  'POST /auth/factors/totp/remove': unfinished,
  'POST /auth/factors/recovery-codes': unfinished,
  'POST /auth/passkeys': unfinished,
  'POST /auth/passkeys/registration': unfinished,
  'PATCH /auth/passkeys/:id': unfinished,
  'POST /auth/passkeys/:id/remove': unfinished,
  'PATCH /auth/me': user,
  'POST /auth/password': user,
  'GET /auth/sessions': user,
  'DELETE /auth/sessions': user,
  'DELETE /auth/sessions/:id': user,
  'GET /users': { scope: 'manage', operators: true },
  'POST /users': scope('manage'),
  'PATCH /users/:id': scope('manage'),
  'DELETE /users/:id': scope('manage'),
  'POST /users/:id/password-reset': scope('manage'),
  'GET /invitations': scope('manage'),
  'POST /invitations': scope('manage'),
  'POST /invitations/:id/send': scope('manage'),
  'DELETE /invitations/:id': scope('manage'),
  'POST /users/:id/reset-factors': scope('manage'),
  'GET /teams': { scope: 'manage', operators: true },
  'GET /teams/:id': { scope: 'manage', operators: true },
  'POST /teams': scope('manage'),
  'PATCH /teams/:id': scope('manage'),
  'DELETE /teams/:id': scope('manage'),
  'GET /contacts': scope('messages:read'),
  'GET /contacts/:id': scope('messages:read'),
  'PATCH /contacts/:id': scope('messages:write'),
  'POST /contacts/:id/merge': scope('messages:write'),
  'POST /contacts/merges/:mergeId/undo': scope('messages:write'),
  'DELETE /contacts/:id': scope('manage'),
  'GET /contacts/:id/export': scope('manage'),
  'DELETE /sessions/:sessionId': scope('manage'),
  'GET /erasures/:id': scope('manage'),
  'DELETE /contacts/:id/merge-offers/:contactId': scope('messages:write'),
  'GET /labels': anyone,
  'GET /labels/:id': anyone,
  'GET /labels/:id/usage': scope('manage'),
  'POST /labels': scope('manage'),
  'PATCH /labels/:id': scope('manage'),
  'DELETE /labels/:id': scope('manage'),
  'POST /api-tokens': scope('manage'),
  'GET /api-tokens': scope('manage'),
  'DELETE /api-tokens/:id': scope('manage'),
  'PATCH /api-tokens/:id': scope('manage'),
  'POST /api-tokens/:id/transfer': scope('manage'),
  'GET /account': anyone,
  'PATCH /account': scope('manage'),
  'GET /account/retention': scope('manage'),
  'PATCH /account/retention': scope('manage'),
  'POST /account/retention/preview': scope('manage'),
  'GET /account/security': scope('manage'),
  'PATCH /account/security': scope('manage'),
  'GET /audit-log': scope('manage'),
  'POST /admin/accounts': instance,
  'GET /admin/accounts': instance,
  'PATCH /admin/accounts/:id': instance,
  'DELETE /admin/accounts/:id': instance,
  'POST /admin/accounts/:id/suspend': instance,
  'POST /admin/accounts/:id/resume': instance,
  'GET /admin/cells': instance,
  'GET /kanbans': scope('crm:read'),
  'GET /kanbans/:id': scope('crm:read'),
  'POST /kanbans': scope('manage'),
  'PATCH /kanbans/:id': scope('manage'),
  'DELETE /kanbans/:id': scope('manage'),
  'PUT /kanbans/:id/statuses': scope('manage'),
  'PUT /kanbans/:id/members': scope('manage'),
  'GET /crm/fields': scope('crm:read'),
  'GET /crm/statuses': scope('crm:read'),
  'POST /crm/fields': scope('manage'),
  'PATCH /crm/fields/:fieldId': scope('manage'),
  'DELETE /crm/fields/:fieldId': scope('manage'),
  'GET /crm/field-groups': scope('crm:read'),
  'POST /crm/field-groups': scope('manage'),
  'PATCH /crm/field-groups/:id': scope('manage'),
  'DELETE /crm/field-groups/:id': scope('manage'),
  'GET /crm/records': scope('crm:read'),
  'GET /crm/records/:recordId': scope('crm:read'),
  'POST /crm/records': scope('crm:write'),
  'PUT /crm/records/:recordId': scope('crm:write'),
  'PUT /crm/records/:recordId/position': scope('crm:write'),
  'DELETE /crm/records/:recordId': scope('crm:write'),
  'POST /crm/records/batch': scope('crm:write'),
  'GET /crm/records/:recordId/tasks': scope('crm:read'),
  'POST /crm/records/:recordId/tasks': scope('crm:write'),
  'GET /tasks': scope('crm:read'),
  'GET /tasks/:taskId': scope('crm:read'),
  'PATCH /tasks/:taskId': scope('crm:write'),
  'DELETE /tasks/:taskId': scope('crm:write'),
  'GET /crm/records/:recordId/comments': scope('crm:read'),
  'POST /crm/records/:recordId/comments': scope('crm:write'),
  'PATCH /comments/:commentId': scope('crm:write'),
  'DELETE /comments/:commentId': scope('crm:write'),
  'GET /crm/search': scope('crm:read'),
  'GET /crm/search/aggregations': scope('crm:read'),
  'GET /crm/search/suggest': scope('crm:read'),
  'GET /crm/export': scope('crm:read'),
  'POST /crm/import': scope('crm:write'),
  'POST /crm/imports': scope('crm:write'),
  'GET /crm/imports': scope('crm:read'),
  'GET /crm/imports/:importId': scope('crm:read'),
  'PATCH /crm/imports/:importId': scope('crm:write'),
  'DELETE /crm/imports/:importId': scope('crm:write'),
  'GET /crm/imports/:importId/preview': scope('crm:read'),
  'GET /crm/imports/:importId/results': scope('crm:read'),
  'POST /crm/imports/:importId/start': scope('crm:write'),
  'POST /crm/imports/:importId/cancel': scope('crm:write'),
  'POST /crm/imports/:importId/resume': scope('crm:write'),
  'POST /channels': scope('manage'),
  'GET /channels': scope('messages:read'),
  'GET /channels/:id': scope('messages:read'),
  'PATCH /channels/:id': scope('manage'),
  'DELETE /channels/:id': scope('manage'),
  'POST /channels/:id/connector/check': scope('manage'),
  'POST /channels/:id/connector/connect': scope('manage'),
  'POST /channels/:id/connector/disconnect': scope('manage'),
  'GET /channels/:id/connector/qr': scope('manage'),
  'GET /channels/:id/connector/log': scope('manage'),
  'POST /channels/:id/connector/log/:entryId/retry': scope('manage'),
  'GET /channels/:id/templates': scope('messages:read'),
  'POST /sessions/:sessionId/template': scope('messages:write'),
  'GET /sessions/:sessionId/scheduled-messages': scope('messages:read'),
  'PATCH /sessions/:sessionId/scheduled-messages/:id': scope('messages:write'),
  'DELETE /sessions/:sessionId/scheduled-messages/:id': scope('messages:write'),
  'GET /connect/:channelId': open,
  'POST /connect/:channelId': open,
  'POST /channels/:id/rotate-secret': scope('manage'),
  'POST /agents': scope('manage'),
  'GET /agents': scope('messages:read'),
  'GET /agents/:id': scope('messages:read'),
  'PATCH /agents/:id': scope('manage'),
  'DELETE /agents/:id': scope('manage'),
  'POST /agents/:id/try': scope('manage'),
  'POST /blocked-contacts/:identifierValue': scope('contacts:block'),
  'DELETE /blocked-contacts/:identifierValue': scope('contacts:block'),
  'GET /blocked-contacts': scope('contacts:block'),
  'POST /messages/upload': scope('messages:write'),
  'GET /attachments/:fileKey': scope('messages:read'),
  'GET /attachments/usage': scope('messages:read'),
  // Signed addresses: they ask for no token and refuse what is not signed.
  'PUT /files/:accountId/:fileKey': open,
  'GET /files/:accountId/:fileKey': open,
  'GET /sessions': scope('messages:read'),
  'GET /sessions/:sessionId': scope('messages:read'),
  'GET /sessions/counts': scope('messages:read'),
  'PATCH /sessions/:sessionId': scope('messages:write'),
  'POST /sessions/bulk': scope('messages:write'),
  'GET /sessions/:sessionId/changes': scope('messages:read'),
  'PATCH /sessions/:sessionId/ai-paused': scope('messages:write'),
  'POST /sessions/:sessionId/transfer': scope('messages:write'),
  'GET /sessions/:sessionId/messages': scope('messages:read'),
  'GET /sessions/:sessionId/replies': scope('messages:read'),
  'POST /messages': scope('messages:write'),
  'GET /sessions/:sessionId/messages/:messageId/mail': scope('messages:read'),
  'GET /sessions/:sessionId/messages/:messageId/mail/original': scope('messages:read'),
  'POST /sessions/:sessionId/messages/:messageId/forward': scope('messages:write'),
  'POST /sessions/:sessionId/messages/:messageId/link': scope('messages:write'),
  'POST /sessions/:sessionId/messages/:messageId/release': scope('messages:write'),
  'DELETE /sessions/:sessionId/messages/:messageId': scope('messages:write'),
  'POST /sessions/:sessionId/messages/:messageId/reactions': scope('messages:write'),
  'POST /sessions/:sessionId/messages/status': scope('messages:write'),
  'POST /sessions/:sessionId/messages/reactions': scope('messages:write'),
  'POST /channels/:channelId/sessions': scope('messages:write'),
  // A reply needs messages:write, a note notes:write: the body says which of them it is.
  'POST /channels/:channelId/sessions/:sessionId/agent-messages': {
    scope: 'messages:write',
    orScope: 'notes:write',
  },
  'PATCH /channels/:channelId/sessions/:sessionId/notes/:messageId': scope('notes:write'),
  'DELETE /channels/:channelId/sessions/:sessionId/notes/:messageId': scope('notes:write'),
  'GET /kanbans/:id/cards': scope('crm:read'),
  'GET /kanbans/:id/board-summary': scope('crm:read'),
  'GET /kanbans/:id/table-rows': scope('crm:read'),
  'GET /kanbans/:id/table-summary': scope('crm:read'),
  'GET /crm/records/:recordId/activity': scope('crm:read'),
  'GET /inbox/counts': scope('messages:read'),
  'GET /inbox/sessions': scope('messages:read'),
  'GET /inbox/sessions/:sessionId': scope('messages:read'),
  'GET /reports/records-by-status': scope('crm:read'),
  'GET /reports/status-conversion': scope('crm:read'),
  'GET /reports/new-conversations': scope('messages:read'),
  'GET /reports/first-response': scope('messages:read'),
  'GET /mail': scope('messages:read'),
  'GET /sessions/:sessionId/messages/:messageId/mail/view': scope('messages:read'),
  'GET /mail-view/:accountId/:messageId': open,
  'POST /sessions/:sessionId/transcript': scope('messages:write'),
  'GET /reports/resolutions': scope('messages:read'),
  'GET /reports/satisfaction': scope('messages:read'),
  'GET /reports/answers': scope('messages:read'),
  'GET /reports/handovers': scope('messages:read'),
  'GET /reports/messages-per-hour': scope('messages:read'),
  'GET /reports/webhooks': scope('manage'),
  'GET /inbox/search': scope('messages:read'),
  'GET /messages/search': scope('messages:read'),
  'GET /inbox/sessions/:sessionId/pauses': scope('messages:read'),
  'GET /saved-views': user,
  'POST /saved-views': user,
  'PATCH /saved-views/:id': user,
  'DELETE /saved-views/:id': user,
  'GET /saved-replies': user,
  'POST /saved-replies': user,
  'PATCH /saved-replies/:id': user,
  'DELETE /saved-replies/:id': user,
  'GET /macros': user,
  'POST /macros': user,
  'PATCH /macros/:macroId': user,
  'DELETE /macros/:macroId': user,
  'POST /sessions/:sessionId/macros/:macroId/preview': user,
  'POST /sessions/:sessionId/macros/:macroId/run': user,
  'POST /webhooks': scope('manage'),
  'GET /webhooks': scope('manage'),
  'GET /webhooks/:id': scope('manage'),
  'PATCH /webhooks/:id': scope('manage'),
  'DELETE /webhooks/:id': scope('manage'),
  'POST /webhooks/:id/rotate-secret': scope('manage'),
  'POST /webhooks/:id/test': scope('manage'),
  'POST /webhooks/:id/replay': scope('manage'),
  'GET /webhooks/:id/deliveries': scope('manage'),
  'POST /webhook-deliveries/:id/redeliver': scope('manage'),
  'GET /events/:id': scope('manage'),
  'GET /channels/:id/widget': scope('manage'),
  'PATCH /channels/:id/widget': scope('manage'),
  'POST /channels/:id/widget/rotate-secret': scope('manage'),
  // The widget's own door asks for a visitor's token; the account's tokens do not open it.
  'GET /widget.js': open,
  'GET /widget/frame': open,
  'GET /widget/assets/:name': open,
  'GET /widget/preview': open,
  'OPTIONS /widget/*': open,
  'POST /widget/sessions': open,
  'GET /widget/messages': open,
  'POST /widget/messages': open,
  'POST /widget/receipts': open,
  'POST /widget/messages/:messageId/reaction': open,
  'POST /widget/uploads': open,
  'GET /widget/files/:fileKey': open,
  'POST /widget/person': open,
  'POST /widget/details': open,
  'GET /widget/rating': open,
  'POST /widget/rating': open,
  'POST /widget/transcript': open,
  'GET /widget/live': open,
  'GET /releases': anyone,
  'GET /first-run': scope('manage'),
  'PATCH /first-run': scope('manage'),
  'POST /demo': scope('manage'),
  'DELETE /demo': scope('manage'),
  'POST /webhook-inbox': scope('manage'),
  'GET /webhook-inbox': scope('manage'),
  // Whoever knows the key may send to it, as to any receiver.
  'POST /webhook-inbox/:key': open,
  'GET /webhook-settings': scope('manage'),
  'PATCH /webhook-settings': scope('manage'),
  // Asks for a ticket, which only a user gets.
  'GET /ws': open,
  'POST /ws/tickets': user,
  'GET /notifications': user,
  'POST /notifications/read': user,
  'GET /notifications/settings': user,
  'PATCH /notifications/settings': user,
  'GET /push/key': user,
  'POST /push/subscriptions': user,
  'POST /push/subscriptions/:id/test': user,
  'DELETE /push/subscriptions/:id': user,
};

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
