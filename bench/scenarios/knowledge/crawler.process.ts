/** A worker process that only reads websites, without the pauses that a foreign host is owed. */
import { readConfig } from '../../../server/config.ts';
import { syncJobKind } from '../../../server/features/knowledge/knowledge.ts';
import { syncHandler } from '../../../server/features/knowledge/websites/knowledge.websites.jobs.ts';
import { connectDb } from '../../../server/open-database.ts';
import { startJobs } from '../../../server/platform/jobs/jobs.ts';
import { createLogger } from '../../../server/platform/logger.ts';
import { createContext } from '../../../server/service.ts';
import { answerParent } from '../../child.ts';

answerParent(async () => {
  const config = readConfig(process.env);
  const logger = createLogger('warn');
  const connection = { connectionString: config.databaseUrl, max: 4 };
  const db = connectDb({ connection, stop: async () => {} }, logger);
  const context = await createContext(config, logger, db);
  startJobs({ ...context, handlers: { [syncJobKind]: syncHandler(context, { isPolite: false }) } });
});
