import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJsonBody } from './json-body.ts';

const message = (bytes: Buffer): string => {
  try {
    parseJsonBody(bytes);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

describe('the nesting of a JSON body', () => {
  it('is bounded before it is parsed', () => {
    const tooDeep = 'body is nested deeper than 32 levels';
    for (const unit of ['[', '{"a":']) {
      const body = Buffer.from(unit.repeat(1_000_000 / unit.length));
      const heap = process.memoryUsage().heapUsed;
      assert.equal(message(body), tooDeep);
      assert.ok(process.memoryUsage().heapUsed - heap < 5_000_000, 'no structure is built');
    }
    // Bytes that are not UTF-8 are looked for in what is parsed as well.
    assert.equal(message(Buffer.concat([Buffer.from('['.repeat(100_000)), Buffer.from([0xff])])), tooDeep);
  });

  it('brackets in strings do not count', () => {
    const value = { text: `\\"${'['.repeat(50_000)}`, list: Array.from({ length: 2_000 }, () => ({})) };
    assert.deepEqual(parseJsonBody(Buffer.from(JSON.stringify(value))), value);
  });

  it('a field that nests too deeply is named', () => {
    const deep = `{"data":${'['.repeat(40)}${']'.repeat(40)}}`;
    assert.match(message(Buffer.from(deep)), /^data\[0\].* is nested deeper than 32 levels$/);
  });
});
