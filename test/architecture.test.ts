/** Checks the code against docs/ARCHITECTURE.md, and that each rule fails on a breach. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileRules } from './architecture/file-rules.ts';
import { importRules } from './architecture/import-rules.ts';
import { largeParts } from './architecture/sizes.ts';
import { readProject, type SourceFile, sourceFile } from './architecture/source.ts';
import { writeRules } from './architecture/write-rules.ts';
import { root } from './support/program.ts';

function breachesOf(project: readonly SourceFile[]): string[] {
  return project.flatMap((file) =>
    [...importRules, ...fileRules, ...writeRules].flatMap((rule) =>
      rule(file, project).map((breach) => `${file.path} ${breach}`),
    ),
  );
}

describe('the architecture', () => {
  it('is kept by every file', (t) => {
    const project = readProject(root);
    assert.ok(project.length > 80, 'the project was not found');
    for (const line of largeParts(project)) t.diagnostic(line);
    const breaches = breachesOf(project);
    assert.equal(breaches.length, 0, `\n${breaches.join('\n')}\n(docs/ARCHITECTURE.md explains the rules)`);
  });
});

/** A small project that follows the rules. */
const project: Record<string, string> = {
  'contract/records.ts': `import type { Static } from 'typebox';\nimport { limits } from './limits.ts';`,
  'contract/limits.ts': 'export const limits = {};',
  'server/serve.ts': `import { createApp } from './app.ts';\nimport { startWorker } from './worker.ts';`,
  'server/app.ts': `import cookie from '@fastify/cookie';\nimport { r } from './features/records/records.routes.ts';
import { w } from './features/webhooks/webhooks.routes.ts';`,
  'server/worker.ts': `import { prune } from './features/accounts/accounts.ts';\nimport { j } from './features/webhooks/webhooks.jobs.ts';`,
  'server/config.ts': 'export const config = process.env;',
  'server/context.ts': `import type { A } from './features/accounts/accounts.ts';`,
  'server/platform/db/db.ts': `import pg from 'pg';`,
  'server/platform/db/sql.ts': '// process.env is read elsewhere; nothing here calls fetch(url)',
  'server/platform/logger.ts': `import type { LogLevel } from '../config.ts';`,
  'server/platform/http/write.ts': `import type { FastifyReply } from 'fastify';`,
  'server/platform/http/error-handler.ts': `import { STATUS_CODES } from 'node:http';
export type Socket = import('node:net').Socket;`,
  'server/platform/outbound/safe-fetch.ts': `import { Agent } from 'undici';`,
  'server/search-engine/match/match.ts': `import { a } from '../store/arrays.ts';\nimport os from 'node:os';`,
  'server/search-engine/store/arrays.ts': '',
  'server/features/accounts/accounts.ts': `export { x } from './accounts.sql.ts';`,
  'server/features/accounts/accounts.sql.ts': `import { sql } from '../../platform/db/sql.ts';\nawait tx.query(one);`,
  'server/features/records/records.ts': `import {\n  type Actor,\n} from '../accounts/accounts.ts';`,
  'server/features/records/records.routes.ts': `import type { Context } from '../../context.ts';
import type { FastifyReply } from 'fastify';`,
  'server/features/records/records.test.ts': `import { s } from '../../../test/support/service.ts';`,
  'server/features/webhooks/webhooks.ts': `import { a } from '../accounts/accounts.ts';`,
  'cli/main.ts': `const load = () => import('./demo.ts');\nconst env = process.env;`,
  'cli/demo.ts': `import { createRecord } from '../server/features/records/records.ts';`,
  'browser/random-id.ts': `import { limits } from '../contract/limits.ts';`,
  'dashboard/board.tsx': `import { limits } from '../contract/limits.ts';
import { parse } from '../browser/random-id.ts';`,
  'widget/frame.tsx': `import { parse } from '../browser/random-id.ts';`,
  'migrations/0001_accounts.sql': '',
  'migrations/0002_records.sql': '',
};

