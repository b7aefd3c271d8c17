// Runs the programs of a setup. They end with it.
import { spawn } from 'node:child_process';

const running = new Set();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    for (const child of running) child.kill('SIGTERM');
    process.exit(1);
  });
}

/** Its exit code, what it printed, and what it complained about. */
export function run(program, args, options) {
  return new Promise((resolve) => {
    const child = spawn(program, args, options);
    running.add(child);
    let output = '';
    let errors = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      errors += text;
    });
    child.on('error', (error) => {
      running.delete(child);
      resolve({ code: 1, output, errors: error.message });
    });
    child.on('close', (code) => {
      running.delete(child);
      resolve({ code, output, errors });
    });
  });
}

export function runNpm(args, { cwd, env = process.env }) {
  const isWindows = process.platform === 'win32';
  const quiet = ['--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];
  return run(isWindows ? 'npm.cmd' : 'npm', [...args, ...quiet], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: isWindows,
  });
}
