/** A blocked person gets through no connector, by whichever of their identifiers they were blocked. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { ConnectorKind } from '../../../contract/connectors.ts';
import { conversationsOf } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { upsert } from '../../../test/support/providers/evolution-messages.ts';
import {
  changeOf,
  deliveryOf,
  messageOf,
  numberIds,
  valueWith,
} from '../../../test/support/providers/whatsapp-messages.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { newId } from '../../platform/ids.ts';

let service: TestService;
let talks: ReturnType<typeof conversationsOf>;
const channels = new Map<ConnectorKind, Json>();

const secret = 'a secret of the test';
const meta = { accessToken: secret, appSecret: secret, verifyToken: secret };
const login = { user: 'shop', password: secret };
const connectors: Record<ConnectorKind, { type: string; settings: object; credentials: object }> = {
  telegram: { type: 'chatbot', settings: {}, credentials: { botToken: '1:token' } },
  twilio: {
    type: 'sms',
    settings: { accountSid: `AC${'1'.repeat(32)}`, from: '+15550100' },
    credentials: { authToken: secret },
  },
  evolution: {
    type: 'chatapp_no',
    settings: { apiBase: 'https://gateway.example.com', instanceName: 'shop' },
    credentials: { apiKey: secret },
  },
  whatsapp_cloud: { type: 'chatapp', settings: numberIds, credentials: meta },
  messenger: { type: 'chatapp', settings: { pageId: '104', platform: 'page' }, credentials: meta },
  email: {
    type: 'email',
    settings: {
      address: 'shop@example.com',
      imap: { host: 'imap.example.com' },
      smtp: { host: 'smtp.example.com' },
    },
    credentials: { imap: login, smtp: login },
  },
};

before(async () => {
  service = await joinTestService({ worker: true });
  talks = conversationsOf(service);
  const { providers } = service.context;
  // It answers after a minute of silence: the test ends before.
  const quiet = await talks.agent({ batchWindowMs: 60_000 });
  for (const [kind, { type, settings, credentials }] of Object.entries(connectors)) {
    const provider = providers.get(kind as ConnectorKind)!;
    // Only what is about messages that come in: nothing leaves the test.
    providers.set(provider.kind, {
      ...provider,
      connect: async () => ({ state: 'connected' }),
      polls: () => false,
      nameOf: undefined,
      typing: undefined,
      markRead: undefined,
      templates: undefined,
    });
    const connector = { kind, ...settings, credentials };
    channels.set(provider.kind, await talks.channel({ type, connector, defaultAgentId: quiet.id }));
  }
});
after(() => service.close());

type Identifiers = ReturnType<typeof personOf>;

/** One person with every kind of identifier that a connector may know them by. */
const personOf = (number: number) => ({
  phone: { kind: 'phone', value: `55119${80_000_000 + number}` },
  bsuid: { kind: 'chatapp', value: `BR.${7_000 + number}` },
  lid: { kind: 'chatapp', value: `${9_000 + number}@lid` },
  psid: { kind: 'chatapp', value: `70000${number}` },
  chat: { kind: 'chatbot', value: `4000${number}` },
  email: { kind: 'email', value: `ada${number}@example.com` },
});

/** What comes in by each way that leads to the person; the keys name both. */
const ways: Record<string, (person: Identifiers, id: string) => { kind: ConnectorKind; body: unknown }> = {
  'telegram by the chat': ({ chat }, id) => {
    const chatOf = { id: Number(chat.value), type: 'private' };
    const message = { message_id: Number(id), date: 1, chat: chatOf, text: 'Let me in' };
    return { kind: 'telegram', body: { update_id: Number(id), message } };
  },
  'twilio by the phone number': ({ phone }, id) => {
    const form = { MessageSid: `SM${id}`, From: `+${phone.value}`, To: '+15550100', Body: 'Let me in' };
    return { kind: 'twilio', body: { part: null, form } };
  },
  'whatsapp_cloud by the phone number': ({ phone }) => whatsapp({ from: phone.value }),
  'whatsapp_cloud by the user id': ({ bsuid }) => whatsapp({ from: null, userId: bsuid.value }),
  'evolution by the phone number': ({ phone }) => linkedPhone(`${phone.value}@s.whatsapp.net`),
  'evolution by the LID': ({ lid }) => linkedPhone(lid.value),
  'messenger by the page-scoped id': ({ psid }, id) => {
    const message = { mid: `m_${id}`, text: 'Let me in' };
    const event = { sender: { id: psid.value }, recipient: { id: '104' }, timestamp: 1, message };
    return { kind: 'messenger', body: { object: 'page', entry: [{ id: '104', messaging: [event] }] } };
  },
  'email by the address': ({ email }, id) => {
    const from = { address: email.value, name: 'Ada' };
    const lists = { references: [], to: [], cc: [], replyTo: [], parents: [] };
    const headers = { messageId: `${id}@example.com`, subject: 'Hi', from, date: 1, idHash: id };
    const mail = { ...lists, ...headers, hasHtml: false, hasQuoted: false, original: null };
    const content = { text: 'Let me in', media: [], ignored: null, bounce: null };
    return { kind: 'email', body: { providerMsgId: id, at: 1, mail, ...content } };
  },
};

const tellingMore: typeof ways = {
  'whatsapp_cloud by both': ({ phone, bsuid }) => whatsapp({ from: phone.value, userId: bsuid.value }),
};

function whatsapp(sender: Parameters<typeof valueWith>[1]) {
  const body = deliveryOf(changeOf(valueWith([messageOf('Let me in')], sender)));
  return { kind: 'whatsapp_cloud', body } as const;
}

