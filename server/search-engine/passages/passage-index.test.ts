import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Random } from '../../../bench/corpus/random.ts';
import { runsOf, seed } from '../../../test/support/sample.ts';
import { Dictionary } from '../store/dictionary.ts';
import { encodeUtf8 } from '../store/utf8.ts';
import { nearTerms, TermsByLength } from './near-terms.ts';
import { type PassageDocument, PassageIndex, type Vocabulary } from './passage-index.ts';
import { type PassageFilter, searchPassages } from './passage-query.ts';

/** As much of a stemmer as these tests need. */
const stem = (language: string, word: string) =>
  language === 'en' ? word.replace(/(ing|ed|s)$/, '') : word.replace(/os$/, 'o');
const vocabulary: Vocabulary = {
  languages: ['en', 'pt'],
  stem,
  isFunctionWord: (language, word) => (language === 'en' ? ['the', 'about'] : ['o']).includes(word),
  related: (language, word) => (language === 'en' && word === 'laptop' ? ['notebook'] : []),
};
const documentOf = (
  id: string,
  texts: string | string[],
  rest: Partial<PassageDocument> = {},
): PassageDocument => ({
  id,
  version: 1,
  sourceId: 'articles',
  audience: 'public',
  language: 'en',
  title: '',
  passages: [texts].flat().map((text, number) => ({ number, heading: null, text })),
  ...rest,
});
const indexOf = (...documents: PassageDocument[]) => {
  const index = new PassageIndex(vocabulary);
  for (const document of documents) index.upsert(document);
  return index;
};
const search = (index: PassageIndex, q: string, filter: PassageFilter = {}, count = 10) =>
  searchPassages(index, q, filter, count, () => undefined);
const idsOf = async (...args: Parameters<typeof search>) =>
  (await search(...args)).map(({ documentId }) => documentId);

