import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { messageOf } from '../../../../test/support/providers/scripted-provider.ts';
import { sendingProvider } from '../../../../test/support/providers/sending-provider.ts';
import { sendingStage } from '../../../../test/support/providers/sending-stage.ts';
import { sql } from '../../../platform/db/sql.ts';
import { ProviderError } from '../connectors.provider.ts';

const stage = sendingStage();
const { connected, conversation, say, message, reaches, deliver } = stage;

const watermark = (id: string, status: 'delivered' | 'read', at: number) => ({
  type: 'watermark',
  key: `${status}:${id}:${at}`,
  customer: { id, identifiers: [{ kind: 'chatbot', value: id }], name: null },
  status,
  at,
});

const itemIs = (customer: string, state: string) =>
  eventually(async () => {
    const rows = await stage.service.context.db.query<{ state: string }>(
      sql`select state from connector_items where type = 'watermark' and customer = ${customer}`,
    );
    return rows.length > 0 && rows.every((row) => row.state === state);
  });

/** Later than everything before it, earlier than everything after it. */
async function moment(): Promise<number> {
  const at = Date.now() + 1;
  await eventually(() => Date.now() > at);
  return at;
}

describe('a time up to which everything is read', () => {
  it('is applied to what was sent until then, forward only', async () => {
    stage.use(sendingProvider({ text: 20 }));
    const channel = await connected();
    const { sessionId, customer } = await conversation(channel);
    stage.sending.onSend = async ({ text }) => {
      if (text === 'failing') throw new ProviderError('final', 'It does not work.');
    };
    const failing = await say(channel, sessionId, 'failing');
    const first = await say(channel, sessionId, 'one two three four five six seven');
    await reaches(sessionId, failing, 'failed');
    await reaches(sessionId, first, 'sent');
    const cut = await moment();
    const second = await say(channel, sessionId, 'later');
    await reaches(sessionId, second, 'sent');
    const statuses = async () =>
      Promise.all([failing, first, second].map(async (id) => (await message(sessionId, id)).status));
    await deliver(channel, [watermark(customer, 'read', cut)]);
    await reaches(sessionId, first, 'read');
    assert.deepEqual(await statuses(), ['failed', 'read', 'sent']);
    await deliver(channel, [watermark(customer, 'delivered', await moment())]);
    await reaches(sessionId, second, 'delivered');
    assert.deepEqual(await statuses(), ['failed', 'read', 'delivered']);
    await itemIs(customer, 'done');
  });

  it('that comes before the answer to a send waits for it, and counts for no later one', async () => {
    const channel = await connected();
    const { sessionId, customer } = await conversation(channel);
    let waiting = '';
    stage.sending.onSend = async ({ text }) => {
      if (text !== 'first') return;
      waiting = await say(channel, sessionId, 'written before');
      await deliver(channel, [watermark(customer, 'read', await moment())]);
      await itemIs(customer, 'early');
    };
    const first = await say(channel, sessionId, 'first');
    await reaches(sessionId, first, 'read');
    await reaches(sessionId, waiting, 'sent');
    await itemIs(customer, 'done');
    assert.equal((await message(sessionId, waiting)).status, 'sent');
  });

  it('of somebody without a conversation is dropped', async () => {
    const channel = await connected();
    await deliver(channel, [watermark('nobody-here', 'read', 1)]);
    await itemIs('nobody-here', 'dropped');
  });
});

it('an echo with our id settles a send whose answer was lost, whatever its text', async () => {
  const channel = await connected();
  const { sessionId, customer } = await conversation(channel);
  let ourId = '';
  stage.sending.onSend = async ({ id, text }) => {
    if (text !== 'lost') return;
    ourId = id;
    throw new ProviderError('lost', 'No answer.');
  };
  const id = await say(channel, sessionId, 'lost');
  await reaches(sessionId, await say(channel, sessionId, 'next'), 'sent');
  const shown = { providerMsgId: 'mid-1', text: 'shown otherwise', isEcho: true, ourId };
  await deliver(channel, [messageOf(customer, 1, shown)]);
  assert.equal((await reaches(sessionId, id, 'sent')).providerMsgId, 'mid-1');
  const echoes = (await stage.chats.messages(sessionId)).filter(({ isEcho }) => isEcho);
  assert.deepEqual(echoes, []);
});
