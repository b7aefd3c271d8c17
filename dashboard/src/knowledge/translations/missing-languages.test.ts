import assert from 'node:assert/strict';
import { it } from 'node:test';
import { missingLanguages } from './missing-languages.ts';

it('an article in a regional language has the general one, unless the help center has both', () => {
  assert.deepEqual(missingLanguages(['en', 'pt', 'es'], ['en', 'pt-BR']), ['es']);
  assert.deepEqual(missingLanguages(['en', 'pt', 'pt-BR'], ['en', 'pt-BR']), ['pt']);
  assert.deepEqual(missingLanguages(['pt-BR'], ['pt', 'es']), ['pt-BR']);
});
