import { limits } from '../../../contract/limits.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageOf, pageQuery } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import { Team, TeamCreate, TeamUpdate } from '../../../contract/teams.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { changeTeam, createTeam, listTeams, removeTeam, requireTeam } from './teams.ts';

export function teamsRoutes(app: App, { db, clock, write, pageTokens }: Context): void {
  const tags = ['Teams'];
  const read = { access: { scope: 'manage', everyUser: true } } as const;
  const manage = { access: { scope: 'manage', permission: 'users.manage' } } as const;
  const params = Type.Object({ id: Type.String() });

  app.get(
    '/teams',
    {
      config: read,
      schema: {
        tags,
        summary: 'List the teams with their members',
        querystring: Type.Object(pageQuery(limits.listPage)),
        response: { 200: pageOf(Team) },
      },
    },
    (request) => listTeams(db, request.actor.accountId, pageTokens, request.query),
  );

  app.get(
    '/teams/:id',
    { config: read, schema: { tags, summary: 'One team', params, response: { 200: Team } } },
    (request) => requireTeam(db, request.actor.accountId, request.params.id),
  );

  app.post(
    '/teams',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Create a team',
        description: 'Names are unique in the account, case-insensitive (409).',
        body: TeamCreate,
        response: { 201: Team },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 201,
        body: await createTeam(tx, request.actor, clock.now(), request.body),
      })),
  );

  app.patch(
    '/teams/:id',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Rename a team, or replace its members',
        params,
        body: TeamUpdate,
        response: { 200: Team },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: await changeTeam(tx, request.actor, clock.now(), request.params.id, request.body),
      })),
  );

  app.delete(
    '/teams/:id',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Delete a team; its conversations and channels no longer have one',
        params,
        response: { 200: Done },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await removeTeam(tx, request.actor, clock.now(), request.params.id);
        return { status: 200, body: { message: 'team deleted' } };
      }),
  );
}
