import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import {
  Erasure,
  ErasureAccepted,
  ErasureQuery,
  MessageDeletionQuery,
} from '../../../../contract/erasures.ts';
import { Done } from '../../../../contract/shapes/errors.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import type { Context } from '../../../context.ts';
import type { App } from '../../../platform/http/http.ts';
import { audit, isOperator, requireMay } from '../../accounts/accounts.ts';
import { requireContact } from '../../contacts/contacts.ts';
import { exportPerson } from './erasures.export.ts';
import { deleteOneMessage } from './erasures.message.ts';
import { requestDeletion, requestErasure, requireErasure } from './erasures.ts';

export function erasuresRoutes(app: App, context: Context): void {
  const { db, blobs, clock, write, visibleTo, accountConfig } = context;
  const tags = ['Contacts'];
  const config = { access: { scope: 'manage', permission: 'privacy.manage' } } as const;
  const params = Type.Object({ id: Type.String() });

  app.delete(
    '/contacts/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Erase a person',
        description:
          'Removes the contact with its conversations, messages, files, records and every other trace. The work runs in the background: GET /erasures/{id} tells its progress. Backups made before still hold the person; the answer names them. 409 if something of the person is on a board that is closed to the caller.',
        params,
        querystring: ErasureQuery,
        response: { 202: ErasureAccepted },
      },
    },
    async (request, reply) => {
      const { actor, params: place, query } = request;
      const visible = await visibleTo(actor);
      return write(request, reply, async (tx) => {
        const keepsRecords = query.records === 'keep';
        const body = await requestErasure(tx, actor, clock.now(), visible, place.id, keepsRecords);
        return { status: 202, body };
      });
    },
  );

  app.get(
    '/contacts/:id/export',
    {
      config,
      schema: {
        tags,
        summary: 'Everything about a person as one archive',
        description:
          'A tar archive, compressed with gzip: contact.json, records, conversations with their messages and notes, and the files. A role of the account needs `conversations.view` and `records.export` too, and gets what is on boards that are open to the caller.',
        params,
        response: {
          200: {
            description: 'The archive, streamed',
            content: { 'application/gzip': { schema: Type.Any({ description: 'tar.gz' }) } },
          },
        },
      },
    },
    async (request, reply) => {
      const { actor } = request;
      // An administrator may do everything, and a token of theirs needs no other scope than `manage`.
      if (isOperator(actor)) {
        requireMay(actor, 'conversations.view');
        requireMay(actor, 'records.export');
      }
      const visible = await visibleTo(actor);
      const contact = await requireContact(db, actor, visible, request.params.id);
      reply
        .type('application/gzip')
        .header('content-disposition', `attachment; filename="contact-${contact.id}.tar.gz"`);
      if (request.method === 'HEAD') return reply.send('');
      await db.transaction((tx) =>
        audit(tx, actor, clock.now(), {
          action: 'contact.exported',
          target: { type: 'contact', id: contact.id },
        }),
      );
      const archive = exportPerson({ db, blobs }, actor.accountId, contact, clock.now(), visible);
      return reply.send(pipeline(Readable.from(archive), createGzip(), () => {}));
    },
  );

  app.delete(
    '/sessions/:sessionId',
    {
      config,
      schema: {
        tags: ['Sessions'],
        summary: 'Delete a conversation',
        description:
          'Removes the conversation with its messages, notes, files and every other trace. The contact and the record stay, and nothing is deleted at the provider. GET /erasures/{id} tells the progress.',
        params: Type.Object({ sessionId: Type.String() }),
        response: { 202: ErasureAccepted },
      },
    },
    async (request, reply) => {
      const { actor, params: place } = request;
      const visible = await visibleTo(actor);
      return write(request, reply, async (tx) => ({
        status: 202,
        body: await requestDeletion(tx, actor, clock.now(), visible, place.sessionId),
      }));
    },
  );

  app.delete(
    '/sessions/:sessionId/messages/:messageId',
    {
      config: { access: { scope: 'messages:write', permission: 'conversations.reply' } },
      schema: {
        tags: ['Messages'],
        summary: 'Drop a held reply, or delete a message',
        description:
          'A held reply was never sent and goes without a trace; whoever may reply drops it. With `erase=true` any other message is deleted: its text and files go everywhere, and the conversation shows that it was deleted. This needs an administrator or the scope `manage`. Nothing is deleted at the provider.',
        params: Type.Object({ sessionId: Type.String(), messageId: Type.String() }),
        querystring: MessageDeletionQuery,
        response: { 200: Done },
      },
    },
    async (request, reply) => {
      const { actor, params: place } = request;
      const visible = await visibleTo(actor);
      const { directory } = await accountConfig.fresh(actor.accountId);
      return write(request, reply, async (tx) => {
        const erases = request.query.erase === 'true';
        const deleting = { actor, now: clock.now(), visible, directory, erases };
        const done = await deleteOneMessage(tx, deleting, place.sessionId, place.messageId);
        return { status: 200, body: { message: done === 'dropped' ? 'reply dropped' : 'message deleted' } };
      });
    },
  );

  app.get(
    '/erasures/:id',
    {
      config,
      schema: { tags, summary: 'The progress of an erasure', params, response: { 200: Erasure } },
    },
    (request) => requireErasure(db, request.actor.accountId, request.params.id),
  );
}
