/** The checks of `talkboard doctor` for the databases of CELLS. They change nothing. */
import type { Config } from '../../server/config.ts';
import type { CellSettings } from '../../server/platform/cells/cell-settings.ts';
import { findConnectionProblem } from '../../server/platform/db/database-check.ts';
import { createDb, type Db } from '../../server/platform/db/db.ts';
import { findSchemaProblem, migrationStatus } from '../../server/platform/db/migrate.ts';
import { findCellNameProblem } from '../../server/platform/secrets/cell-name.ts';
import { findSecretKey } from '../../server/platform/secrets/secret-key.ts';
import { createSecrets } from '../../server/platform/secrets/secrets.ts';
import { reasonOf } from '../../server/platform/start/start-error.ts';
import { type Finding, fail, judgeMigrations, ok } from './doctor.checks.ts';
import { checkServers } from './doctor.servers.sql.ts';
import { selectServerVersion } from './doctor.sql.ts';

/** By the name of each check: `cell eu2`. */
export async function checkCells(config: Config): Promise<Record<string, Finding>> {
  const findings = await Promise.all(
    config.cells.map(async (cell) => [`cell ${cell.name}`, await checkCell(config, cell)] as const),
  );
  return Object.fromEntries(findings);
}

async function checkCell(config: Config, { name, url }: CellSettings): Promise<Finding> {
  const connection = { connectionString: url, application_name: 'talkboard-cli' };
  const problem = await findConnectionProblem(connection);
  if (problem !== null) {
    return fail(reasonOf(problem), 'Its accounts get a 503; check its address in CELLS and its server.');
  }
  const servers = await checkServers(connection);
  const db = createDb({ connection, poolSize: 1 });
  try {
    return worst(await checkOpened(db, config, name), servers);
  } catch (error) {
    return fail(reasonOf(error), 'Its accounts get a 503.');
  } finally {
    await db.close();
  }
}

async function checkOpened(db: Db, config: Config, name: string): Promise<Finding> {
  const status = await migrationStatus(db);
  const migrations = judgeMigrations(status, await findSchemaProblem(db));
  if (migrations.status !== 'ok') return migrations;
  const key = findSecretKey(config.secretKey, config.dataDir);
  const problem =
    key && (await findCellNameProblem(db, createSecrets([key, ...config.previousSecretKeys]), name));
  if (problem) return fail(problem, 'Correct CELLS or SECRET_KEY: the service does not open this database.');
  const server = await selectServerVersion(db);
  return ok(`PostgreSQL ${server.text}, ${migrations.message}`);
}

/** A problem with its servers adds to what was found; an ok does not. */
function worst(finding: Finding, servers: Finding): Finding {
  return finding.status === 'ok' && servers.status !== 'ok' ? servers : finding;
}
