/**
 * A migrated database for a service whose DATA_DIR is empty: initdb and the migrations take longer than the rest of its
 * start. `scripts/test.ts` makes it and sets TEST_CLUSTER; in a file that is run alone the service creates its own.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export function copyCluster(dataDir: string): void {
  const source = process.env.TEST_CLUSTER;
  if (source) copyFolder(source, join(dataDir, 'postgres'));
}

/** With the owners of its files: the server does not run as root. */
export function copyFolder(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${from} was not copied: ${stderr}`);
}
