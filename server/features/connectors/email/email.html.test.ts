import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { htmlToText } from './email.html.ts';
import { parseMail } from './email.parse.ts';

describe('the text of HTML mail', () => {
  const cases: [string, string, string][] = [
    ['capital letters', 'N&Atilde;O, &Ecirc;xito', 'NÃO, Êxito'],
    ['all names', '&frac12; m&sup2; &euml; &hearts;', '½ m² ë ♥'],
    ['names without a semicolon', 'caf&eacute; N&AtildeO &copy 2026 &amp', 'café NÃO © 2026 &'],
    ['numbers of Windows-1252', 'It&#146;s 1&#150;2 &#x80;', 'It’s 1–2 €'],
    ['what is no entity', 'A & B &xyz; &#xD800; R&D', 'A & B &xyz; \ufffd R&D'],
    ['hidden hyphens', 'Sup&shy;port', 'Support'],
    [
      'a > in an attribute',
      '<a title="a > b" href="https://example.com/?a=1&amp;b=2">See</a>',
      'See (https://example.com/?a=1&b=2)',
    ],
    ['a > in the text of a picture', '<img alt="1 &gt; 0 > x" src="cid:1">Hello', '[1 > 0 > x]Hello'],
    ['a < in the text', 'a < b, <3 and <b>c</b>', 'a < b, <3 and c'],
    [
      'what is not shown',
      '<style>p { a > b }</style><script>"</p>"</script><svg><text>x</text></svg>Hello',
      'Hello',
    ],
    ['comments', 'a<!-- > <p> -->b', 'ab'],
  ];
  for (const [name, html, text] of cases) {
    it(name, () => assert.equal(htmlToText(html).text, text));
  }

  const mail = (charset: string, body: Buffer) =>
    Buffer.concat([
      Buffer.from(
        `From: a@example.org\r\nContent-Type: text/html${charset}\r\nContent-Transfer-Encoding: 8bit\r\n\r\n`,
      ),
      body,
    ]);
  for (const meta of [
    '<meta charset="iso-8859-1">',
    '<META http-equiv=Content-Type content="text/html; charset=windows-1252">',
  ]) {
    it(`a charset that only ${meta} names`, async () => {
      const body = Buffer.from(`<html><head>${meta}</head><body>N\u00c3O caf\u00e9</body></html>`, 'latin1');
      const { text, html } = await parseMail(mail('', body));
      assert.equal(text, 'NÃO café');
      assert.match(html!, /NÃO café/);
    });
  }

  it('a charset of the header, or text that is UTF-8, is not changed by a <meta>', async () => {
    const html = '<meta charset="iso-8859-1">caf\u00e9';
    assert.equal((await parseMail(mail('', Buffer.from(html)))).text, 'café');
    assert.equal((await parseMail(mail('; charset=utf-8', Buffer.from(html)))).text, 'café');
    const broken = Buffer.from(html, 'latin1');
    assert.equal((await parseMail(mail(';\r\n charset=utf-8', broken))).text, 'caf\ufffd');
    const unknown = Buffer.from('<meta charset="no-such">caf\u00e9', 'latin1');
    assert.equal((await parseMail(mail('', unknown))).text, 'caf\ufffd');
  });
});
