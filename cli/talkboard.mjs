#!/usr/bin/env node
// Plain JavaScript, because it must start on any installed Node. The commands are TypeScript and need the Node of the
// project: an older one starts that one, and a clone without dependencies installs them first.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

const neededMajor = 24;
const pathOf = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const node = pathOf('../node_modules/.bin/node');

if (!existsSync(pathOf('../node_modules/.package-lock.json'))) {
  // The output of the installation must not mix with what a script reads from standard output.
  const setup = spawnSync(process.execPath, [pathOf('../scripts/setup.mjs')], { stdio: ['ignore', 2, 2] });
  if (setup.status !== 0) process.exit(1);
}

if (Number.parseInt(process.versions.node, 10) >= neededMajor) {
  // Saves a quarter of a second per command. Not in the temporary folder, where others could plant code.
  nodeModule.enableCompileCache(pathOf('../node_modules/.cache/talkboard'));
  const { main } = await import('./main.ts');
  process.exitCode = await main(process.argv.slice(2));
} else if (existsSync(node)) {
  runWithBundledNode();
} else {
  console.error(
    `Node ${neededMajor} or later is needed: there is no bundled one for this platform. Install it first.`,
  );
  process.exitCode = 1;
}

function runWithBundledNode() {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // Ctrl-C reaches the child directly; this process only waits for its exit.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('error', (error) => {
    console.error(`${node} cannot be started: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
}
