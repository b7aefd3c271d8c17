import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { conversation } from '../../../../test/support/reply-tests.ts';
import type { ReplyResult } from '../ai-replies.conversation.ts';
import { fromKnowledgeOnly } from './ai-replies.only-knowledge.ts';
import { citationOf } from './ai-replies.passages.ts';

const handover = 'I am handing this conversation over to a person. Someone will reply here.';
const reply = (text: string, more: Partial<ReplyResult> = {}): ReplyResult => ({
  text,
  handover: false,
  usage: { inputTokens: null, outputTokens: null },
  steps: 1,
  toolCalls: [],
  cost: null,
  retrieved: [],
  citations: [],
  ...more,
});
const asked = 'Do you ship to Spain, and for how much?';
const outcome = (made: ReplyResult, question = asked, answerOnlyFromKnowledge = true) => {
  const {
    text,
    handover,
    handoverReason = null,
  } = fromKnowledgeOnly(conversation({ answerOnlyFromKnowledge }, question), made);
  return [text, handover, handoverReason];
};

describe('an agent that answers from knowledge only', () => {
  const unsupported = reply('Yes, for 5 euros.');

  test('hands over instead of a reply that cites nothing', () => {
    assert.deepEqual(outcome(unsupported), [handover, true, 'no_knowledge']);
    assert.deepEqual(outcome(unsupported, asked, false), ['Yes, for 5 euros.', false, null]);
    const cited = reply('Yes.', { citations: [citationOf({ title: 'Shipping', text: 'To Spain.' })] });
    assert.deepEqual(outcome(cited), ['Yes.', false, null]);
  });

  test('a hand-over by the agent stays one, without what it said', () => {
    assert.deepEqual(outcome(reply('It is 5 euros.', { handover: true })), [handover, true, 'requested']);
  });

  for (const greeting of ['Hello!', 'Bom dia', 'Thank you so much', 'Gracias', 'Sorry']) {
    test(`answers "${greeting}"`, () =>
      assert.deepEqual(outcome(reply('Good day. We are here.'), greeting), [
        'Good day. We are here.',
        false,
        null,
      ]));
  }

  for (const question of [
    'Which country do you mean?',
    "Hello! I'm sorry. Which country? And how many?",
    '¿A qué país?\n¿Y cuántos?',
    'Which country do you mean? 😀',
  ]) {
    test(`asks back: ${question}`, () => assert.deepEqual(outcome(reply(question)), [question, false, null]));
  }

  for (const claim of [
    'Yes, we do. Anything else?',
    'It costs 5 euros! Is that fine?',
    'Sure. Which country?',
    'We do',
  ]) {
    test(`does not claim: ${claim}`, () =>
      assert.deepEqual(outcome(reply(claim)), [handover, true, 'no_knowledge']));
  }

  test('answers from a tool that worked; a refused one and a transfer are no answer', () => {
    const used = (name: string, ok = true) => {
      const error = ok ? null : 'not allowed';
      const call = { name, kind: 'read' as const, arguments: {}, result: null, ms: 1, error };
      return outcome(reply('It is open.', { toolCalls: [call] }))[2];
    };
    assert.deepEqual(
      [
        used('find_record'),
        used('set_field'),
        used('set_status', false),
        used('transfer'),
        used('hand_over'),
      ],
      [null, null, 'no_knowledge', 'no_knowledge', 'no_knowledge'],
    );
  });

  test('thanks after a question that has no reply yet are not all that was said', () => {
    const said = conversation({ answerOnlyFromKnowledge: true }, asked);
    const thanks = { id: 'm2', role: 'user' as const, content: 'Thanks!', timestamp: 2 };
    const after = (...messages: typeof said.messages) =>
      fromKnowledgeOnly({ ...said, messages }, unsupported).handover;
    const answer = { id: 'm3', role: 'assistant' as const, content: '5 euros.', timestamp: 2 };
    const [question] = said.messages as [(typeof said.messages)[0]];
    assert.deepEqual([after(question, thanks), after(question, answer, thanks)], [true, false]);
    assert.deepEqual(outcome(reply("You're welcome!")), ["You're welcome!", false, null]);
  });

  test('"ok" is an answer if something was asked, and small talk if not', () => {
    const [first] = conversation({ answerOnlyFromKnowledge: true }, asked).messages;
    const after = (answer: string, content: string) => {
      const said = conversation({ answerOnlyFromKnowledge: true }, content);
      const reply = { id: 'm0', role: 'assistant' as const, content: answer, timestamp: 1 };
      return fromKnowledgeOnly({ ...said, messages: [first!, reply, ...said.messages] }, unsupported)
        .handover;
    };
    for (const content of ['ok', 'OK, got it!', '👍', 'Está bien', 'Tudo bem, perfeito']) {
      assert.equal(after('It is 5 euros.', content), false, content);
      assert.equal(after('Do you want to know the price? 🙂', content), true, content);
    }
    assert.equal(after('It is 5 euros.', 'ok and to Italy'), true);
  });

  test('an apology alone is no reply', () => {
    assert.deepEqual(outcome(reply("I'm sorry. Sorry!")), [handover, true, 'no_knowledge']);
  });

  test('a long run of spaces is read once', () => {
    const asks = `Which${' '.repeat(1_000_000)}size?`;
    assert.deepEqual(outcome(reply(asks)), [asks, false, null]);
  });

  test('an empty text is left to the caller', () => {
    assert.deepEqual(outcome(reply('')), ['', false, null]);
  });
});
