/** Knowledge from the terminal: adds articles and websites, has websites read, and searches. */
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KnowledgeRun, KnowledgeSource } from '../../contract/knowledge.ts';
import { limits } from '../../contract/limits.ts';
import { systemActor } from '../../server/features/accounts/accounts.ts';
import {
  checkAddresses,
  createDocument,
  createExtraction,
  createKnowledgeSearch,
  createSource,
  ExtractionProblem,
  findSources,
  requireRun,
  startSync,
} from '../../server/features/knowledge/knowledge.ts';
import { startClock } from '../../server/platform/db/clock.ts';
import type { Db } from '../../server/platform/db/db.ts';
import { openSecrets } from '../../server/platform/secrets/open-secrets.ts';
import {
  type Command,
  CommandError,
  readOptions,
  requireOption,
  type Terminal,
  UsageError,
} from '../command.ts';
import { withAccount } from '../instance.ts';

const progressMs = 500;
const formats = new Map(
  Object.entries({
    '.md': 'markdown',
    '.markdown': 'markdown',
    '.txt': 'text',
    '.html': 'html',
    '.htm': 'html',
    '.pdf': 'pdf',
    '.docx': 'docx',
    '.csv': 'csv',
  } as const),
);

const account = { type: 'string' } as const;
const json = { type: 'boolean', default: false } as const;
const accountHelp = '  --account <which>      id or name; needed only when there are several accounts';

export const knowledgeAdd: Command = {
  usage:
    '(--file <path> | --website <address>) [--source <id or name>] [--draft] [--account <id or name>] [--json]',
  help: `Options:
  --file <path>          its text becomes an article: Markdown, text, HTML, PDF, DOCX, or CSV with questions and answers
  --source <which>       id or name of the source of articles; by default the first one
  --draft                the article is not published
  --website <address>    a new source, which begins to be read as soon as the service runs
${accountHelp}
  --json                 print what was made as JSON`,

  async run(args, terminal) {
    const options = readOptions(args, {
      file: { type: 'string' },
      website: { type: 'string' },
      source: { type: 'string' },
      draft: { type: 'boolean', default: false },
      account,
      json,
    });
    const { file, website } = options;
    if ((file === undefined) === (website === undefined)) {
      throw new UsageError('exactly one of --file and --website is required');
    }
    if (website !== undefined && (options.source !== undefined || options.draft)) {
      throw new UsageError('--source and --draft are for --file');
    }
    return withAccount(terminal, options.account, async (db, { id }, { home, config }) => {
      const now = await readClock(db);
      const actor = systemActor(id);
      if (website !== undefined) {
        const settings = { startUrls: [website] };
        await checkAddresses(settings, config.outboundAllow);
        const secrets = await openSecrets(home, config);
        const { source, runId } = await db.transaction(async (tx) => {
          const name = new URL(website).host;
          const made = await createSource(tx, secrets, actor, now, { name, kind: 'website', settings });
          return { source: made, ...(await startSync(tx, actor, now, made.id)) };
        });
        if (options.json) terminal.print(JSON.stringify({ source, runId }));
        else terminal.print(source.id);
        terminal.say(`The run ${runId} reads ${website} while the service runs.`);
        return 0;
      }
      const read = await readText(file!);
      const source = await chooseSource(db, id, options.source, 'articles');
      const document = await db.transaction((tx) =>
        createDocument(tx, actor, now, {
          sourceId: source.id,
          title: read.title,
          text: read.text,
          ...(read.language && source.language === null && { language: read.language }),
          state: options.draft ? 'draft' : 'published',
        }),
      );
      terminal.print(options.json ? JSON.stringify(document) : document.id);
      terminal.say(`"${document.title}" is ${options.draft ? 'a draft' : 'published'} in "${source.name}".`);
      return 0;
    });
  },
};

export const knowledgeSync: Command = {
  usage: '--source <id or name> [--wait] [--force] [--account <id or name>] [--json]',
  help: `Options:
  --source <which>       id or name of the website
  --wait                 until the run has ended; exit code 1 if it failed
  --force                discard what waits for a review
${accountHelp}
  --json                 print the run as JSON

The running service reads the website; without one, it begins when a service starts.`,

  async run(args, terminal) {
    const options = readOptions(args, {
      source: { type: 'string' },
      wait: { type: 'boolean', default: false },
      force: { type: 'boolean', default: false },
      account,
      json,
    });
    const wanted = requireOption(options.source, 'source');
    return withAccount(terminal, options.account, async (db, { id }) => {
      const source = await chooseSource(db, id, wanted, 'website');
      const last = source.lastRunId === null ? null : await requireRun(db, id, source.lastRunId);
      if (last?.state === 'review' && !options.force) {
        throw new CommandError(
          `the run ${last.id} waits for a review and would be discarded: publish it, or use --force`,
        );
      }
      const now = await readClock(db);
      const { runId } = await db.transaction((tx) => startSync(tx, systemActor(id), now, source.id));
      const run = options.wait ? await ended(db, id, runId, terminal) : await requireRun(db, id, runId);
      terminal.print(options.json ? JSON.stringify(run) : run.id);
      if (options.wait) terminal.say(`${run.state}${run.reason === null ? '' : `: ${run.reason}`}`);
      return run.state === 'failed' ? 1 : 0;
    });
  },
};

