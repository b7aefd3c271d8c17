/**
 * A workspace as created by `talkboard demo`, with conversations, for screenshots and for tests that need realistic
 * data.
 */

import { hashPassword } from '../../server/features/accounts/accounts.ts';
import { fillDemo } from '../../server/features/first-run/first-run.ts';
import { eventually } from './eventually.ts';
import { type Json, password, type TestService } from './service.ts';

export interface PicturePlaces {
  /** Slugs and ids for addresses. */
  board: string;
  emptyBoard: string;
  record: string;
  talkedRecord: string;
  session: string;
  contact: string;
}

const talks: { name: string; from: string; lines: string[]; operator?: string; note?: string }[] = [
  {
    name: 'Lucas Almeida',
    from: '+55 11 98888-1212',
    lines: [
      'Hi! Do you deliver the Harbour blend on Saturdays?',
      'We open a second café next month and need 12 kg a week.',
    ],
    operator: 'Good morning Lucas, we do. Shall I send you an offer for 12 kg a week?',
    note: 'Knows Ana from the trade fair; wants the annual discount.',
  },
  {
    name: 'Emma Fischer',
    from: '+49 151 2345678',
    lines: ['The grinder arrived with a broken hopper. What now?'],
  },
  {
    name: 'Yuki Ito',
    from: 'yuki@example.com',
    lines: ['Is the training on the 21st still free?', 'We would be four people.'],
  },
  {
    name: 'Chiara Costa',
    from: '+39 333 1234567',
    lines: ['Can I change my order from beans to ground?'],
    operator: 'Done: 6 kg ground for filter.',
  },
  { name: 'Noah Becker', from: '+49 170 5550101', lines: ['What is Talkboard?'] },
  { name: 'Amira Hassan', from: '+20 100 1112223', lines: ['Please send the invoice of October again.'] },
];

export async function fillForPictures(service: TestService): Promise<PicturePlaces> {
  const { call, context, admin } = service;
  const now = context.clock.now();
  const hash = await hashPassword(password);
  await context.db.transaction((tx) =>
    fillDemo(tx, admin.accountId, { now, secrets: context.secrets, passwordHash: hash }),
  );
  await call('PATCH', '/account', { token: admin.jwt, body: { name: 'Harbour Roastery' } });
  await call('PATCH', `/users/${admin.userId}`, { token: admin.jwt, body: { name: 'Clara Nunes' } });

  const { items: boards } = (await call('GET', '/kanbans?limit=100')).body as { items: Json[] };
  const board = boards.find((one) => one.name === 'Demo sales') ?? boards.find((one) => !one.isDefault);
  const empty = boards.find((one) => one.isDefault);
  for (const [index, talk] of talks.entries()) {
    const sessionId = `demo-${index}`;
    for (const content of talk.lines) {
      await call('POST', '/messages', {
        body: {
          content,
          sessionId,
          fromChannelIdentifier: 'api',
          sessionName: talk.name,
          externalUserId: talk.from,
          kanbanId: board.id,
        },
      });
    }
  }
  const { items: channels } = (await call('GET', '/channels')).body as { items: Json[] };
  const channel = channels.find((one) => one.identifier === 'api');
  await eventually(async () => {
    const { body } = await call('GET', '/sessions/demo-0/messages');
    return body.items.some((message: Json) => message.role === 'assistant');
  });
  for (const [index, talk] of talks.entries()) {
    const say = (body: object) =>
      call('POST', `/channels/${channel.id}/sessions/demo-${index}/agent-messages`, {
        token: admin.jwt,
        body,
      });
    if (talk.operator) await say({ content: talk.operator });
    if (talk.note) await say({ content: talk.note, isNote: true });
  }
  const { items: records } = (await call('GET', `/crm/records?kanbanId=${board.id}&limit=100`)).body as {
    items: Json[];
  };
  const session = (await call('GET', '/sessions/demo-0')).body;
  const rich = records
    .filter((one) => one.channelId === null)
    .sort((a, b) => Object.keys(b.customFields).length - Object.keys(a.customFields).length)[0];
  return {
    board: board.slug,
    emptyBoard: empty.slug,
    record: rich.recordId,
    talkedRecord: session.recordId,
    session: 'demo-0',
    contact: session.contactId,
  };
}
