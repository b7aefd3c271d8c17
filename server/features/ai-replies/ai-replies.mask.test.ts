/** What an agent hides from its model reaches neither the model nor gets lost. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maskedKinds } from '../../../contract/channels.ts';
import { callsTools, type ModelServer, says } from '../../../test/support/model-servers.ts';
import { conversation, recordingTools, replyTests } from '../../../test/support/reply-tests.ts';
import { createMask, withoutMasked } from './ai-replies.mask.ts';

const { serve, ask } = replyTests();

const addresses = [
  'ana@example.com',
  'João.da-Silva+loja@correio.example.com.br',
  'o_reilly%sales@sub.domain.example',
  'niño@españa.example',
  '5511987654321@s.whatsapp.net',
  'X@Y.IO',
  'ana%40example.com',
];
const phones = [
  '+55 (11) 98765-4321',
  '11 98765-4321',
  '(21) 2345-6789',
  '+351 912 345 678',
  '+34 612 34 56 78',
  '612.345.678',
  '+1-415-555-2671',
  '(555) 123-4567',
  '555-1234',
  '+44 (0)20 7946 0958',
  '5511987654321',
  '\u202a+55\u00a011\u00a098765\u20114321\u202c',
  '１１９８７６５４３２１',
];
const cards = [
  '4111 1111 1111 1111',
  '4111-1111-1111-1111',
  '5500000000000004',
  '3782 822463 10005',
  '6011000990139424',
  '4222222222222',
  // Mistyped.
  '4111 1111 1111 1112',
];
const sentences: ((value: string) => string)[] = [
  (value) => `You can reach me at ${value}.`,
  (value) => `My details: ${value}, thanks!`,
  (value) => `Order 12345 from 19/11/2026, ${value}`,
  (value) => `Pode me avisar em ${value}? Comprei por R$ 1.234.567,89 em 2026-11-19.`,
  (value) => `É (${value})`,
  (value) => `O meu é ${value}; o pedido é 98765`,
  (value) => `Mi dato es ${value}\ny el pedido 12-34`,
  (value) => `¿Lo apuntó? ${value}`,
];
const values = [...addresses, ...phones, ...cards];
const bare = (text: string) => text.normalize('NFKC').replace(/[^\p{L}\p{N}]/gu, '');
const textOf = (server: ModelServer) => JSON.stringify(server.requests.map(({ body }) => body));

describe('what is hidden from the model', () => {
  it('never reaches it, and comes back in the reply: 216 texts of three languages', async () => {
    const server = await serve('openai-compatible');
    server.choose(({ body }) => says(String(body.messages!.at(-1)!.content)));
    const settings = { baseUrl: server.baseUrl, maskForModel: [...maskedKinds] };
    let count = 0;
    for (const value of values) {
      for (const sentence of sentences) {
        const { text } = await ask(conversation(settings, sentence(value)));
        assert.equal(text, sentence(value));
        const seen = textOf(server);
        assert.ok(!bare(seen).includes(bare(value)), `${value} in ${seen}`);
        assert.match(seen, /\[(?:email|phone|card)-1\]/);
        server.requests.length = 0;
        count += 1;
      }
    }
    assert.equal(count, 216);
  });

  it('is hidden in name, id, notes, the whole history and the results of tools; tools get the values', async () => {
    const server = await serve(
      'openai-compatible',
      callsTools(
        { name: 'find_record', arguments: {} },
        { name: 'set_field', arguments: { field: 'Phone', value: '[phone-1]' } },
        { name: 'set_status', arguments: { status: 'none' } },
        { name: 'lookup', arguments: { who: { mail: ['\\[Email 1\\]'] } } },
      ),
      says('I will write to [email-1].'),
    );
    const seen: unknown[] = [];
    const tools = recordingTools({
      findRecord: async () => JSON.stringify({ note: 'first\nnina@example.com', at: 1_763_571_828_000 }),
    });
    const lookup = {
      ...{ name: 'lookup', description: 'Look up', kind: 'read' as const, parameters: { type: 'object' } },
      call: async (given: unknown) => {
        seen.push(given);
        return 'found 4111 1111 1111 1111';
      },
    };
    const granted = ['find_record', 'set_field', 'set_status'] as const;
    const talk = conversation(
      { baseUrl: server.baseUrl, tools: [...granted], maskForModel: [...maskedKinds] },
      'I am rui@example.com',
    );
    talk.messages.unshift({ id: 'm0', role: 'operator', content: 'Is it 912 345 678?', timestamp: 0 });
    talk.notes.push({ content: 'Pays with 5500000000000004', operatorName: 'olga@example.com' });
    talk.customer = { externalUserId: '351912345678', sessionName: 'rui@example.com' };
    const { text, toolCalls } = await ask(talk, { ...tools, own: [lookup] });
    assert.equal(text, 'I will write to rui@example.com.');
    assert.deepEqual(tools.calls[1], ['setField', 'Phone', '912 345 678']);
    assert.deepEqual(seen, [{ who: { mail: ['rui@example.com'] } }]);
    assert.deepEqual(
      toolCalls.map(({ arguments: given }) => given),
      [
        {},
        { field: 'Phone', value: '912 345 678' },
        { status: 'none' },
        { who: { mail: ['rui@example.com'] } },
      ],
    );
    const told = textOf(server);
    for (const secret of ['rui@', 'nina@', 'olga@', '345678', '345 678', '5500000000000004', '4111'])
      assert.ok(!told.includes(secret), secret);
    assert.ok(told.includes('1763571828000'), 'a time is no phone number');
  });

  it('is only what was chosen; without it nothing is changed', () => {
    const text = 'ana@example.com, 11 98765-4321, 4111 1111 1111 1111';
    assert.equal(createMask(['email']).hide(text), '[email-1], 11 98765-4321, 4111 1111 1111 1111');
    assert.equal(createMask(['card']).hide(text), 'ana@example.com, 11 98765-4321, [card-1]');
    assert.equal(createMask(['phone']).hide('5511987654321@s.whatsapp.net'), '[phone-1]@s.whatsapp.net');
    assert.equal(createMask([]).hide(text), text);
  });

  it('has the same placeholder each time, and one that somebody wrote is a text like others', () => {
    const mask = createMask(maskedKinds);
    const text = 'ana@example.com [email-1] bia@example.com ana@example.com [phone-9]';
    const hidden = mask.hide(text);
    assert.equal(hidden, '[email-1] [email-2] [email-3] [email-1] [phone-1]');
    assert.equal(mask.restore(hidden), text);
    assert.equal(mask.restore('[email-7]'), '[email-7]', 'a model may invent one');
  });

  it('is left out of a search for knowledge', () => {
    const question = withoutMasked('Is ana@example.com for order 4711?', ['email']);
    assert.equal(question.replace(/\s+/g, ' '), 'Is for order 4711?');
  });

  it('takes no more than linear time, whatever is written', () => {
    const hostile = ['1 ', '1', 'a', 'a.', '+(', '4111 1111 1111 1111 ', '%40', '12-', 'a@', '1.'];
    const began = performance.now();
    for (const part of hostile) createMask(maskedKinds).hide(part.repeat(60_000 / part.length));
    assert.ok(performance.now() - began < 10_000);
  });
});
