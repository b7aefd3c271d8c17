import {
  BatchAnswer,
  BatchBody,
  CreatedRecord,
  CrmRecord,
  RecordCreate,
  RecordPosition,
  RecordsQuery,
  RecordUpdate,
} from '../../../contract/crm/records.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageOf } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import { type App, sendJson, skipResponseSchema } from '../../platform/http/http.ts';
import { answered } from '../../platform/http/write.ts';
import { createMoveTurns, moveRecord } from './order/records.position.ts';
import { runBatch } from './records.batch.ts';
import { createSubmitRecord } from './records.create.ts';
import { listRecords } from './records.list.ts';
import { changeRecord, removeRecord, requireRecordJson } from './records.ts';

export function recordsRoutes(app: App, context: Context): void {
  const { db, clock, write, pageTokens, definitions, visibleTo, search } = context;
  const inTurn = createMoveTurns(db);
  const submitRecord = createSubmitRecord(context);
  const tags = ['Records'];
  const read = { access: { scope: 'crm:read', permission: 'records.view' } } as const;
  const change = { access: { scope: 'crm:write', permission: 'records.edit' }, dryRun: true } as const;
  const remove = { access: { scope: 'crm:write', permission: 'records.delete' }, dryRun: true } as const;
  const params = Type.Object({ recordId: Type.String() });
  const ofKanban = Type.Object({
    kanbanId: Type.Optional(Type.String({ description: 'The default kanban when omitted.' })),
  });

  app.get(
    '/crm/records',
    {
      config: read,
      schema: {
        tags,
        summary: 'List records, newest first, or by conditions and in another order',
        querystring: RecordsQuery,
        response: { 200: pageOf(CrmRecord) },
      },
    },
    async (request, reply) =>
      sendJson(
        reply,
        await listRecords(
          db,
          request.actor,
          await visibleTo(request.actor),
          pageTokens,
          search,
          request.query,
        ),
      ),
  );

  app.get(
    '/crm/records/:recordId',
    { config: read, schema: { tags, summary: 'One record', params, response: { 200: CrmRecord } } },
    async (request, reply) => {
      const visible = await visibleTo(request.actor);
      return sendJson(
        reply,
        await requireRecordJson(db.quick, request.actor, visible, request.params.recordId),
      );
    },
  );

  app.post(
    '/crm/records',
    {
      config: change,
      schema: {
        tags,
        summary: 'Create a record',
        querystring: ofKanban,
        body: RecordCreate,
        response: { 200: CreatedRecord, 201: CreatedRecord },
      },
    },
    (request, reply) => {
      skipResponseSchema(reply);
      const input = { ...request.body, kanbanId: request.query.kanbanId };
      const create = submitRecord(request.actor, input);
      const answer = (record: CreatedRecord) => ({ status: record.alreadyExists ? 200 : 201, body: record });
      return write(request, reply, answered(create, answer));
    },
  );

  app.put(
    '/crm/records/:recordId',
    {
      config: change,
      schema: {
        tags,
        summary: 'Update a record; only the supplied fields change, customFields are merged',
        params,
        body: RecordUpdate,
        response: { 200: CrmRecord },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { actor, body, params: place } = request;
        const record = await definitions.withDefinitions(tx, actor.accountId, (current) =>
          changeRecord(tx, actor, clock.now(), current, place.recordId, body),
        );
        return { status: 200, body: record };
      }),
  );

  app.put(
    '/crm/records/:recordId/position',
    {
      config: change,
      schema: {
        tags,
        summary: 'Move a record directly before or after another one in the manual order (sort=manual)',
        params,
        body: RecordPosition,
        response: { 200: CrmRecord },
      },
    },
    (request, reply) =>
      inTurn(request.actor.accountId, request.params.recordId, () =>
        write(request, reply, async (tx) => {
          const { actor, body, params: place } = request;
          const record = await definitions.withDefinitions(tx, actor.accountId, (current) =>
            moveRecord(tx, actor, clock.now(), current, place.recordId, body),
          );
          return { status: 200, body: record };
        }),
      ),
  );

  app.delete(
    '/crm/records/:recordId',
    { config: remove, schema: { tags, summary: 'Delete a record', params, response: { 200: Done } } },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { actor, params: place } = request;
        await definitions.withDefinitions(tx, actor.accountId, (current) =>
          removeRecord(tx, actor, clock.now(), current, place.recordId),
        );
        return { status: 200, body: { message: 'record deleted' } };
      }),
  );

  app.post(
    '/crm/records/batch',
    {
      config: change,
      schema: {
        tags,
        summary: 'Create and change up to 100 records, each on its own',
        querystring: ofKanban,
        body: BatchBody,
        response: { 200: BatchAnswer },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { actor, body, query } = request;
        const results = await definitions.withDefinitions(tx, actor.accountId, (current) =>
          runBatch(tx, actor, clock.now(), current, body.items, query.kanbanId),
        );
        return { status: 200, body: { results } };
      }),
  );
}
