import { RecordTasksQuery, Task, TaskCreate, TasksQuery, TaskUpdate } from '../../../contract/crm/tasks.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageOf } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import type { Actor } from '../accounts/accounts.ts';
import {
  changeTask,
  createTask,
  listTasks,
  listTasksOfRecord,
  removeTask,
  requireTask,
  type TaskContext,
} from './tasks.ts';

export function tasksRoutes(app: App, context: Context): void {
  const { db, clock, write, pageTokens, definitions, visibleTo } = context;
  const tags = ['Tasks'];
  const read = { access: { scope: 'crm:read', permission: 'records.view' } } as const;
  const change = { access: { scope: 'crm:write', permission: 'records.edit' }, dryRun: true } as const;
  const ofRecord = Type.Object({ recordId: Type.String() });
  const ofTask = Type.Object({ taskId: Type.String() });
  const contextOf = async (actor: Actor): Promise<() => TaskContext> => {
    const current = await definitions.fresh(actor.accountId);
    return () => ({ actor, now: clock.now(), definitions: current });
  };

  app.get(
    '/crm/records/:recordId/tasks',
    {
      config: read,
      schema: {
        tags,
        summary: 'The tasks of a record, in the order of GET /tasks',
        params: ofRecord,
        querystring: RecordTasksQuery,
        response: { 200: pageOf(Task) },
      },
    },
    async ({ actor, params, query }) =>
      listTasksOfRecord(db, actor, await visibleTo(actor), pageTokens, params.recordId, query),
  );

  app.post(
    '/crm/records/:recordId/tasks',
    {
      config: change,
      schema: {
        tags,
        summary: 'Add a task to a record',
        params: ofRecord,
        body: TaskCreate,
        response: { 201: Task },
      },
    },
    async (request, reply) => {
      const current = await contextOf(request.actor);
      return write(request, reply, async (tx) => ({
        status: 201,
        body: await createTask(tx, current(), request.params.recordId, request.body),
      }));
    },
  );

  app.get(
    '/tasks',
    {
      config: read,
      schema: {
        tags,
        summary: 'List tasks by due date, then creation; completed ones (done=true) newest first',
        querystring: TasksQuery,
        response: { 200: pageOf(Task) },
      },
    },
    async ({ actor, query }) => listTasks(db, actor, await visibleTo(actor), pageTokens, query),
  );

  app.get(
    '/tasks/:taskId',
    { config: read, schema: { tags, summary: 'One task', params: ofTask, response: { 200: Task } } },
    async ({ actor, params }) => requireTask(db, actor, await visibleTo(actor), params.taskId),
  );

  app.patch(
    '/tasks/:taskId',
    {
      config: change,
      schema: {
        tags,
        summary: 'Change, complete or reopen a task; only the supplied fields change',
        params: ofTask,
        body: TaskUpdate,
        response: { 200: Task },
      },
    },
    async (request, reply) => {
      const current = await contextOf(request.actor);
      return write(request, reply, async (tx) => ({
        status: 200,
        body: await changeTask(tx, current(), request.params.taskId, request.body),
      }));
    },
  );

  app.delete(
    '/tasks/:taskId',
    { config: change, schema: { tags, summary: 'Delete a task', params: ofTask, response: { 200: Done } } },
    async (request, reply) => {
      const current = await contextOf(request.actor);
      return write(request, reply, async (tx) => {
        await removeTask(tx, current(), request.params.taskId);
        return { status: 200, body: { message: 'task deleted' } };
      });
    },
  );
}
