import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readArticle } from './ai-replies.articles.ts';

const found = {
  question: 'Can I return sofas after 30 days?',
  answer:
    'Hello Rui! Sofas can be returned within 30 days, see https://example.com/returns. Write to help@example.com.',
};
const title = 'Returning a sofa';

describe('an article of a model', () => {
  it('has a title and says what the answer says', () => {
    const texts = [
      'Sofas can be returned within 30 days.',
      'Sofas can be returned:\n\n1. within 30 days\n2. see [returns](https://example.com/returns)',
      'Sofas can be returned within 30 days. Write to help@example.com.',
    ];
    for (const text of texts) {
      assert.deepEqual(readArticle(`# ${title}\n\n${text}\n`, found), { title, text });
      const fenced = `\`\`\`markdown\n# ${title}\n${text}\n\`\`\``;
      assert.deepEqual(readArticle(fenced, found), { title, text });
    }
  });

  it('is none without a title or a text, with facts of its own, or about something else', () => {
    const texts = {
      'no title': 'Sofas can be returned within 30 days.',
      'no text': `# ${title}\n\n`,
      'a number': `# ${title}\n\nSofas can be returned within 60 days.`,
      'a number in the title': '# Sofas in 2024\n\nSofas can be returned within 30 days.',
      'an address': `# ${title}\n\nSofas can be returned within 30 days, see https://evil.example/returns.`,
      'a mail address': `# ${title}\n\nSofas can be returned within 30 days: evil@example.com`,
      'something else': `# ${title}\n\nI am sorry, but I cannot help with that.`,
      'too much': `# ${title}\n\n${'Sofas can be returned within 30 days. '.repeat(40)}`,
    };
    for (const [what, text] of Object.entries(texts)) assert.equal(readArticle(text, found), null, what);
  });
});
