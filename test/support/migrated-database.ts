/** An own database for tests of migrations, with a client beside the service's connections. */
import { after, before } from 'node:test';
import pg from 'pg';
import { createDb, type Db } from '../../server/platform/db/db.ts';
import { createMigrationsTable, readMigrations } from '../../server/platform/db/migrate.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

interface Options {
  /** Without tables. */
  empty?: boolean;
  poolSize?: number;
  /** What others see as the client's name. */
  clientName?: string;
}

/** It exists from the suite's `before` to its `after`. */
export function migratedDatabase({ empty = false, poolSize = 2, clientName }: Options = {}) {
  const stage = {
    database: null as unknown as TestDatabase,
    db: null as unknown as Db,
    client: null as unknown as pg.Client,
    /** As the release before the one whose migration has this text. */
    async migrateUntil(text: string): Promise<void> {
      const all = readMigrations();
      const until = all.findIndex((one) => one.text.includes(text));
      if (until < 0) throw new Error(`no migration has ${text}`);
      await stage.client.query(createMigrationsTable);
      for (const { name, text: statements, checksum } of all.slice(0, until)) {
        await stage.client.query(statements);
        await stage.client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [
          name,
          checksum,
        ]);
      }
    },
  };
  before(async () => {
    stage.database = await createTestDatabase({ empty });
    stage.db = createDb({ connection: stage.database.connection, poolSize });
    stage.client = new pg.Client({ ...stage.database.connection, application_name: clientName });
    await stage.client.connect();
  });
  after(async () => {
    await stage.client.end();
    await stage.db.close();
    await stage.database.drop();
  });
  return stage;
}
