import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { JobReleased } from '../jobs/job.ts';
import { expectParts, partsArrived } from './optional-parts.ts';

const missing = { isFetched: true, isMissing: () => true };

function logged() {
  const lines: { level: string; message: string; reason?: string }[] = [];
  const add = (level: string) => (details: object, message: string) =>
    void lines.push({ level, message, ...details });
  return { lines, logger: { info: add('info'), warn: add('warn') } as never };
}

describe('optional parts', () => {
  it('nothing is fetched if all are there', async () => {
    const { lines, logger } = logged();
    const parts = expectParts(logger, {
      ...missing,
      isMissing: () => false,
      args: ['-e', 'process.exit(1)'],
    });
    parts.add();
    await partsArrived();
    await parts.stop();
    assert.deepEqual(lines, []);
  });

  it('nothing is fetched if that is switched off', async () => {
    const { lines, logger } = logged();
    const parts = expectParts(logger, { ...missing, isFetched: false, args: ['-e', 'process.exit(1)'] });
    parts.add();
    await partsArrived();
    await parts.stop();
    assert.deepEqual(lines, []);
  });

  it('whoever needs them waits until they are fetched', async () => {
    const { lines, logger } = logged();
    const parts = expectParts(logger, { ...missing, args: ['-e', ''] });
    let hasArrived = false;
    const waiting = partsArrived().then(() => {
      hasArrived = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(hasArrived, false);
    parts.add();
    await waiting;
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['info', 'info'],
    );
    await parts.stop();
  });

  it('a fetch that fails is logged with its reason, and nobody waits any longer', async () => {
    const { lines, logger } = logged();
    const parts = expectParts(logger, {
      ...missing,
      args: ['-e', 'console.error("no network"); process.exit(1)'],
    });
    parts.add();
    await partsArrived();
    assert.equal(lines[1]?.level, 'warn');
    assert.equal(lines[1]?.reason, 'no network');
    await parts.stop();
  });

  it('a stop ends the programs of the fetch too', async () => {
    const { logger } = logged();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const program = `require('net').connect(${port}, '127.0.0.1')`;
    const fetching = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(program)}]); setInterval(() => {}, 1000)`;
    const parts = expectParts(logger, { ...missing, args: ['-e', fetching] });
    parts.add();
    partsArrived().catch(() => {});
    const [socket] = await connected;
    const isGone = new Promise((resolve) =>
      socket
        .on('error', () => {})
        .on('close', resolve)
        .resume(),
    );
    await parts.stop();
    await isGone;
    server.close();
  });

  it('a stop ends the fetch, and whoever waits tries again later', async () => {
    const { lines, logger } = logged();
    const parts = expectParts(logger, { ...missing, args: ['-e', 'setInterval(() => {}, 1000)'] });
    parts.add();
    const waiting = partsArrived();
    await parts.stop();
    await assert.rejects(waiting, JobReleased);
    assert.equal(lines.length, 1);
    // For the tests after this one.
    expectParts(logger, { ...missing, args: ['-e', ''] }).add();
    await eventually(() => partsArrived().then(() => true));
  });
});
