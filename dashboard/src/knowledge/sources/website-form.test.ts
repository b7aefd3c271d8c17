import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ApiError } from '../../data/errors.ts';
import { loadTexts } from '../../texts/texts.ts';
import { problemOf, refusedField, startSettings, type WebsiteForm } from './website-form.ts';

describe('the form of a website', () => {
  before(() => loadTexts('knowledge'));
  const form = (parts: Partial<WebsiteForm>) => ({
    ...startSettings({ startUrls: ['https://example.com/help'] }),
    ...parts,
  });

  it('names the line that is wrong, at its field', () => {
    const wrong = (parts: Partial<WebsiteForm>, text: RegExp) => {
      const found = problemOf(form(parts));
      assert.equal(found?.field, Object.keys(parts)[0]);
      assert.match(found!.text, text);
    };
    assert.equal(problemOf(form({ include: '/help', headers: 'X-Key: a' })), null);
    wrong({ startUrls: 'https://example.com\nexample.com' }, /https:\/\/.*: example\.com$/);
    wrong({ sitemapUrls: 'ftp://example.com' }, /ftp:\/\/example\.com$/);
    wrong({ include: '/help\nnews' }, /begin with \/.*: news$/);
    wrong({ maxPages: '5001' }, /from 1 to 5000/);
    wrong({ maxDepth: '' }, /from 0 to 50/);
    wrong({ headers: 'no header' }, /: no header$/);
  });

  it('puts what the service refuses at its field', () => {
    const refused = (message: string) =>
      refusedField(form({}), new ApiError(400, 'VALIDATION', message, 'request'));
    assert.deepEqual(refused('settings.startUrls[0] is on a private network'), {
      field: 'startUrls',
      text: 'https://example.com/help: is on a private network',
    });
    assert.deepEqual(refused('settings.headers.X is reserved'), {
      field: 'headers',
      text: 'headers is reserved',
    });
    assert.equal(refused('name must not be empty'), null);
    assert.equal(refused('settings.moon is full'), null);
  });
});
