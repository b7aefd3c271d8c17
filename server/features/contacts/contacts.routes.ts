import {
  Contact,
  ContactDetails,
  ContactMerge,
  ContactsQuery,
  ContactUpdate,
  contactLimits,
  MergedContact,
  UnmergedContacts,
} from '../../../contract/contacts.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageOf } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { changeContact, dismissMergeOffer } from './contacts.change.ts';
import { mergeContacts, undoMerge } from './contacts.merge.ts';
import { listContacts, requireContact } from './contacts.read.ts';

export function contactsRoutes(app: App, { db, clock, write, pageTokens, visibleTo }: Context): void {
  const tags = ['Contacts'];
  const read = { access: { scope: 'messages:read', permission: 'conversations.view' } } as const;
  const change = { access: { scope: 'messages:write', permission: 'contacts.edit' } } as const;
  const params = Type.Object({ id: Type.String() });

  app.get(
    '/contacts',
    {
      config: read,
      schema: {
        tags,
        summary: 'List contacts, the newest first',
        querystring: ContactsQuery,
        response: { 200: pageOf(Contact) },
      },
    },
    async (request) =>
      listContacts(db, request.actor, await visibleTo(request.actor), pageTokens, request.query),
  );

  app.get(
    '/contacts/:id',
    {
      config: read,
      schema: {
        tags,
        summary: 'One contact, with contacts that seem to be the same person',
        params,
        response: { 200: ContactDetails },
      },
    },
    async (request) => requireContact(db, request.actor, await visibleTo(request.actor), request.params.id),
  );

  app.patch(
    '/contacts/:id',
    {
      config: change,
      schema: {
        tags,
        summary: 'Change the name or the identifiers of a contact',
        description:
          '409 if another contact has one of the identifiers; the response has the id of that contact as contactId if you may see it.',
        params,
        body: ContactUpdate,
        response: { 200: ContactDetails },
      },
    },
    async (request, reply) => {
      const visible = await visibleTo(request.actor);
      return write(request, reply, async (tx) => ({
        status: 200,
        body: await changeContact(tx, request.actor, clock.now(), visible, request.params.id, request.body),
      }));
    },
  );

  app.post(
    '/contacts/:id/merge',
    {
      config: change,
      schema: {
        tags,
        summary: 'Merge another contact into this one',
        description:
          'Its identifiers, conversations and records become those of this contact, and it is not found any more.',
        params,
        body: ContactMerge,
        response: { 200: MergedContact },
      },
    },
    async (request, reply) => {
      const visible = await visibleTo(request.actor);
      const { actor, params: place, body } = request;
      return write(request, reply, async (tx) => ({
        status: 200,
        body: await mergeContacts(tx, actor, clock.now(), visible, place.id, body.contactId),
      }));
    },
  );

  app.post(
    '/contacts/merges/:mergeId/undo',
    {
      config: change,
      schema: {
        tags,
        summary: 'Undo a merge',
        description: `Within ${contactLimits.undoDays} days. Later merges of the same contact must be undone first: 409, with their ids as mergeIds.`,
        params: Type.Object({ mergeId: Type.String() }),
        response: { 200: UnmergedContacts },
      },
    },
    async (request, reply) => {
      const visible = await visibleTo(request.actor);
      return write(request, reply, async (tx) => ({
        status: 200,
        body: { contacts: await undoMerge(tx, request.actor, clock.now(), visible, request.params.mergeId) },
      }));
    },
  );

  app.delete(
    '/contacts/:id/merge-offers/:contactId',
    {
      config: change,
      schema: {
        tags,
        summary: 'Dismiss a merge offer',
        params: Type.Object({ id: Type.String(), contactId: Type.String() }),
        response: { 200: Done },
      },
    },
    async (request, reply) => {
      const visible = await visibleTo(request.actor);
      const { actor, params: place } = request;
      return write(request, reply, async (tx) => {
        await dismissMergeOffer(tx, actor, clock.now(), visible, place.id, place.contactId);
        return { status: 200, body: { message: 'merge offer dismissed' } };
      });
    },
  );
}