/** One breach each: the file that commits it, and the expected message. */
const breaches: [title: string, path: string, text: string, said: RegExp][] = [
  [
    'contract imports the server',
    'contract/records.ts',
    `import { x } from '../server/app.ts';`,
    /contract\/ is what clients see/,
  ],
  [
    'platform imports a feature',
    'server/platform/db/db.ts',
    `import { a } from '../../features/accounts/accounts.ts';`,
    /platform\/ knows no feature/,
  ],
  [
    'platform reads the settings itself',
    'server/platform/logger.ts',
    `import { config } from '../config.ts';`,
    /platform\/ knows no feature/,
  ],
  [
    'the search engine imports the platform',
    'server/search-engine/match/match.ts',
    `import { newId } from '../../platform/ids.ts';`,
    /imports itself and node: only/,
  ],
  [
    'the search engine imports a package',
    'server/search-engine/match/match.ts',
    `import lru from 'lru-cache';`,
    /imports itself and node: only/,
  ],
  [
    'a feature imports one below it',
    'server/features/accounts/accounts.ts',
    `import { r } from '../records/records.ts';`,
    /records is below accounts/,
  ],
  [
    'a feature looks inside another',
    'server/features/records/records.ts',
    `import { x } from '../accounts/accounts.sql.ts';`,
    /through server\/features\/accounts\/accounts\.ts alone/,
  ],
  [
    'a feature imports the context as a value',
    'server/features/records/records.routes.ts',
    `import { c } from '../../context.ts';`,
    /A feature imports platform/,
  ],
  [
    'rules import the context',
    'server/features/records/records.ts',
    `import type { C } from '../../context.ts';`,
    /A feature imports platform/,
  ],
  [
    'a route chooses how its write is committed',
    'server/features/records/records.routes.ts',
    `const record = await submission.shared();`,
    /says shared\(\. How a write is batched/,
  ],
  [
    'rules batch a write',
    'server/features/records/records.ts',
    `const write = createBatchedWrite(options);`,
    /says createBatchedWrite/,
  ],
  [
    'rules send a statement that commits itself',
    'server/features/records/records.ts',
    `await db.autocommit(statement);`,
    /says autocommit/,
  ],
  ['a feature that nobody has placed', 'server/features/extras/extras.ts', '', /no place in featureOrder/],
  [
    'a feature calls webhooks',
    'server/features/records/records.ts',
    `import { send } from '../webhooks/webhooks.ts';`,
    /emit an event/,
  ],
  [
    'a feature below webhooks calls them',
    'server/features/widget-api/widget-api.ts',
    `import { send } from '../webhooks/webhooks.ts';`,
    /emit an event/,
  ],
  [
    'the context knows realtime',
    'server/context.ts',
    `import type { R } from './features/realtime/realtime.ts';`,
    /Only app\.ts and worker\.ts know realtime/,
  ],
  [
    'routes are installed outside app.ts',
    'server/service.ts',
    `import { r } from './features/records/records.routes.ts';`,
    /Routes are listed in app\.ts/,
  ],
  ['something imports main', 'server/service.ts', `import './main.ts';`, /nothing imports it/],
  [
    'the worker imports the app',
    'server/worker.ts',
    `import { createApp } from './app.ts';`,
    /Only serve\.ts starts the roles/,
  ],
  [
    'the product imports test code',
    'server/service.ts',
    `import { s } from '../test/support/service.ts';`,
    /is not part of the product/,
  ],
  [
    'the product imports a command',
    'server/first-start.ts',
    `import { demo } from '../cli/demo.ts';`,
    /is not part of the product/,
  ],
  [
    'the dashboard imports the server',
    'dashboard/board.tsx',
    `import { x } from '../server/platform/ids.ts';`,
    /knows contract\/ and browser\/ only/,
  ],
  [
    'the widget imports the server',
    'widget/frame.tsx',
    `import { x } from '../server/platform/ids.ts';`,
    /knows contract\/ and browser\/ only/,
  ],
  [
    'shared browser code uses a framework',
    'browser/random-id.ts',
    `import { useState } from 'react';`,
    /no framework, no package/,
  ],
  [
    'the server imports browser code',
    'server/service.ts',
    `import { parse } from '../browser/random-id.ts';`,
    /code that runs in browsers/,
  ],
  [
    'an id that plain http pages cannot make',
    'widget/frame.tsx',
    'const id = crypto.randomUUID();',
    /randomId\(\) of browser/,
  ],
  [
    'a command looks inside a feature',
    'cli/demo.ts',
    `import { x } from '../server/features/accounts/accounts.sql.ts';`,
    /A command uses the rules/,
  ],
  [
    'a command starts the service',
    'cli/demo.ts',
    `const { createApp } = await import('../server/app.ts');`,
    /does not start the service/,
  ],
  [
    'rules know fastify',
    'server/features/records/records.ts',
    `import type { FastifyRequest } from 'fastify';`,
    /HTTP ends in \*\.routes\.ts/,
  ],
  [
    'a plugin of fastify in the platform',
    'server/platform/db/db.ts',
    `import x from '@fastify/swagger';`,
    /HTTP ends in \*\.routes\.ts/,
  ],
  [
    'a schema loads the library of its types',
    'contract/records.ts',
    `import { type Static, Type } from 'typebox';`,
    /import types only/,
  ],
  [
    'rules write SQL',
    'server/features/records/records.ts',
    `import { sql } from '../../platform/db/sql.ts';`,
    /Queries belong in \*\.sql\.ts/,
  ],
  ['rules use the driver', 'server/service.ts', `import pg from 'pg';`, /Queries belong in \*\.sql\.ts/],
  [
    'a call past safe-fetch',
    'server/features/records/records.ts',
    'const a = await fetch(url);',
    /calls fetch/,
  ],
  [
    'a client past safe-fetch',
    'server/features/records/records.ts',
    `import { request } from 'undici';`,
    /imports undici/,
  ],
  [
    "node's own client",
    'server/platform/db/db.ts',
    `import { request, STATUS_CODES } from 'node:http';`,
    /imports node:http/,
  ],
  [
    'a mail parsed outside of its thread',
    'server/features/records/records.ts',
    'const { html } = await parseMail(raw);',
    /parses a mail in the service/,
  ],
  [
    'settings read in a feature',
    'server/features/records/records.ts',
    'const size = Number(process.env.SIZE);',
    /reads process\.env/,
  ],
  ['a file called helpers', 'server/platform/date-helpers.ts', '', /called "helpers"/],
  ['a folder called utils', 'server/utils/dates.ts', '', /called "utils"/],
  ['a name in camel case', 'server/platform/rateLimit.ts', '', /kebab-case/],
  ['a migration without a number', 'migrations/records.sql', '', /four digits, then words/],
  ['a migration with a taken number', 'migrations/0002_more.sql', '', /another migration has too/],
  ['a gap in the migrations', 'migrations/0004_more.sql', '', /there is no migration 0003/],
];

describe('the rules of the architecture', () => {
  const build = (files: Record<string, string>) =>
    Object.entries(files).map(([path, text]) => sourceFile(path, text));

  it('find nothing wrong with a project that follows them', () => {
    assert.deepEqual(breachesOf(build(project)), []);
  });

  for (const [title, path, text, said] of breaches) {
    it(`catch: ${title}`, () => {
      const found = breachesOf(build({ ...project, [path]: text })).filter((breach) =>
        breach.startsWith(`${path} `),
      );
      assert.equal(found.length, 1, found.join('\n'));
      assert.match(found[0]!, said);
    });
  }
});
