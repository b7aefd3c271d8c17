import { Comment, CommentCreate, CommentsQuery, CommentUpdate } from '../../../contract/crm/tasks.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageOf } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import type { Actor } from '../accounts/accounts.ts';
import { changeComment, createComment, listComments, removeComment } from './comments.ts';

export function commentsRoutes(app: App, context: Context): void {
  const { db, clock, write, pageTokens, definitions, visibleTo } = context;
  const tags = ['Comments'];
  const change = { access: { scope: 'crm:write', permission: 'records.edit' }, dryRun: true } as const;
  const ofRecord = Type.Object({ recordId: Type.String() });
  const ofComment = Type.Object({ commentId: Type.String() });
  const contextOf = async (actor: Actor) => {
    const current = await definitions.fresh(actor.accountId);
    return () => ({ actor, now: clock.now(), definitions: current });
  };

  app.get(
    '/crm/records/:recordId/comments',
    {
      config: { access: { scope: 'crm:read', permission: 'records.view' } },
      schema: {
        tags,
        summary: 'The comments on a record, newest first',
        params: ofRecord,
        querystring: CommentsQuery,
        response: { 200: pageOf(Comment) },
      },
    },
    async ({ actor, params, query }) =>
      listComments(db, actor, await visibleTo(actor), pageTokens, params.recordId, query),
  );

  app.post(
    '/crm/records/:recordId/comments',
    {
      config: change,
      schema: {
        tags,
        summary: 'Comment on a record',
        params: ofRecord,
        body: CommentCreate,
        response: { 201: Comment },
      },
    },
    async (request, reply) => {
      const current = await contextOf(request.actor);
      return write(request, reply, async (tx) => ({
        status: 201,
        body: await createComment(tx, current(), request.params.recordId, request.body),
      }));
    },
  );

  app.patch(
    '/comments/:commentId',
    {
      config: change,
      schema: {
        tags,
        summary: 'Edit your own comment',
        params: ofComment,
        body: CommentUpdate,
        response: { 200: Comment },
      },
    },
    async (request, reply) => {
      const current = await contextOf(request.actor);
      return write(request, reply, async (tx) => ({
        status: 200,
        body: await changeComment(tx, current(), request.params.commentId, request.body),
      }));
    },
  );

  app.delete(
    '/comments/:commentId',
    {
      config: change,
      schema: {
        tags,
        summary: 'Delete a comment: your own, or any as an administrator',
        params: ofComment,
        response: { 200: Done },
      },
    },
    async (request, reply) => {
      const current = await contextOf(request.actor);
      return write(request, reply, async (tx) => {
        await removeComment(tx, current(), request.params.commentId);
        return { status: 200, body: { message: 'comment deleted' } };
      });
    },
  );
}
