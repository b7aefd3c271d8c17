import { BackupOverview, BackupsStarted, StoredBackup } from '../../../contract/instance/backups.ts';
import { limits } from '../../../contract/limits.ts';
import { pageOf, pageQuery, pageSize } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { listStoredBackups } from './backups.stored.ts';
import { noteRequest, readBackups, requestBackups } from './backups.ts';

export function backupsRoutes(app: App, context: Context): void {
  const { config, instanceDb, accountHomes, clock, pageTokens } = context;
  const tags = ['Instance'];
  const admin = { access: { instanceAdmin: true } } as const;

  app.get(
    '/admin/backups',
    {
      config: admin,
      schema: {
        tags,
        summary: 'The backups that the service made, and when the next one is due',
        response: { 200: BackupOverview },
      },
    },
    () => readBackups({ config, db: instanceDb }, clock.now()),
  );

  app.get(
    '/admin/backups/stored',
    {
      config: admin,
      schema: {
        tags,
        summary: 'List what is in BACKUP_TO, newest first',
        description:
          'Also what `talkboard backup` or another instance has put there. Empty if BACKUP_TO is not set, 503 if it cannot be read.',
        querystring: Type.Object(pageQuery(limits.listPage)),
        response: { 200: pageOf(StoredBackup) },
      },
    },
    ({ query: { limit, nextToken } }) =>
      listStoredBackups(config, pageTokens, { limit: pageSize(limit, limits.listPage), nextToken }),
  );

  app.post(
    '/admin/backups',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Make a backup now',
        description:
          'One of each database. It is made in the background; one that is being made is returned instead.',
        response: { 202: BackupsStarted },
      },
    },
    async (request, reply) => {
      const backups = await requestBackups(
        { config, instanceDb, homes: await accountHomes.all() },
        clock.now(),
      );
      await context.db.transaction((tx) => noteRequest(tx, request.actor, clock.now()));
      return reply.code(202).send({ backups });
    },
  );
}
