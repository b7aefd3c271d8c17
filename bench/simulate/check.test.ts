import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openBooks } from './books.ts';
import { checkAccount, type Findings, type FoundMessage, noFindings } from './check.ts';

/** An account as the service should have it, and its books. */
function consistent() {
  const book = openBooks().of('account');
  book.records.set('r1', 't1q Ada k1').set('r2', 't1q Ada k2');
  book.maybeRecords.add('t1q Ada k3').add('t1q Ada k4');
  book.messages.set('m1', 'Hello k5');
  book.maybeMessages.add('Hello k6');
  const records = new Map([
    ['r1', 't1q Ada k1'],
    ['r2', 't1q Ada k2'],
    // Of the two whose answers never came, one was stored.
    ['r3', 't1q Ada k3'],
    ['card', 't1q customer 1'],
  ]);
  const message = (id: string, role: string, content: string, inReplyTo: string | null): FoundMessage => ({
    id,
    role,
    content,
    inReplyTo,
    isForwarded: true,
  });
  const messages = [
    message('m1', 'user', 'Hello k5', null),
    message('a1', 'assistant', 'Hi', 'm1'),
    message('m2', 'user', 'Hello k6', null),
    message('a2', 'assistant', 'Hi', 'm2'),
  ];
  const events = new Map(
    ['r1', 'r2', 'r3', 'card', 'a1', 'a2'].map((subject) => [subject, new Map([[`e-${subject}`, 1]])]),
  );
  const check = () =>
    checkAccount(book, { records, messages }, events, (title) => title.startsWith('t1q customer'));
  return { book, records, messages, message, events, check };
}

const counts = (findings: Findings) =>
  Object.fromEntries(
    Object.entries(findings)
      .map(([name, found]) => [name, Array.isArray(found) ? found.length : found])
      .filter(([, count]) => count > 0),
  );

describe('the checker of a simulation', () => {
  it('finds nothing in an account that has what it should', () => {
    assert.deepEqual(consistent().check(), noFindings());
  });

  it('finds an acknowledged record that is not there', () => {
    const account = consistent();
    account.records.delete('r2');
    account.events.delete('r2');
    assert.deepEqual(counts(account.check()), { lost: 1 });
    assert.match(account.check().lost[0]!, /r2/);
  });

  it('finds an acknowledged message that is not there', () => {
    const account = consistent();
    account.messages.splice(0, 2);
    account.events.delete('a1');
    assert.deepEqual(counts(account.check()), { lost: 1 });
  });

  it('lets a write without an answer be there or not, but not twice', () => {
    const absent = consistent();
    absent.records.delete('r3');
    absent.events.delete('r3');
    assert.deepEqual(counts(absent.check()), {});
    const twice = consistent();
    twice.records.set('r4', 't1q Ada k3');
    twice.events.set('r4', new Map([['e', 1]]));
    assert.deepEqual(counts(twice.check()), { wrong: 1 });
  });

  it('finds what nobody sent, and what has another content', () => {
    const account = consistent();
    account.records.set('r9', 't2q of another account').set('r1', 't1q changed');
    account.events.set('r9', new Map([['e', 1]]));
    account.messages.push(account.message('m9', 'user', 'never sent', null));
    account.messages.push(account.message('a9', 'assistant', 'Hi', 'm9'));
    account.events.set('a9', new Map([['e', 1]]));
    assert.deepEqual(counts(account.check()), { wrong: 3 });
  });

  it('finds a message without a reply, and one with two', () => {
    const account = consistent();
    account.messages.splice(1, 1);
    account.events.delete('a1');
    account.messages.push(account.message('a3', 'assistant', 'Hi again', 'm2'));
    account.events.set('a3', new Map([['e', 1]]));
    assert.deepEqual(counts(account.check()), { unanswered: 1, answeredTwice: 1 });
  });

  it('finds events that are missing, double or about nothing, and counts repeated deliveries', () => {
    const account = consistent();
    account.events.delete('r1');
    account.events.set('gone', new Map([['e', 1]]));
    account.events.set(
      'r2',
      new Map([
        ['e-1', 1],
        ['e-2', 1],
      ]),
    );
    account.events.set('r3', new Map([['e', 3]]));
    assert.deepEqual(counts(account.check()), { eventsMissing: 1, eventsWrong: 2, repeatedDeliveries: 2 });
  });
});