export const knowledgeSearch: Command = {
  usage: '--q <question> [--limit <n>] [--account <id or name>] [--json]',
  help: `Options:
  --q <question>         what to look for
  --limit <n>            how many passages; default: ${limits.knowledgeSearch.default}
${accountHelp}
  --json                 print the answer as JSON`,

  async run(args, terminal) {
    const options = readOptions(args, { q: { type: 'string' }, limit: { type: 'string' }, account, json });
    const q = requireOption(options.q, 'q');
    const limit = options.limit === undefined ? undefined : Number(options.limit);
    if (limit !== undefined && (!Number.isInteger(limit) || limit < 1)) {
      throw new UsageError('--limit needs a number from 1 on');
    }
    return withAccount(terminal, options.account, async (db, { id }) => {
      const search = createKnowledgeSearch({
        db,
        budgetBytes: Number.POSITIVE_INFINITY,
        rerank: null,
        onDrop() {},
      });
      try {
        const { passages } = await search.search(id, { q, limit });
        if (options.json) terminal.print(JSON.stringify({ passages }));
        for (const { title, heading, excerpt, score, url } of options.json ? [] : passages) {
          const place = [title, heading, url].filter((part) => part !== null).join(' · ');
          terminal.print(`${score.toFixed(2)}  ${place}\n${excerpt.replaceAll(/^/gm, '      ')}\n`);
        }
        if (passages.length === 0) terminal.say('Nothing was found.');
        return 0;
      } finally {
        await search.close();
      }
    });
  },
};

async function readClock(db: Db): Promise<number> {
  const clock = await startClock(db);
  const now = clock.now();
  clock.stop();
  return now;
}

async function readText(path: string): Promise<{ title: string; text: string; language: string | null }> {
  const fileName = basename(path);
  const format = formats.get(extname(fileName).toLowerCase());
  if (!format)
    throw new CommandError(`${fileName}: only files that end with ${[...formats.keys()].join(', ')}`);
  const bytes = await readFile(path).catch((error: Error) => {
    throw new CommandError(`${path} cannot be read: ${error.message}`);
  });
  const extraction = createExtraction();
  try {
    const { title, text, language } = await extraction.extract({ accountId: '', format, bytes, fileName });
    const words = title || fileName.slice(0, -extname(fileName).length);
    if (text.length > limits.articleLength) {
      throw new CommandError(`${fileName}: an article has at most ${limits.articleLength} characters`);
    }
    return { title: words.slice(0, limits.titleLength).toWellFormed(), text, language };
  } catch (error) {
    if (error instanceof ExtractionProblem) throw new CommandError(`${fileName}: ${error.message}`);
    throw error;
  } finally {
    await extraction.stop();
  }
}

/** By its id or its name; without either the first one. */
async function chooseSource(
  db: Db,
  accountId: string,
  wanted: string | undefined,
  kind: KnowledgeSource['kind'],
): Promise<KnowledgeSource> {
  const found = await findSources(db, accountId, kind, wanted);
  if (!found[0])
    throw new CommandError(`there is no source of the kind ${kind}${wanted ? ` "${wanted}"` : ''}`);
  if (wanted !== undefined && found.length > 1) {
    throw new CommandError(
      `several sources have that name, use the id: ${found.map(({ id }) => id).join(', ')}`,
    );
  }
  return found[0];
}

async function ended(db: Db, accountId: string, runId: string, terminal: Terminal): Promise<KnowledgeRun> {
  let said = '';
  for (;;) {
    const run = await requireRun(db, accountId, runId);
    const { found, added, changed, unchanged, skipped, failed } = run.counts;
    const line = `${found} found, ${added + changed + unchanged} read, ${skipped + failed} left out`;
    if (line !== said) terminal.say(line);
    said = line;
    if (run.state !== 'running') return run;
    await sleep(progressMs);
  }
}
