import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Conversation, ConversationMessage, KnowledgeEntry } from '../ai-replies.conversation.ts';
import { offlineReply } from './ai-replies.offline.ts';

const shop: KnowledgeEntry[] = [
  { title: 'Opening hours', text: 'Open Monday to Friday from 9:00 to 18:00, on Saturday until 13:00.' },
  { title: 'Returns and refunds', text: 'You can return any item within 30 days. Refunds take 5 days.' },
  { title: 'Shipping', text: 'Shipping takes 2 to 4 days and costs 5 euros.' },
  { title: 'International delivery', text: 'We deliver to Spain and France in about a week for 15 euros.' },
  { title: 'Payment', text: 'We accept Visa, Mastercard and bank transfer.' },
];
const loja: KnowledgeEntry[] = [
  { title: 'Horário de funcionamento', text: 'Abrimos de segunda a sexta das 9h às 18h.' },
  { title: 'Trocas e devoluções', text: 'A devolução pode ser feita em até 30 dias com a nota fiscal.' },
  { title: 'Entrega', text: 'A entrega leva de 2 a 4 dias e o frete custa 10 reais.' },
];

function talk(
  knowledge: KnowledgeEntry[],
  ...messages: [ConversationMessage['role'], string][]
): Conversation {
  return {
    agent: {
      id: 'offline-agent',
      name: 'Ada',
      provider: 'offline',
      model: null,
      baseUrl: null,
      apiKey: null,
      instructions: '',
      knowledge,
      tools: [],
    },
    messages: messages.map(([role, content], i) => ({ id: `${i}`, role, content, timestamp: i })),
    notes: [],
    passages: [],
    customer: { externalUserId: null, sessionName: null },
  };
}

const ask = (text: string, knowledge = shop) => offlineReply(talk(knowledge, ['user', text]));

test('the title of an internal document is not told', () => {
  const found = {
    documentId: 'd',
    version: 1,
    title: 'Secret returns manual',
    url: null,
    heading: null,
    start: 0,
    end: 38,
    excerpt: 'Returns are accepted within forty days.',
    language: 'en',
    score: 5,
    matched: ['returns'],
  };
  const answer = (audience: 'public' | 'internal') =>
    offlineReply({ ...talk([], ['user', 'returns?']), passages: [{ ...found, audience }] });
  assert.match(answer('public').text, /Secret returns manual[\s\S]*forty days/);
  const { text, citations } = answer('internal');
  assert.equal(text, found.excerpt);
  assert.deepEqual(
    citations.map(({ title, isInternal }) => [title, isInternal]),
    [['Secret returns manual', true]],
  );
});

describe('questions that an entry answers', () => {
  for (const [question, title, knowledge] of [
    ['What are your opening hours?', 'Opening hours'],
    ['are you open on saturday', 'Opening hours'],
    ['Hi, I am Ana. I bought a lamp last week and it broke. Can I return it?', 'Returns and refunds'],
    ['shiping costs', 'Shipping'],
    ['REFUND!!', 'Returns and refunds'],
    ['qual o horario de funcionamento?', 'Horário de funcionamento', loja],
    ['quero fazer uma devolução', 'Trocas e devoluções', loja],
    ['quanto custa o frete?', 'Entrega', loja],
  ] as [string, string, KnowledgeEntry[]?][]) {
    test(`“${question}” is answered with “${title}”, word for word`, () => {
      const entry = (knowledge ?? shop).find((one) => one.title === title)!;
      const reply = ask(question, knowledge);
      assert.ok(reply.text.includes(entry.text), reply.text);
      assert.ok(reply.text.includes(`${title}`), reply.text);
      assert.equal(reply.handover, false);
    });
  }
});

