import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { corpora } from './corpora.ts';
import { makeLookup, makeQuery, QUERY_KINDS, searchedTexts } from './queries.ts';
import { Random } from './random.ts';

const count = 500;
const seed = 7;

function figuresOf(name: string) {
  const corpus = corpora.find((one) => one.name === name)!;
  const types = new Map(corpus.fields(seed).map((field) => [field.id, field.type]));
  const texts = [...corpus.records(seed, count)].map((record) => searchedTexts(record, types).join(' '));
  const all = texts.flatMap((text) => text.split(/\s+/));
  return {
    lengthEach: texts.join('').length / count,
    /** 1 if no word occurs twice. */
    distinctShare: new Set(all).size / all.length,
    latinShare:
      (texts.join('').match(/[a-z]/gi)?.length ?? 0) / (texts.join('').match(/\p{L}/gu)?.length ?? 1),
  };
}

describe('the corpora of the search scenario', () => {
  for (const corpus of corpora) {
    it(`${corpus.name}: the same seed gives the same records, another seed others`, () => {
      const made = () => [...corpus.records(seed, count)];
      assert.deepEqual(made(), made());
      assert.deepEqual(corpus.fields(seed), corpus.fields(seed));
      assert.notDeepEqual(made(), [...corpus.records(seed + 1, count)]);
    });

    it(`${corpus.name}: every value belongs to a field of the record's board, and ids are distinct`, () => {
      const boardOf = new Map(corpus.fields(seed).map((field) => [field.id, field.kanbanId]));
      const records = [...corpus.records(seed, count)];
      assert.equal(new Set(records.map(({ id }) => id)).size, count);
      for (const { kanbanId, customFields } of records) {
        for (const id of Object.keys(customFields)) assert.equal(boardOf.get(id), kanbanId);
      }
    });

    it(`${corpus.name}: queries of every kind can be made of it`, () => {
      const fields = corpus.fields(seed);
      const types = new Map(fields.map((field) => [field.id, field.type]));
      const records = [...corpus.records(seed, count)];
      const random = new Random(seed);
      for (const kind of QUERY_KINDS) assert.ok(makeQuery(kind, records, types, random).length > 0);
      const [id, value] = makeLookup(records, fields, random);
      assert.ok(types.has(id) && value.length > 0);
    });
  }

  it('differ in length, repetition and alphabet', () => {
    const [customers, tickets, catalogue] = ['customers', 'tickets', 'catalogue'].map(figuresOf);
    assert.ok(tickets!.lengthEach > 2 * customers!.lengthEach);
    assert.ok(catalogue!.lengthEach < 0.8 * customers!.lengthEach);
    assert.ok(tickets!.distinctShare < 0.1 && tickets!.distinctShare < customers!.distinctShare / 2);
    assert.ok(catalogue!.distinctShare > 0.6);
    assert.ok(catalogue!.latinShare < tickets!.latinShare - 0.2);
  });
});
