import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { newSecret } from '../../../test/support/webhooks.ts';
import { endpointKey } from './endpoints.ts';
import { sign, signedHeaders } from './signature.ts';

test('the published vector of Standard Webhooks comes out', () => {
  assert.equal(
    sign(
      endpointKey('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1614265330,
      '{"test": 2432232314}',
    ),
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

/** Of the moment: the library takes nothing older than five minutes, and a file may wait so long for its turn. */
const seconds = () => Math.floor(Date.now() / 1000);
const body = '{"id":"0199","event":"crm_record_created","data":{"title":"Łódź – 東京 🎉 \\u2028"}}';

test('the public library verifies what is signed, with every secret in force and no other', () => {
  const [current, previous, other] = [newSecret(), newSecret(), newSecret()];
  const now = seconds();
  const headers = signedHeaders([current, previous].map(endpointKey), '0199', now, body);
  assert.equal(headers['webhook-signature']!.split(' ').length, 2);
  for (const secret of [current, previous]) {
    assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
  }
  assert.throws(() => new Webhook(other).verify(body, headers), WebhookVerificationError);
});

test('10,000 altered requests are all refused by the public library', () => {
  const secret = newSecret();
  const now = seconds();
  const receiver = new Webhook(secret);
  const headers = signedHeaders([endpointKey(secret)], '0199-a', now, body);
  assert.ok(receiver.verify(body, headers));
  const random = lcg(20261115);
  const pick = (count: number) => Math.floor(random() * count);
  const kinds = { body: 0, id: 0, timestamp: 0, signature: 0, header: 0 };

  for (let i = 0; i < 10_000; i++) {
    const kind = (Object.keys(kinds) as (keyof typeof kinds)[])[i % 5]!;
    kinds[kind]++;
    const altered = { ...headers };
    let text = body;
    if (kind === 'body') text = alter(body, pick);
    else if (kind === 'id') altered['webhook-id'] = alter(altered['webhook-id']!, pick);
    else if (kind === 'timestamp')
      altered['webhook-timestamp'] = String(now + (1 + pick(1_000_000)) * (pick(2) ? 1 : -1));
    else if (kind === 'signature') {
      const base64 = altered['webhook-signature']!.slice(3);
      altered['webhook-signature'] = `v1,${alter(base64, pick)}`;
    } else {
      const names = Object.keys(headers);
      const name = names[pick(names.length)]!;
      if (pick(2) === 0) delete altered[name];
      else
        altered[name] = ['', 'v1', 'v1,', 'v2,abc', 'x', 'v1a,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='][
          pick(6)
        ]!;
    }
    assert.throws(
      () => receiver.verify(text, altered),
      WebhookVerificationError,
      `${kind} ${JSON.stringify(altered)} ${text}`,
    );
  }
  assert.deepEqual(Object.values(kinds), [2000, 2000, 2000, 2000, 2000]);
});

/** One character replaced, removed, doubled or two swapped; never the same text. */
function alter(text: string, pick: (count: number) => number): string {
  for (;;) {
    const at = pick(text.length);
    // No comma and no space: after a complete signature they begin another one, which changes nothing.
    const letter = 'abcXYZ019+/={}[]:".'[pick(19)]!;
    const [head, tail] = [text.slice(0, at), text.slice(at + 1)];
    const altered = [head + letter + tail, head + tail, head + letter + text.slice(at), text + letter][
      pick(4)
    ]!;
    if (altered !== text) return altered;
  }
}

/** The same requests in every run: a failure can be reproduced. */
function lcg(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
