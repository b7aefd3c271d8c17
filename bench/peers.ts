/**
 * Other projects to compare with. They are not dependencies of the product: each run that needs them installs exact
 * versions into a temporary folder.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const peerVersions = {
  'pg-boss': '12.35.0',
  bullmq: '6.7.0',
  ioredis: '5.11.1',
  '@orama/orama': '3.1.18',
  'parse-server': '9.10.0',
  directus: '12.4.0',
  '@strapi/strapi': '5.54.0',
  '@strapi/plugin-users-permissions': '5.54.0',
  pg: '8.16.3',
} as const;
export type PeerName = keyof typeof peerVersions;

export interface Peers {
  dir: string;
  /** A module that re-exports the package or a part of it, to be imported by a process of the run. */
  entry(name: PeerName | (string & {})): string;
  remove(): void;
}

export class PeersMissing extends Error {}

/** Some have more than a thousand packages. */
const installWithinMs = 600_000;

export async function installPeers(names: readonly PeerName[]): Promise<Peers> {
  const dir = mkdtempSync(join(tmpdir(), 'talkboard-peers-'));
  const remove = () => rmSync(dir, { recursive: true, force: true });
  const wanted = names.map((name) => `${name}@${peerVersions[name]}`);
  writeFileSync(join(dir, 'package.json'), '{ "private": true, "type": "module" }\n');
  try {
    const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    await promisify(execFile)('npm', ['install', '--prefix', dir, ...quiet, ...wanted], {
      timeout: installWithinMs,
    });
  } catch (error) {
    remove();
    const reason = String((error as { stderr?: string }).stderr || (error as Error).message).trim();
    throw new PeersMissing(
      `this scenario measures beside ${wanted.join(' and ')}, which npm could not install (is a registry reachable?): ${reason.split('\n')[0]}`,
    );
  }
  return {
    dir,
    entry(name) {
      // Resolved from within the folder: a path into the package would have to know its layout.
      const file = join(dir, `${name.replaceAll(/\W/g, '-')}.js`);
      writeFileSync(file, `export * from '${name}';\n`);
      return file;
    },
    remove,
  };
}
