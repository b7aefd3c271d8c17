import { limits } from '../../../contract/limits.ts';
import {
  BlockAnswer,
  BlockBody,
  BlockedContact,
  UnblockAnswer,
  UnblockQuery,
} from '../../../contract/messaging/blocked-contacts.ts';
import { pageOf, pageQuery } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { checkObject } from '../../platform/http/validation.ts';
import { blockContact, listBlockedContacts, unblockContact } from './blocked-contacts.ts';

export function blockedContactsRoutes(app: App, { db, clock, write, pageTokens, blockHash }: Context): void {
  const tags = ['Blocked contacts'];
  const config = { access: { scope: 'contacts:block', permission: 'contacts.block' } } as const;
  const params = Type.Object({ identifierValue: Type.String() });

  app.post(
    '/blocked-contacts/:identifierValue',
    {
      config,
      schema: {
        tags,
        summary: 'Block a contact, with all its identifiers',
        description:
          'The body is optional: { identifierType?, reason? }. The ids of web visitors and of chats are blocked with the identifierType web or chatbot: their digits are not a phone number.',
        params,
        response: { 200: BlockAnswer, 201: BlockAnswer },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        // Optional as a whole, so it is checked here and not by the route's schema.
        const input = checkObject(BlockBody, request.body ?? {});
        const blocked = await blockContact(
          tx,
          request.actor,
          clock.now(),
          request.params.identifierValue,
          input,
          blockHash,
        );
        return { status: blocked.alreadyBlocked ? 200 : 201, body: blocked };
      }),
  );

  app.delete(
    '/blocked-contacts/:identifierValue',
    {
      config,
      schema: {
        tags,
        summary: 'Unblock a contact, with all its identifiers',
        params,
        querystring: UnblockQuery,
        response: { 200: UnblockAnswer },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { actor, params: place, query } = request;
        const { identifierType } = query;
        const result = await unblockContact(
          tx,
          actor,
          clock.now(),
          place.identifierValue,
          identifierType,
          blockHash,
        );
        const message = result.unblocked ? 'contact unblocked' : 'contact was not blocked';
        return { status: 200, body: { ...result, message } };
      }),
  );

  app.get(
    '/blocked-contacts',
    {
      config,
      schema: {
        tags,
        summary: 'List the blocked contacts, newest first; all of them when no limit is given',
        querystring: Type.Object(pageQuery(limits.listPage)),
        response: { 200: pageOf(BlockedContact) },
      },
    },
    (request) => listBlockedContacts(db, request.actor.accountId, pageTokens, request.query),
  );
}
