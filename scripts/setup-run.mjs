// Runs the programs of a setup. A setup ends after them: until then they may still change files.
import { spawn } from 'node:child_process';

const isWindows = process.platform === 'win32';
const killAfterMs = 10_000;
const running = new Set();
let isStopped = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    // The npm of `npm start` repeats what the terminal has sent.
    if (isStopped) return;
    isStopped = true;
    if (running.size === 0) process.exit(1);
    for (const child of running) child.kill(signal);
    setTimeout(() => {
      for (const child of running) child.kill('SIGKILL');
    }, killAfterMs).unref();
  });
}

/** The exit code and what it printed on standard error. Rejects if the setup was stopped. */
export function run(program, args, options) {
  return new Promise((resolve, reject) => {
    const stopped = () => reject(new Error('The setup was stopped.'));
    if (isStopped) {
      stopped();
      return;
    }
    const child = spawn(program, args, options);
    running.add(child);
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      errors += text;
    });
    const end = (result) => {
      running.delete(child);
      if (isStopped) stopped();
      else resolve(result);
    };
    child.on('error', (error) => end({ code: 1, errors: error.message }));
    child.on('close', (code) => end({ code, errors }));
  });
}

export function runNpm(args, { cwd }) {
  const quiet = ['--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];
  return run(isWindows ? 'npm.cmd' : 'npm', [...args, ...quiet], {
    cwd,
    env: environmentOfNpm(),
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: isWindows,
  });
}

/** npm and the scripts of packages do not see the secrets of the service. */
const passedOn = new RegExp(
  `^(${[
    'path|home|user|logname|shell|lang|lc_.*|tz|term|tmpdir|tmp|temp',
    'npm_config_.*|npm_token|node_auth_token',
    '(http|https|all|no)_proxy|proxy|node_use_env_proxy',
    'node_extra_ca_certs|node_use_system_ca|ssl_cert_file|ssl_cert_dir',
    'systemroot|systemdrive|windir|comspec|pathext|os|userprofile|homedrive|homepath|username',
    'appdata|localappdata|programdata|programfiles.*|commonprogramfiles.*|processor_architecture',
  ].join('|')})$`,
  'i',
);

function environmentOfNpm() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => passedOn.test(name)));
}
