import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadVocabulary } from './knowledge.vocabulary.ts';

describe('the words of the search', () => {
  it('function words are those of the language, in any of its regions', async () => {
    const { isFunctionWord } = await loadVocabulary();
    assert.ok(isFunctionWord('en', 'the') && isFunctionWord('pt-BR', 'voce') && isFunctionWord('de', 'die'));
    assert.ok(!isFunctionWord('en', 'die') && !isFunctionWord('ja', 'the'));
    for (const subject of ['free', 'hours', 'open', 'price', 'cancel'])
      assert.ok(!isFunctionWord('en', subject));
  });

  it('words that are used for the same lead to each other, by their stems', async () => {
    const { related, stem } = await loadVocabulary();
    const leads = (language: string, from: string, to: string) =>
      related(language, stem(language, from)).includes(stem(language, to));
    assert.ok(leads('en', 'refunds', 'reimbursed') && leads('en', 'reimburse', 'refund'));
    assert.ok(leads('pt-BR', 'estorno', 'reembolsos'));
    assert.ok(leads('es', 'movil', 'celular') && !leads('pt', 'laptop', 'refund') && !leads('ja', 'a', 'b'));
  });

  it('nothing is used for a function word, or for itself', async () => {
    const { related, stem, isFunctionWord } = await loadVocabulary();
    for (const language of ['en', 'pt', 'es']) {
      for (const word of ['refund', 'order', 'reembolso', 'pedido', 'celular', 'casa', 'conta', 'cuenta']) {
        const one = stem(language, word);
        const others = related(language, one);
        assert.ok(!others.includes(one), word);
        assert.deepEqual(
          others.filter((other) => isFunctionWord(language, other)),
          [],
        );
      }
    }
  });
});
