import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { root } from '../../../test/support/program.ts';
import { loadTexts } from '../texts/texts.ts';
import { explain, inOwnWords } from './service-words.ts';

describe('the reasons of the service', () => {
  before(() => loadTexts('knowledge'));

  it('are said in the words of the dashboard, with what they name', () => {
    assert.equal(inOwnWords('no text in it: it is probably a scan'), 'No text in it: it is probably a scan.');
    assert.equal(inOwnWords('429, tried 4 times'), '429, tried 4 times.');
    assert.equal(inOwnWords('the site answered 404'), 'There is no page at this address (404).');
    assert.equal(inOwnWords('same text as /help/a'), 'Same text as /help/a.');
    assert.equal(inOwnWords('more than 5 redirects'), 'More than 5 redirects.');
    assert.equal(inOwnWords('no text in it: it is image/png'), 'No text in it: it is image/png.');
    assert.equal(inOwnWords('sitemap: larger than 10 MB'), 'Sitemap: Larger than 10 MB.');
    assert.equal(
      inOwnWords('20 pages in a row failed, the last one with: the site answered 500'),
      '20 pages in a row failed, the last one: The site answered 500.',
    );
    assert.equal(inOwnWords('the moon is full'), null);
    assert.equal(explain('the moon is full'), 'The moon is full');
  });

  it('are still those that the service has', () => {
    const code = globSync('server/features/knowledge/**/*.ts', { cwd: root })
      .filter((path) => !path.endsWith('.test.ts'))
      .map((path) => readFileSync(`${root}/${path}`, 'utf8'))
      .join('\n');
    const whole = [
      'no text in it: it is probably a scan',
      'protected by a password',
      'reading it takes too long',
      'reading it needs too much memory',
      'its elements are nested too deeply',
      'its first row does not name the columns question and answer',
      'it is not text',
      'the provider returned an unreadable answer',
      'the key cannot be read: enter it again',
      'no text in it',
      'it could not be read: upload it again',
      'the uploaded file is missing: upload it again',
      'robots.txt does not allow it',
      'no text without JavaScript',
      'the page says noindex',
      'neither a page nor a sitemap names it any more',
      'redirects to something that is not a page',
      'redirects to a private network',
      'a redirect to nowhere',
      'the address is on a private network',
      'the compression of the answer is broken',
      'an answer without content',
      'no sitemap is there',
      'the settings ask for a review',
      'something went wrong on our side: start it again',
      'another sync was started',
      'the settings of the website were changed',
      'the website could not be read within 2 hours: lower its maximum number of pages',
    ];
    for (const sentence of whole) {
      assert.ok(code.includes(`'${sentence}'`), `the service does not say: ${sentence}`);
      assert.notEqual(inOwnWords(sentence), null, sentence);
    }
  });
});
