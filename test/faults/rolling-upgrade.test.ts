/**
 * The release before this one and this one serve the same database during an upgrade: the old process goes on while the
 * new one migrates and takes its share, until it is stopped. Nothing fails and nothing is lost.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase, urlOf } from '../support/database.ts';
import { root } from '../support/program.ts';
import { createToken, eventually, isFull, openWorkshop, type Program, type Workshop } from './support.ts';

const lines = 6;
/** Enough writes at every moment of the upgrade. */
const pauseMs = isFull ? 5 : 50;
const perPhase = isFull ? 2_000 : 20;

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

const headingOf = (changelog: string) => /^## (v[\d.]+)/m.exec(changelog)?.[1];

/** The commit before the one that began this release's section of the changelog. Null: no history. */
function findPreviousRelease(): string | null {
  try {
    const current = headingOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'));
    const begun = git('log', '--format=%H', `-S## ${current} `, '--', 'CHANGELOG.md').split('\n').at(-1);
    return git('rev-parse', begun ? `${begun}^` : 'HEAD');
  } catch {
    return null;
  }
}

const readPackage = (path: string) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));

/** Its packages must be those that are installed, up to minor versions: in whatever package.json of ours they are. */
function findPackageProblem(folder: string): string | null {
  const installed = (name: string): string => {
    const path = join(root, 'node_modules', name);
    return existsSync(path) ? readPackage(path).version : '';
  };
  const major = (text: string) => text.split('.')[0];
  const wanted: Record<string, string> = readPackage(folder).dependencies;
  const other = Object.entries(wanted).filter(([name, version]) => major(installed(name)) !== major(version));
  return other.length > 0
    ? `it needs ${other.map(([name, version]) => `${name} ${version}`).join(', ')}`
    : null;
}

describe('the previous release beside this one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'talkboard-previous-'));
  let workshop: Workshop;
  let database: TestDatabase;
  let problem: string | null = null;
  before(async () => {
    workshop = openWorkshop();
    database = await createTestDatabase({ empty: true });
    const commit = findPreviousRelease();
    if (commit === null) {
      problem = 'the history of the repository is not here';
      return;
    }
    const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
    problem = findPackageProblem(folder);
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    // The dashboard is built once; neither release serves it here.
    if (existsSync(join(root, 'dist')) && !existsSync(join(folder, 'dist'))) {
      symlinkSync(join(root, 'dist'), join(folder, 'dist'));
    }
  });
  after(async () => {
    await workshop.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('serves on while the schema is migrated and both take writes; every acknowledged write is there', async (t) => {
    if (problem) {
      t.skip(`the previous release cannot run here: ${problem}`);
      return;
    }
    const env = {
      DATABASE_URL: urlOf(database.connection),
      SECRET_KEY: 'a key for tests that is long enough',
    };
    const old = await workshop.start({ ...env, DATA_DIR: join(folder, 'data') }, folder);
    const auth = { authorization: `Bearer ${await createToken(old)}` };
    const serving: Program[] = [old];
    const acknowledged = new Map<string, string>();
    const failed: string[] = [];
    const load = workshop.load(lines, async (n) => {
      const title = `write-${n}`;
      const program = serving[n % serving.length]!;
      const made = await program.call('POST', '/crm/records', { title }, auth);
      if (made.status !== 201) {
        failed.push(`${made.status} ${JSON.stringify(made.body)}`);
        return;
      }
      acknowledged.set(made.body.recordId, title);
      // What one release wrote, the other one reads.
      const reader = serving[(n + 1) % serving.length]!;
      const read = await reader.call('GET', `/crm/records/${made.body.recordId}`, undefined, auth);
      if (read.status !== 200 || read.body.title !== title) failed.push(`GET ${read.status}`);
      await sleep(pauseMs);
    });
    const phase = () => {
      const from = acknowledged.size;
      const enough = async () => failed.length > 0 || acknowledged.size >= from + perPhase;
      return eventually('both serve', enough, 120_000);
    };
    await phase();
    const current = await workshop.start({ ...env, DATA_DIR: join(folder, 'data-new') });
    await phase();
    serving.push(current);
    await phase();
    // As a load balancer does: no new requests before the old process is stopped.
    serving.shift();
    const asked = acknowledged.size;
    await eventually('its requests are done', async () => acknowledged.size > asked + lines * 2, 60_000);
    assert.equal(await old.stop(), 0, old.output());
    await phase();
    await load.stop();
    assert.deepEqual(failed, [], current.output());
    const found = await current.call('GET', '/crm/records?limit=1', undefined, auth);
    assert.equal(found.status, 200);
    let lost = 0;
    for (const [id, title] of acknowledged) {
      const { body } = await current.call('GET', `/crm/records/${id}`, undefined, auth);
      if (body.title !== title) lost++;
    }
    assert.equal(lost, 0);
    console.log(`${acknowledged.size} acknowledged by both releases, 0 lost`);
  });
});