describe('the index of passages', () => {
  it('finds any of the words, rare ones first, by stem and without accents', async () => {
    const index = indexOf(
      documentOf('a', 'You can return a sofa.'),
      documentOf('b', 'You can order a sofa.'),
      documentOf('c', 'Returning twice: you returned it.'),
      documentOf('d', 'São Tomé'),
    );
    assert.deepEqual((await idsOf(index, 'RETURNS')).sort(), ['a', 'c']);
    assert.equal((await idsOf(index, 'you can order it?'))[0], 'b');
    assert.deepEqual(await idsOf(index, 'sao'), ['d']);
    assert.deepEqual(await idsOf(index, '?! …'), []);
    const [first] = await search(index, 'return the Sofa');
    assert.deepEqual([first!.documentId, first!.matched], ['a', ['return', 'sofa']]);
  });

  it('a title weighs more than a heading, and a heading more than the text', async () => {
    const passages = (heading: string | null, text: string) => [{ number: 0, heading, text }];
    const index = indexOf(
      documentOf('text', '', { passages: passages('Other', 'refund one two three') }),
      documentOf('heading', '', { passages: passages('Refund', 'one two three four') }),
      documentOf('title', '', { title: 'Refund', passages: passages('Other', 'one two three four') }),
    );
    assert.deepEqual(await idsOf(index, 'refund'), ['title', 'heading', 'text']);
  });

  it('leaves function words out, unless the question has nothing else: then it finds titles', async () => {
    const index = indexOf(
      documentOf('a', 'a sofa', { title: 'About the shop' }),
      documentOf('b', 'about the chair'),
      documentOf('c', 'o gato', { language: 'pt' }),
    );
    assert.deepEqual(await idsOf(index, 'about the chair'), ['b']);
    assert.deepEqual(await idsOf(index, 'about the'), ['a']);
    const [first] = await search(index, 'o gato');
    assert.deepEqual(first!.matched, ['gato']);
  });

  it('knows function words of languages that no document is in', async () => {
    const index = indexOf(documentOf('a', 'o sofa', { title: 'o' }), documentOf('b', 'gato'));
    assert.deepEqual(await idsOf(index, 'o gato'), ['b']);
  });

  it('finds words that are used for the same, after those that have the word', async () => {
    const index = indexOf(
      documentOf('a', 'notebook'),
      documentOf('b', 'laptop'),
      documentOf('c', 'notebook', { language: 'pt' }),
      documentOf('d', 'table'),
    );
    const found = await search(index, 'laptops');
    assert.deepEqual(
      found.map(({ documentId, matched }) => [documentId, matched]),
      [
        ['b', ['laptops']],
        ['a', ['laptops']],
        ['c', ['laptops']],
      ],
    );
    assert.deepEqual(await idsOf(indexOf(documentOf('a', 'notebook')), 'laptop'), ['a']);
  });

  it('a word that the question repeats counts more, and all words of a long question count', async () => {
    const index = indexOf(documentOf('a', 'sofa'), documentOf('b', 'chair'));
    assert.deepEqual(await idsOf(index, 'sofa chair'), ['a', 'b']);
    assert.deepEqual(await idsOf(index, 'sofa chair chair'), ['b', 'a']);
    const others = Array.from({ length: 150 }, (_, i) => `w${i}`).join(' ');
    assert.deepEqual(await idsOf(index, `${others} chair`), ['b']);
  });

  it('tolerates typos in words that no document has, and in no others', async () => {
    const index = indexOf(documentOf('a', 'password'), documentOf('b', 'passport'), documentOf('c', 'cat'));
    for (const q of ['pasword', 'passwrod', 'passwordd']) assert.deepEqual(await idsOf(index, q), ['a'], q);
    assert.deepEqual(await idsOf(index, 'passport'), ['b']);
    assert.deepEqual(await idsOf(index, 'cst'), []);
    assert.deepEqual(await idsOf(indexOf(documentOf('a', '655501 abc12')), '655502 abc13'), []);
  });

  it('takes the last word for the beginning of one while the question is typed', async () => {
    const index = indexOf(documentOf('a', 'voucher'), documentOf('b', 'vote'), documentOf('c', 'gift'));
    const typed = async (q: string) =>
      (await searchPassages(index, q, {}, 10, () => undefined, true)).map(({ documentId }) => documentId);
    assert.deepEqual(await typed('gift vou'), ['c', 'a']);
    assert.deepEqual(await typed('vo'), ['a', 'b']);
    for (const q of ['v', 'vou gift', 'vou ']) assert.ok(!(await typed(q)).includes('a'), q);
    assert.deepEqual(await idsOf(index, 'vou'), []);
  });

  it('looks for a word in each language, or in the one that is asked for', async () => {
    const index = indexOf(documentOf('en', 'gatos'), documentOf('pt', 'gato', { language: 'pt-BR' }));
    assert.deepEqual((await idsOf(index, 'gatos')).sort(), ['en', 'pt']);
    assert.deepEqual(await idsOf(index, 'gatos', { language: 'pt' }), ['pt']);
    assert.deepEqual(await idsOf(index, 'gatos', { language: 'en' }), ['en']);
    assert.deepEqual(await idsOf(index, 'gatos', { language: 'p' }), []);
  });

  it('knows as many languages as its vocabulary, whatever pages name', async () => {
    const named = Array.from({ length: 50 }, (_, n) =>
      documentOf(`d${n}`, 'Two sofas', { language: n % 2 === 0 ? `en-x${n}` : `x${n}` }),
    );
    const index = indexOf(...named);
    assert.deepEqual(
      [...index.languages],
      [
        ['en', 25],
        ['', 25],
      ],
    );
    assert.deepEqual(await idsOf(index, 'sofas', { language: 'en-x4' }), ['d4']);
    assert.deepEqual(await idsOf(index, 'sofas', { language: 'x5' }), ['d5']);
    assert.equal((await idsOf(index, 'sofas', { language: 'en' }, 50)).length, 25);
    for (const { id } of named) index.remove(id);
    assert.equal(index.languages.size, 0);
  });

  it('filters by source and audience', async () => {
    const index = indexOf(
      documentOf('a', 'sofa'),
      documentOf('b', 'sofa', { sourceId: 'site' }),
      documentOf('c', 'sofa', { audience: 'internal' }),
    );
    assert.deepEqual(await idsOf(index, 'sofa', { sourceIds: ['site'] }), ['b']);
    assert.deepEqual(await idsOf(index, 'sofa', { sourceIds: [] }), []);
    assert.deepEqual(await idsOf(index, 'sofa', { audience: 'public' }), ['a', 'b']);
  });

  it('has the same best passages however many are asked for', async () => {
    const random = new Random(seed);
    const rare = Array.from({ length: 400 }, (_, i) => `rare${i}`);
    const word = () => (random.chance(0.8) ? `often${random.below(6)}` : random.pickSkewed(rare));
    const texts = Array.from({ length: 6_000 }, () =>
      Array.from({ length: 5 + random.below(20) }, word).join(' '),
    );
    const index = indexOf(
      ...texts.map((text, i) => documentOf(`d${i}`, text, { audience: i % 3 ? 'public' : 'internal' })),
    );
    for (let i = 0; i < 40; i++) {
      const q = Array.from({ length: 2 + random.below(7) }, word).join(' ');
      const filter = i % 2 ? { audience: 'public' } : {};
      const shown = async (count: number) =>
        (await search(index, q, filter, count))
          .slice(0, 10)
          .map((one) => ({ ...one, score: one.score.toFixed(6) }));
      assert.deepEqual(await shown(10), await shown(texts.length), q);
    }
  });

  it('answers the same whatever came before, and in whatever order', async () => {
    const word = fc.constantFrom('sofa', 'return', 'returned', 'chair', 'table', 'lamp', 'days', 'gatos');
    const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
    const document = fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      language: fc.constantFrom('en', 'pt'),
      title: text,
      texts: fc.array(text, { maxLength: 3 }),
    });
    const step = fc.oneof(document, fc.constantFrom('a', 'b', 'c'));
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 20 }),
        text,
        fc.integer({ min: 1, max: 6 }),
        async (steps, q, count) => {
          const changed = new PassageIndex(vocabulary);
          const current = new Map<string, PassageDocument>();
          for (const one of steps) {
            if (typeof one === 'string') {
              changed.remove(one);
              current.delete(one);
            } else {
              const made = documentOf(one.id, one.texts, { language: one.language, title: one.title });
              changed.upsert(made);
              current.set(one.id, made);
            }
          }
          const fresh = indexOf(...[...current.values()].reverse());
          const rounded = async (index: PassageIndex) =>
            (await search(index, q, {}, count)).map((one) => ({ ...one, score: one.score.toFixed(9) }));
          assert.deepEqual(await rounded(changed), await rounded(fresh));
          const all = await rounded(fresh);
          assert.ok(all.every(({ documentId }) => current.has(documentId)));
        },
      ),
      { numRuns: runsOf(400), seed },
    );
  });
});