function linkedPhone(from: string) {
  const body = { event: 'messages.upsert', data: upsert({ conversation: 'Let me in' }, { from }) };
  return { kind: 'evolution', body } as const;
}

/** As the inbound address stores them, after the signature; on one connection, so that the workers keep the others. */
async function comeIn(arrivals: readonly (readonly [way: string, person: Identifiers, id: number])[]) {
  await service.context.db.transaction(async (tx) => {
    for (const [way, person, id] of arrivals) {
      const { kind, body } = { ...ways, ...tellingMore }[way]!(person, String(id));
      const channelId = channels.get(kind)!.id;
      await tx.query(sql`
        insert into connector_inbound (account_id, channel_id, kind, id, body, received_at)
        values (${service.admin.accountId}, ${channelId}, ${kind}, ${newId()}, ${JSON.stringify(body)}, 1)`);
    }
  });
}

const settled = () =>
  eventually(async () => {
    const own = sql`account_id = ${service.admin.accountId}`;
    const [row] = await service.context.db.query<{ left: number }>(sql`
      select (select count(*) from connector_inbound where ${own} and failed_at is null)::int
        + (select count(*) from connector_items where ${own} and state = 'waiting')::int as left`);
    return row!.left === 0;
  }, 60_000);

it('a person who is not blocked gets through every one of these ways', async () => {
  const person = personOf(90);
  await comeIn(Object.keys(ways).map((way, index) => [way, person, 9_000 + index] as const));
  await settled();
  const { items } = await talks.expect(200, service.call('GET', '/sessions?limit=100'));
  assert.equal(items.length, new Set(Object.keys(ways)).size);
});

it('a person who was blocked by any identifier gets through none of them', async () => {
  const names = Object.keys(personOf(0)) as (keyof Identifiers)[];
  const blocked: { person: Identifiers; contactId: string }[] = [];
  for (const [index, name] of names.entries()) {
    const person = personOf(index);
    await comeIn([['twilio by the phone number', person, index + 1]]);
    await settled();
    const session = await talks.session(`twilio:+${person.phone.value}`);
    const addIdentifiers = Object.values(person).filter(({ kind }) => kind !== 'phone');
    const path = `/contacts/${session.contactId}`;
    await talks.expect(200, service.call('PATCH', path, { body: { addIdentifiers } }));
    const { kind, value } = person[name];
    const entry = `/blocked-contacts/${encodeURIComponent(value)}`;
    await talks.expect(201, service.call('POST', entry, { body: { identifierType: kind } }));
    blocked.push({ person, contactId: session.contactId });
  }
  const each = blocked.flatMap(({ person }) => Object.keys(ways).map((way) => ({ person, way })));
  await comeIn(each.map(({ person, way }, index) => [way, person, 100 + index] as const));
  await settled();
  for (const [index, { person, contactId }] of blocked.entries()) {
    const name = names[index]!;
    const contact = await talks.expect(200, service.call('GET', `/contacts/${contactId}`));
    assert.deepEqual([contact.blocked, contact.sessionCount], [true, 1], name);
    const messages = await talks.messages(`twilio:+${person.phone.value}`);
    assert.equal(messages.length, 1, name);
  }
  await eventually(async () => {
    const { items } = await talks.expect(200, service.call('GET', '/blocked-contacts?limit=100'));
    const dropped = items.reduce((sum: number, one: Json) => sum + one.droppedCount, 0);
    return dropped === blocked.length * Object.keys(ways).length;
  });
  const { items } = await talks.expect(200, service.call('GET', '/sessions?limit=100'));
  const isOfBlocked = ({ contactId }: Json) => blocked.some((one) => one.contactId === contactId);
  assert.equal(items.filter(isOfBlocked).length, blocked.length);
  assert.equal(items.length, blocked.length + Object.keys(ways).length);
});

it('an erased person stays blocked, with what is told of them later', async () => {
  const person = personOf(95);
  const other = personOf(96);
  await comeIn([
    ['twilio by the phone number', person, 9_500],
    ['email by the address', other, 9_600],
  ]);
  await settled();
  const { contactId } = await talks.session(`twilio:+${person.phone.value}`);
  const entry = `/blocked-contacts/${person.phone.value}`;
  await talks.expect(201, service.call('POST', entry));
  const { erasureId } = await talks.expect(202, service.call('DELETE', `/contacts/${contactId}`));
  await eventually(async () => {
    const { state } = await talks.expect(200, service.call('GET', `/erasures/${erasureId}`));
    return state === 'done';
  }, 60_000);
  const sessions = async (): Promise<Json[]> =>
    (await talks.expect(200, service.call('GET', '/sessions?limit=100'))).items;
  const before = await sessions();
  for (const way of ['whatsapp_cloud by both', 'whatsapp_cloud by the user id']) {
    await comeIn([[way, person, 9_501]]);
    await settled();
    assert.equal((await sessions()).length, before.length, way);
  }
  // Somebody else has the number now, and is blocked by it.
  const email = before.find(({ externalUserId }) => externalUserId === other.email.value)!;
  const path = `/contacts/${email.contactId}`;
  await talks.expect(200, service.call('PATCH', path, { body: { addIdentifiers: [person.phone] } }));
  await talks.expect(201, service.call('POST', entry));
  assert.equal((await talks.expect(200, service.call('GET', path))).blocked, true);
  const answer = await talks.expect(200, service.call('DELETE', entry));
  assert.equal(answer.unblocked, true);
  assert.equal((await talks.expect(200, service.call('GET', path))).blocked, false);
});
