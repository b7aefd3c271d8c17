import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSecrets } from '../secrets/secrets.ts';
import { createNodeSignatures } from './node-signature.ts';

const secret = 'a key for tests that is long enough';
const call = { path: '/internal/node-calls', nodeId: 'node-a', body: '{"topic":"records home"}' };

describe('the signature of a call', () => {
  const at = (time: number, key: string | string[] = secret) =>
    createNodeSignatures(createSecrets(key), () => time);

  it('is accepted once', () => {
    const header = at(1_000).sign(call);
    const receiver = at(1_500);
    receiver.checkBody(receiver.admit(header, call), Buffer.from(call.body));
    assert.throws(() => receiver.admit(header, call), /made before/);
  });

  it('is refused for another path or node', () => {
    const header = at(1_000).sign(call);
    for (const change of [{ path: '/crm/search' }, { nodeId: 'node-b' }])
      assert.throws(() => at(1_000).admit(header, { ...call, ...change }), /signature is wrong/);
  });

  it('is refused for another body', () => {
    const receiver = at(1_000);
    const admitted = receiver.admit(at(1_000).sign(call), call);
    for (const body of ['{}', `${call.body} `, ''])
      assert.throws(() => receiver.checkBody(admitted, Buffer.from(body)), /not the one that was signed/);
  });

  it('is refused with another time, number, digest or key', () => {
    const [version, time, nonce, digest, signature] = at(1_000).sign(call).split(' ');
    const [, , , otherDigest] = at(1_000)
      .sign({ ...call, body: '{}' })
      .split(' ');
    const forged = [
      [version, '1001', nonce, digest, signature],
      [version, time, 'A'.repeat(22), digest, signature],
      [version, time, nonce, otherDigest, signature],
      [version, time, nonce, digest, 'A'.repeat(43)],
    ];
    for (const parts of forged)
      assert.throws(() => at(1_000).admit(parts.join(' '), call), /signature is wrong/);
    const stranger = at(1_000, 'another key for tests, long enough').sign(call);
    assert.throws(() => at(1_000).admit(stranger, call), /signature is wrong/);
  });

  it('is refused when it is old or from the future', () => {
    const header = at(100_000).sign(call);
    for (const time of [100_000 - 15_001, 100_000 + 15_001])
      assert.throws(() => at(time).admit(header, call), /expired/);
    for (const wrong of [undefined, '', 'v2', ['v2'], 'v1 1 a b', `${header} `, header.replace('v2', 'v1')])
      assert.throws(() => at(100_000).admit(wrong, call), /not signed/);
  });

  it('cannot be repeated for as long as it is valid', () => {
    let now = 100_000;
    const receiver = createNodeSignatures(createSecrets(secret), () => now);
    const header = at(100_000 + 15_000).sign(call);
    receiver.admit(header, call);
    for (let i = 0; i < 31; i++) {
      now += 1_000;
      receiver.admit(createNodeSignatures(createSecrets(secret), () => now).sign(call), call);
      assert.throws(() => receiver.admit(header, call), /made before|expired/);
    }
  });

  it('of a previous key is still accepted', () => {
    const header = at(1_000).sign(call);
    at(1_000, ['the next key of the tests, long enough', secret]).admit(header, call);
  });
});

describe('the signature of an answer', () => {
  const signatures = createNodeSignatures(createSecrets(secret), () => 1_000);

  it('fits its call only', () => {
    const header = signatures.sign(call);
    const sealed = signatures.sealAnswer(header, '{"answer":"a\\nb"}');
    assert.equal(signatures.openAnswer(header, sealed), '{"answer":"a\\nb"}');
    assert.throws(() => signatures.openAnswer(signatures.sign(call), sealed), /not signed/);
    assert.throws(() => signatures.openAnswer(header, sealed.replace('a', 'b')), /not signed/);
    assert.throws(() => signatures.openAnswer(header, '{"answer":1}'), /not signed/);
    assert.throws(() => signatures.openAnswer(header, ''), /not signed/);
  });
});