describe('terms with typos', () => {
  it('are those of the least distance, as a plain table of distances says', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { maxLength: 40 }),
        word,
        fc.integer({ min: 0, max: 2 }),
        (terms, wanted, typos) => {
          const dictionary = new Dictionary();
          const byLength = new TermsByLength();
          for (const term of terms)
            byLength.add(dictionary.intern(encodeUtf8(term), 0, term.length), encodeUtf8(term));
          const distances = terms.map((term) => distance(term, wanted));
          const least = Math.min(...distances);
          const expected = least > typos ? [] : terms.filter((_, i) => distances[i] === least);
          const found = nearTerms(dictionary, byLength, wanted, typos, () => true).map(
            ({ term }) => terms[term]!,
          );
          assert.deepEqual(found.sort(), expected.sort());
        },
      ),
      { numRuns: runsOf(500), seed },
    );
  });
});

/** Optimal string alignment, from its definition. */
function distance(a: string, b: string): number {
  const table: number[][] = [];
  for (let i = 0; i <= a.length; i++) {
    table[i] = [];
    for (let j = 0; j <= b.length; j++) {
      if (i === 0 || j === 0) table[i]![j] = i + j;
      else {
        const isSame = a[i - 1] === b[j - 1];
        let least = Math.min(
          table[i - 1]![j]! + 1,
          table[i]![j - 1]! + 1,
          table[i - 1]![j - 1]! + (isSame ? 0 : 1),
        );
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
          least = Math.min(least, table[i - 2]![j - 2]! + 1);
        table[i]![j] = least;
      }
    }
  }
  return table[a.length]![b.length]!;
}
