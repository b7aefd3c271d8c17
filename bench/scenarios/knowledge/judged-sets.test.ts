import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ownSets } from './judged-sets.ts';

describe('the judged sets', () => {
  for (const { name, documents, questions } of ownSets()) {
    it(`${name}: large enough, every answer is a document, nothing is there twice`, () => {
      assert.ok(documents.length >= 200 && questions.length >= 100);
      const ids = new Set(documents.map(({ id }) => id));
      assert.equal(ids.size, documents.length);
      assert.equal(new Set(questions.map(({ q }) => q)).size, questions.length);
      for (const { q, documentIds } of questions)
        assert.ok(documentIds.length > 0 && documentIds.every((id) => ids.has(id)), q);
    });

    it(`${name}: no question is the title of a document`, () => {
      const titles = new Set(documents.map(({ title }) => title.toLowerCase()));
      for (const { q } of questions) assert.ok(!titles.has(q.toLowerCase()), q);
    });
  }
});
