import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase, urlOf } from '../test/support/database.ts';
import { type S3Server, startS3Server } from '../test/support/s3-server.ts';
import { password, secretKey } from '../test/support/service.ts';
import { createApp } from './app.ts';
import { readConfig } from './config.ts';
import { createFirstAccount } from './first-start.ts';
import { connectDb, openDatabase } from './open-database.ts';
import { createLogger } from './platform/logger.ts';
import { closeContext, createContext } from './service.ts';

describe('a service with its own database, key and bucket', () => {
  let bucket: S3Server;
  let database: TestDatabase;
  const parent = mkdtempSync(join(tmpdir(), 'talkboard-parent-'));
  before(async () => {
    bucket = await startS3Server();
    database = await createTestDatabase();
  });
  after(async () => {
    await database.drop();
    await bucket.stop();
    rmSync(parent, { recursive: true, force: true });
  });

  it('takes uploads when DATA_DIR did not exist before the start', async () => {
    const config = readConfig({
      ...bucket.env,
      DATABASE_URL: urlOf(database.connection),
      DATA_DIR: join(parent, 'not', 'there', 'yet'),
      SECRET_KEY: secretKey,
      ADMIN_PASSWORD: password,
      LOG_LEVEL: 'fatal',
    });
    assert.ok(!existsSync(config.dataDir));
    const logger = createLogger(config.logLevel);
    const opened = await openDatabase(config, logger);
    const db = connectDb(opened, logger);
    const context = await createContext(config, logger, db);
    const app = await createApp(context);
    try {
      await createFirstAccount(context);
      const post = (url: string, payload: object, headers = {}) =>
        app.inject({ method: 'POST', url, payload, headers });
      const { token } = (await post('/auth/login', { email: config.adminEmail, password })).json();
      const authorization = `Bearer ${token}`;
      const file = { fileName: 'a.txt', contentType: 'text/plain', size: 5 };
      const announced = await post('/messages/upload', file, { authorization });
      assert.equal(announced.statusCode, 200, announced.body);
    } finally {
      await app.close();
      await closeContext(context);
      await db.close();
      await opened.stop();
    }
  });
});
