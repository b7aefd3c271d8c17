/** The version to compare with: an existing folder, or a commit in a temporary worktree. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { UsageError } from '../options.ts';
import type { AloneRun } from '../scenario.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const installWithinMs = 300_000;
const run = promisify(execFile);

/** A folder whose dependencies are installed. */
export async function checkOut(
  before: string,
  { say, onClose }: Pick<AloneRun, 'say' | 'onClose'>,
): Promise<string> {
  const folder = resolve(before);
  if (existsSync(join(folder, 'server', 'main.ts'))) {
    if (!existsSync(join(folder, 'node_modules'))) {
      throw new UsageError(`${before} has no node_modules: run npm ci there first`);
    }
    return folder;
  }
  const commit = await commitOf(before);
  const dir = join(mkdtempSync(join(tmpdir(), 'talkboard-before-')), 'talkboard');
  onClose(async () => {
    await git('worktree', 'remove', '--force', dir).catch(() => undefined);
    rmSync(join(dir, '..'), { recursive: true, force: true });
    await git('worktree', 'prune');
  });
  say(`checking out ${commit.slice(0, 8)}`);
  await git('worktree', 'add', '--detach', dir, commit);
  await installInto(dir, say);
  return dir;
}

const git = (...args: string[]) => run('git', args, { cwd: root });

async function commitOf(name: string): Promise<string> {
  try {
    const { stdout } = await git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
    return stdout.trim();
  } catch {
    throw new UsageError(
      `--before ${name} is neither a checkout of Talkboard nor a commit of this repository`,
    );
  }
}

async function installInto(dir: string, say: (line: string) => void): Promise<void> {
  const lockOf = (folder: string) => readFileSync(join(folder, 'package-lock.json'), 'utf8');
  if (withoutVersion(lockOf(dir)) === withoutVersion(lockOf(root))) {
    try {
      // The same dependencies: hard links take no space and no registry. Nothing writes into them.
      await run('cp', ['-al', join(root, 'node_modules'), join(dir, 'node_modules')]);
      return;
    } catch {
      // Another file system, or no `cp` with links.
      rmSync(join(dir, 'node_modules'), { recursive: true, force: true });
    }
  }
  say('installing its dependencies');
  try {
    await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: dir,
      timeout: installWithinMs,
    });
  } catch (error) {
    const reason = String((error as { stderr?: string }).stderr || (error as Error).message).trim();
    throw new UsageError(`npm could not install the dependencies of that commit: ${reason.split('\n')[0]}`);
  }
}

/** The lock file repeats the project's own version, which each release changes. */
function withoutVersion(lock: string): string {
  const {
    version: _,
    packages,
    ...rest
  } = JSON.parse(lock) as { version?: string; packages: Record<string, object> };
  return JSON.stringify({ ...rest, packages: { ...packages, '': { ...packages[''], version: '' } } });
}
