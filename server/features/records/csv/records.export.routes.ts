/** GET /crm/export: records as CSV, streamed. */
import { Readable } from 'node:stream';
import { ExportFile, ExportQuery } from '../../../../contract/shapes/csv.ts';
import type { Context } from '../../../context.ts';
import type { App } from '../../../platform/http/http.ts';
import { auditExport } from '../records.audit.ts';
import { exportRecords, findExportedKanban, findExportFilter } from './records.export.ts';

export function exportRoutes(app: App, context: Context): void {
  const { authenticator, db, clock } = context;
  const tags = ['Records'];

  app.get(
    '/crm/export',
    {
      config: { access: { scope: 'crm:read', permission: 'records.export' } },
      schema: {
        tags,
        summary: 'Records as a CSV file, newest first or in another order',
        description:
          'Times are ISO 8601 in UTC. Cells that a spreadsheet would run as a formula are prefixed with an apostrophe, which an import removes.',
        querystring: ExportQuery,
        response: {
          200: {
            description: 'UTF-8 with a byte order mark, comma-separated, CRLF',
            content: { 'text/csv': { schema: ExportFile } },
          },
        },
      },
    },
    async (request, reply) => {
      const confirmed = () => authenticator.confirm(request.headers.authorization, request.actor);
      const kanban = await findExportedKanban(context, request.actor, request.query.kanbanId);
      const filter = await findExportFilter(context, request.actor, kanban, request.query);
      const day = new Date(clock.now()).toISOString().slice(0, 10);
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="records-${kanban?.slug ?? 'none'}-${day}.csv"`);
      // HEAD asks for these lines only; Fastify would read the whole export and throw it away.
      if (request.method === 'HEAD') return reply.send('');
      if (kanban) {
        await db.transaction((tx) => auditExport(tx, request.actor, clock.now(), kanban.id, request.query));
      }
      return reply.send(
        Readable.from(exportRecords(context, confirmed, kanban, filter, request.query.names)),
      );
    },
  );
}
