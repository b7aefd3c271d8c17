import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutPerson } from './ai-replies.neutral-text.ts';

const ana = {
  names: ['Ana Souza'],
  phrases: ['Wedding of the Souzas'],
  addresses: ['ana@example.com', '351912345678'],
};

describe('a draft without the person', () => {
  it('has neutral words for names, addresses and numbers of the customer', () => {
    const question = 'I am Ana, do you engrave rings? Call 912 345 678 or write to other@example.org';
    const answer =
      'Hi Ana! Yes, for the wedding of the souzas. We wrote to ana@example.com and OTHER@example.org, and called +351 912 345 678.';
    assert.deepEqual(withoutPerson(ana, { question, answer }), {
      question: 'I am [customer], do you engrave rings? Call [number] or write to [e-mail address]',
      answer:
        'Hi [customer]! Yes, for the [customer]. We wrote to [e-mail address] and [e-mail address], and called [number].',
    });
  });

  it('keeps what belongs to the business, and words that only look like a name', () => {
    const person = { names: ['Rose Li'], phrases: [], addresses: [] };
    const texts = {
      question: 'Do you sell a rose?',
      answer: 'Yes: a rose costs 40 euros. Write to shop@example.com or call 211 222 333.',
    };
    assert.deepEqual(withoutPerson(person, texts), texts);
    const { answer } = withoutPerson(person, {
      question: 'Você tem rosas?',
      answer: 'Sim, Rose, nós temos (sempre).',
    });
    assert.equal(answer, 'Sim, [cliente], nós temos (sempre).');
  });
});
