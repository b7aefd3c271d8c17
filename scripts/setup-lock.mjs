// Only one setup at a time changes a clone: a start, a test run and the fetch of optional parts may overlap.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** No setup takes that long: the process with this id is then another one. */
const staleAfterMs = 1_800_000;

/** Until this process ends. Waits while another one holds it; one that was killed holds it no longer. */
export async function holdSetupLock(folder) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, '.setup-lock');
  let isTold = false;
  while (!take(file)) {
    const holder = holderOf(file);
    if (holder !== null && (!isAlive(holder) || isStale(file))) {
      rmSync(file, { force: true });
      continue;
    }
    if (!isTold) console.log('Waiting for another setup in this folder …');
    isTold = true;
    await sleep(200);
  }
  const release = () => {
    if (holderOf(file) === process.pid) rmSync(file, { force: true });
  };
  process.on('exit', release);
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Null: it is gone, or not written yet. */
function holderOf(file) {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    return pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

function isStale(file) {
  try {
    return Date.now() - statSync(file).mtimeMs > staleAfterMs;
  } catch {
    return false;
  }
}

/** In a container a killed setup often had the id that this one has. */
function isAlive(pid) {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
