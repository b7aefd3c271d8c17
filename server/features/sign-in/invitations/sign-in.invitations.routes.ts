import { limits } from '../../../../contract/limits.ts';
import { Done } from '../../../../contract/shapes/errors.ts';
import { pageOf, pageQuery } from '../../../../contract/shapes/paging.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import {
  Invitation,
  InvitationAccept,
  InvitationAccepted,
  InvitationCreate,
  InvitationInfo,
  InvitationSent,
  LinkBody,
} from '../../../../contract/sign-in/sign-in.ts';
import type { Context } from '../../../context.ts';
import type { App } from '../../../platform/http/http.ts';
import {
  acceptInvitation,
  describeInvitation,
  invite,
  listInvitations,
  renewLink,
  withdrawInvitation,
} from './sign-in.invitations.ts';

const tags = ['Invitations'];
const manage = { access: { scope: 'manage', permission: 'users.manage' } } as const;
const open = { access: { public: true } } as const;

export function invitationsRoutes(app: App, context: Context): void {
  const { db, clock, write, pageTokens } = context;
  const params = Type.Object({ id: Type.String() });

  app.post(
    '/invitations',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Invite a person',
        description:
          'The link goes to the address by e-mail. Without SMTP_URL it is in the answer, to be passed on. It is valid for 7 days and once. A token can invite operators only (403). 409 if the address is a user of the account or has an invitation.',
        body: InvitationCreate,
        response: { 201: InvitationSent },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 201,
        body: await invite(tx, context, request.actor, clock.now(), request.body),
      })),
  );

  app.get(
    '/invitations',
    {
      config: manage,
      schema: {
        tags,
        summary: 'List the invitations that nobody has accepted',
        description: 'Expired ones stay for 30 days, to be sent again.',
        querystring: Type.Object(pageQuery(limits.listPage)),
        response: { 200: pageOf(Invitation) },
      },
    },
    (request) => listInvitations(db, request.actor.accountId, pageTokens, request.query),
  );

  app.post(
    '/invitations/:id/send',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Send an invitation again',
        description: 'With a new link, valid for 7 days. The earlier link no longer works.',
        params,
        response: { 200: InvitationSent },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: await renewLink(tx, context, request.actor, clock.now(), { id: request.params.id, by: 'mail' }),
      })),
  );
  app.post(
    '/invitations/:id/link',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Create a link to pass on',
        description:
          'For a person who does not get the e-mail. The new link is valid for 7 days, the earlier one no longer works, and no e-mail is sent.',
        params,
        response: { 200: InvitationSent },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: await renewLink(tx, context, request.actor, clock.now(), { id: request.params.id, by: 'link' }),
      })),
  );

  app.delete(
    '/invitations/:id',
    {
      config: manage,
      schema: { tags, summary: 'Withdraw an invitation', params, response: { 200: Done } },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await withdrawInvitation(tx, request.actor, clock.now(), request.params.id);
        return { status: 200, body: { message: 'invitation withdrawn' } };
      }),
  );

  app.post(
    '/auth/invitations/look-up',
    {
      config: open,
      schema: {
        tags,
        summary: 'What an invitation is for',
        description: '400 if the link has expired, was used or withdrawn.',
        body: LinkBody,
        response: { 200: InvitationInfo },
      },
    },
    (request) => describeInvitation(context, request.body.token),
  );

  app.post(
    '/auth/invitations/accept',
    {
      config: open,
      schema: {
        tags,
        summary: 'Accept an invitation with a name and a password',
        description: 'The person can sign in with them afterwards. 403 where passwords are disabled.',
        body: InvitationAccept,
        response: { 201: InvitationAccepted },
      },
    },
    async (request, reply) => {
      request.stopCounting();
      const accepted = await acceptInvitation(context, { ...request.body, address: request.clientAddress });
      return reply.code(201).send(accepted);
    },
  );
}
