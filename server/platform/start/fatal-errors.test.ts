import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runNode } from '../../../test/support/program.ts';

const fatal = new URL('./fatal-errors.ts', import.meta.url).href;
const logger = new URL('../logger.ts', import.meta.url).href;

/** A program that waits for something while another part fails. */
async function runWith(failure: string) {
  const { child, finished } = runNode(
    [
      '--input-type=module',
      '-e',
      `const { exitOnFatalErrors } = await import(${JSON.stringify(fatal)});
       const { createLogger } = await import(${JSON.stringify(logger)});
       exitOnFatalErrors(createLogger('info'));
       setInterval(() => {}, 1000);
       setTimeout(() => { ${failure} });`,
    ],
    {},
  );
  child.stdin.end();
  const { code, stdout, stderr } = await finished;
  const lines = stdout.trim().split('\n');
  assert.equal(lines.length, 1, stdout);
  return { code, stderr, line: JSON.parse(lines[0]!) };
}

describe('an error that nobody caught', () => {
  it('as a rejected promise: one fatal line with the error, then exit code 1', async () => {
    const { code, stderr, line } = await runWith(`Promise.reject(new TypeError('lost in a promise'))`);
    assert.equal(code, 1);
    assert.equal(line.level, 60);
    assert.equal(line.msg, 'unhandled promise rejection, exiting');
    assert.deepEqual([line.err.type, line.err.message], ['TypeError', 'lost in a promise']);
    assert.match(line.err.stack, /at /);
    assert.equal(stderr, '');
  });

  it('as an exception: the same', async () => {
    const { code, line } = await runWith(`throw new RangeError('lost in a timer')`);
    assert.equal(code, 1);
    assert.deepEqual([line.level, line.err.message], [60, 'lost in a timer']);
  });

  it('that is no error at all is named too', async () => {
    const { code, line } = await runWith(`Promise.reject('just a text')`);
    assert.equal(code, 1);
    assert.equal(line.err.message, 'just a text');
  });
});
