import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { queryClient } from '../query-client.ts';
import { type SignedIn, setSession } from '../session.ts';
import { sendTogether } from './send-together.ts';

const signInAs = (id: string) =>
  setSession({
    kind: 'signedIn',
    signedIn: { account: { id: 'account' }, user: { id } } as unknown as SignedIn,
  });
const signOut = () => setSession({ kind: 'signedOut', ended: false });

describe('what was begun by a person who has signed out', () => {
  const had = Object.getOwnPropertyDescriptor(globalThis, 'localStorage');
  before(() => {
    const value = { setItem() {}, removeItem() {} };
    Object.defineProperty(globalThis, 'localStorage', { value, configurable: true });
  });
  after(() => {
    signOut();
    // Its end waits with a timer.
    queryClient.clear();
    if (had) Object.defineProperty(globalThis, 'localStorage', had);
    else Reflect.deleteProperty(globalThis, 'localStorage');
  });

  it('a change that waits for another one ends after it', async () => {
    signInAs('first');
    queryClient.setQueryData(['shown'], 'to the first person');
    const answered = Promise.withResolvers<string>();
    const send = (mutationFn: () => Promise<string>) =>
      queryClient
        .getMutationCache()
        .build(queryClient, { scope: { id: 'one' }, networkMode: 'always', mutationFn })
        .execute(undefined);
    const ended = [send(() => answered.promise), send(async () => 'second')];
    // The second is in the queue once all that is ready has run.
    await setImmediate();
    signOut();
    answered.resolve('first');
    assert.deepEqual(await Promise.all(ended), ['first', 'second']);
    assert.equal(queryClient.getQueryData(['shown']), undefined);
  });

  it('a batch is sent as that person', async () => {
    signInAs('first');
    const sentAs: (string | null)[] = [];
    const send = sendTogether<string, string>(2, async (items, person) => {
      sentAs.push(person);
      return items;
    });
    const answers = ['a', 'b', 'c'].map(send);
    signOut();
    signInAs('second');
    assert.deepEqual(await Promise.all(answers), ['a', 'b', 'c']);
    assert.deepEqual(sentAs, ['account.first', 'account.first']);
  });
});
