import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { recipientsOfReply } from './mail-recipients.ts';

const people = (...addresses: string[]) => addresses.map((address) => ({ name: null, address }));
const mail = (parts: object, role: Message['role'] = 'user') => ({
  role,
  isNote: false,
  data: {
    mail: {
      subject: '',
      from: people('ana@x.org')[0],
      to: people('shop@x.org', 'di@x.org'),
      cc: people('Bo@x.org', 'sales@x.org', 'bo@x.org', 'ana@x.org', 'no body@x', 'a:b@x.org'),
      answersTo: people('ana@x.org'),
      ...parts,
    },
  },
});
const reply = (messages: ReturnType<typeof mail>[], quoted: ReturnType<typeof mail> | null = null) =>
  recipientsOfReply({ messages, quoted, customer: 'ana@x.org', own: ['Shop@x.org', 'sales@x.org'] });

it('a reply goes to the sender, and to everybody else as a copy, without our own addresses', () => {
  const everybody = { to: ['ana@x.org'], cc: ['di@x.org', 'bo@x.org'] };
  assert.deepEqual(reply([mail({})]), { byDefault: everybody, everybody, leftOut: 0, isKnown: true });
  // The AI's answer to the sender does not leave the others out.
  const byAi = mail({ to: people('ana@x.org'), cc: [] }, 'assistant');
  assert.deepEqual(reply([byAi, mail({})]).byDefault, everybody);
});

it('a mail of the team is continued with its recipients', () => {
  const ours = mail({ to: people('ana@x.org'), cc: people('eve@x.org') }, 'operator');
  const { byDefault, everybody } = reply([ours, mail({})]);
  assert.deepEqual(byDefault, { to: ['ana@x.org'], cc: ['eve@x.org'] });
  assert.deepEqual(everybody.cc, ['di@x.org', 'bo@x.org']);
  // One that is not sent yet and names nobody tells nothing.
  assert.deepEqual(reply([mail({ to: [], cc: [] }, 'operator'), mail({})]).byDefault, everybody);
});

it('a quoted mail is the one that is answered', () => {
  const older = mail({ answersTo: people('form@x.org'), to: [], cc: people('fay@x.org') });
  assert.deepEqual(reply([mail({}), older], older).byDefault, { to: ['form@x.org'], cc: ['fay@x.org'] });
});

it('somebody else in the thread gets no answer unless the operator wants it; the customer does', () => {
  for (const answersTo of ['ana@x.org', 'eve@x.org']) {
    const from = people('eve@x.org')[0];
    const other = mail({ from, answersTo: people(answersTo), cc: [], isOther: true });
    const { byDefault, everybody } = reply([other]);
    assert.deepEqual(byDefault, { to: ['ana@x.org'], cc: [] });
    assert.deepEqual(everybody, { to: ['ana@x.org'], cc: ['eve@x.org', 'di@x.org'] });
  }
});

it('the copies of a forged mail, or of one with another Reply-To, get nothing unless the operator wants it', () => {
  for (const doubt of [{ isForged: true }, { replyTo: people('eve@x.org') }]) {
    const { byDefault, everybody } = reply([mail(doubt)]);
    assert.deepEqual(byDefault, { to: ['ana@x.org'], cc: [] });
    assert.deepEqual(everybody.cc, ['di@x.org', 'bo@x.org']);
  }
});

it('as many as a header takes, and how many are left out', () => {
  const many = Array.from({ length: 30 }, (_, index) => `a${index}@x.org`);
  const { byDefault, leftOut } = reply([mail({ to: [], cc: people(...many) })]);
  assert.deepEqual([byDefault.cc, leftOut], [many.slice(0, 20), 10]);
});

it('without a mail the customer, and a mail of an older version leaves the address to the service', () => {
  assert.deepEqual(reply([]), {
    byDefault: { to: ['ana@x.org'], cc: [] },
    everybody: { to: ['ana@x.org'], cc: [] },
    leftOut: 0,
    isKnown: false,
  });
  assert.equal(reply([mail({ answersTo: undefined })]).isKnown, false);
});
