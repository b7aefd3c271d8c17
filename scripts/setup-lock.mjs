// Only one setup at a time changes a clone: a start, a test run and the fetch of optional parts may overlap.
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** No setup takes that long: the process with this id is then another one. */
const staleAfterMs = 1_800_000;
/** The id is written right after the file is created: without one, its creator was killed. */
const emptyAfterMs = 5_000;

/** Waits while another process holds the lock; one that was killed holds it no longer. */
export async function withLock(file, work) {
  mkdirSync(dirname(file), { recursive: true });
  const mine = `${process.pid} ${randomUUID()}`;
  const release = () => {
    if (read(file) === mine) rmSync(file, { force: true });
  };
  process.on('exit', release);
  try {
    let isTold = false;
    while (!take(file, mine)) {
      const found = read(file);
      if (found === null) continue;
      if (isLeft(file, found)) {
        removeLeft(file, found);
        continue;
      }
      if (!isTold) {
        const holder = Number.parseInt(found, 10);
        console.log(`Waiting for another setup in this folder${holder > 0 ? ` (process ${holder})` : ''} …`);
      }
      isTold = true;
      await sleep(200);
    }
    return await work();
  } finally {
    release();
    process.off('exit', release);
  }
}

function take(file, mine) {
  let opened;
  try {
    opened = openSync(file, 'wx');
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  try {
    writeFileSync(opened, mine);
    return true;
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(opened);
  }
}

/** Null: it is gone. */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

function isLeft(file, found) {
  const holder = Number.parseInt(found, 10);
  if (!(holder > 0)) return isOlderThan(file, emptyAfterMs);
  return !isAlive(holder) || isOlderThan(file, staleAfterMs);
}

/** Under a name of its own first: another one may have removed it and hold the lock by now. */
function removeLeft(file, found) {
  const aside = `${file}-${randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (read(aside) !== found) putBack(aside, file);
  rmSync(aside, { force: true });
}

function putBack(aside, file) {
  try {
    linkSync(aside, file);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

function isOlderThan(file, ms) {
  try {
    return Date.now() - statSync(file).mtimeMs > ms;
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