describe('questions that no entry answers clearly', () => {
  for (const question of [
    'Do you sell cars?',
    'Who won the world cup in 1998?',
    'Do you ship to Spain?', // one entry knows "ship", another "Spain"
    'days', // two entries know it equally well
    'and you?',
    '???',
    '👍',
    'お店は何時に開きますか',
  ]) {
    test(`“${question}” gets an honest no and the offer of a person`, () => {
      const { text, handover } = ask(question);
      assert.match(text, /^I couldn't find an answer/);
      assert.match(text, /talk to a person\?/);
      assert.equal(handover, false);
      for (const entry of shop) assert.ok(!text.includes(entry.text));
    });
  }

  test('an entry that covers less than half of the question is not quoted', () => {
    assert.match(
      ask('Which colours does the blue garden lamp shipping box have?').text,
      /couldn't find an answer/,
    );
  });

  test('an entry that covers half of it is quoted together with the offer of a person', () => {
    const { text } = ask('Do you accept bitcoin?');
    assert.match(text, /We accept Visa/);
    assert.match(text, /talk to a person\?/);
  });

  test('the same text stored twice is still an answer', () => {
    const twice = [...shop, { ...shop[0]!, title: 'Opening hours again' }];
    assert.match(ask('opening hours', twice).text, /Open Monday to Friday/);
  });

  test('a number is not taken for a similar one', () => {
    const models: KnowledgeEntry[] = [{ title: 'Pump 123456', text: 'Weighs nine kilos.' }];
    assert.match(ask('123457', models).text, /couldn't find an answer/);
    assert.match(ask('123456', models).text, /nine kilos/);
  });
});

describe('asking for a person', () => {
  for (const text of [
    'human',
    'I want to talk to a human',
    'can i speak with one of your agents please',
    'Is there a real person I can talk to?',
    'No, I need a human!',
    'could someone call me',
    'quero falar com um atendente',
    'atendente',
    'Preciso de ajuda humana',
    'posso falar com alguém?',
    'quiero hablar con una persona',
    'humano por favor',
    'pásame con un agente',
    '¿Me puede atender un humano?',
  ]) {
    test(`“${text}” hands over`, () => {
      assert.equal(ask(text).handover, true);
    });
  }

  for (const text of [
    'I do not want to talk to a human',
    'não quero falar com um atendente',
    'no quiero hablar con una persona',
    'I want to bring one person',
    'Are you a person?',
    'personal data',
  ]) {
    test(`“${text}” does not`, () => {
      assert.equal(ask(text).handover, false);
    });
  }

  test('agreeing to the offer hands over; the same word without the offer does not', () => {
    const offer = ask('Do you sell cars?').text;
    const agreed = offlineReply(
      talk(shop, ['user', 'Do you sell cars?'], ['assistant', offer], ['user', 'Yes please']),
    );
    assert.equal(agreed.handover, true);
    assert.equal(ask('Yes please').handover, false);
  });

  test('the configured message is sent, else one in the language of the customer', () => {
    const configured = talk(shop, ['user', 'human']);
    configured.agent.handoverMessage = 'Hold the line.';
    assert.equal(offlineReply(configured).text, 'Hold the line.');
    assert.match(ask('quero falar com um atendente').text, /passar esta conversa/);
    assert.match(ask('quiero hablar con una persona').text, /pasar esta conversación/);
    assert.match(ask('I want a human').text, /handing this conversation over/);
  });
});

test('a greeting is greeted and thanks are returned, in the three languages', () => {
  assert.match(ask('Hi!').text, /^Hello! I am an automated assistant/);
  assert.match(ask('Olá, bom dia').text, /^Olá! Sou um assistente automático/);
  assert.match(ask('Hola, buenas tardes').text, /^¡Hola! Soy un asistente automático/);
  assert.equal(ask('thanks a lot').text, "You're welcome.");
  assert.equal(ask('muito obrigado').text, 'De nada.');
});

test('an agent without knowledge says so and offers a person', () => {
  const { text, handover } = ask('What are your opening hours?', []);
  assert.match(text, /don't have any information to answer from yet/);
  assert.match(text, /talk to a person\?/);
  assert.equal(handover, false);
});

test('a message too short to tell its language is answered in that of the messages before', () => {
  const reply = offlineReply(
    talk(shop, ['user', 'Vocês vendem carros?'], ['assistant', 'Não.'], ['user', 'motos']),
  );
  assert.match(reply.text, /Não encontrei uma resposta/);
  assert.match(ask('motos').text, /couldn't find an answer/);
});

test('knowledge that changed is searched as it is now', () => {
  assert.match(ask('parking').text, /couldn't find an answer/);
  const more = [...shop, { title: 'Parking', text: 'Behind the house.' }];
  assert.match(ask('parking', more).text, /Behind the house/);
  assert.match(ask('parking').text, /couldn't find an answer/);
});

test('the same question always has the same answer, and costs under 5 ms of processor time', () => {
  const words = Array.from({ length: 3_000 }, (_, i) => `w${(i * 7919).toString(36).replace(/\d/g, 'x')}`);
  const word = (i: number) => words[(i * i) % words.length]!;
  const large = Array.from({ length: 200 }, (_, i) => ({
    title: `${word(i)} ${word(i + 1)}`,
    text: Array.from({ length: 100 }, (_, j) => word(i * 31 + j)).join(' '),
  }));
  const question = `what about ${word(5)} and ${word(6)} with lamps?`;
  // Loaded for each message, as from the database; the first one builds the index.
  const load = () => large.map((entry) => ({ ...entry }));
  const expected = ask(question, load());
  for (const text of [question, 'talk to no not a the with me '.repeat(2_184)]) {
    const loaded = Array.from({ length: 100 }, load);
    // This thread's own time: other tests, the collector and the compiler run in parallel.
    const begun = process.threadCpuUsage();
    const replies = loaded.map((knowledge) => ask(text, knowledge));
    const { user, system } = process.threadCpuUsage(begun);
    if (text === question) for (const reply of replies) assert.deepEqual(reply, expected);
    const each = (user + system) / 1_000 / loaded.length;
    assert.ok(each < 5, `${each} ms`);
  }
});
