import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import {
  docxOf,
  docxParagraph,
  docxTable,
  pdfOf,
  protectedPdf,
  zipOf,
} from '../../../../test/support/documents.ts';
import { hostileFiles } from '../../../../test/support/hostile-files.ts';
import { sampleFiles } from '../../../../test/support/sample-files.ts';
import { createExtraction, ExtractionProblem, type Format } from './extraction.ts';

const accountId = 'one';

describe('extraction', () => {
  const extraction = createExtraction({ heapMb: 128, buffersMb: 100 });
  after(() => extraction.stop());
  const extract = (
    format: Format,
    content: string | Buffer,
    more: { url?: string; fileName?: string } = {},
  ) => extraction.extract({ accountId, format, bytes: Buffer.from(content as string), ...more });
  const textOf = async (format: Format, content: string | Buffer) => (await extract(format, content)).text;
  const page = (body: string, head = '') =>
    `<!doctype html><html><head>${head}</head><body>${body}</body></html>`;
  const filling = `<p>${'Enough words for a main text, with commas, so that it counts. '.repeat(10)}</p>`;

  describe('of HTML', () => {
    it('takes the main text, without what is around it', async () => {
      const html = page(
        `<nav><a href="/x">Menu</a></nav><header>Our shop</header><article>${filling}<h2>Late parcels</h2>${filling}</article><footer>Imprint</footer>`,
        '<title>Returns and refunds of our shop</title>',
      );
      const { title, text } = await extract('html', html);
      assert.equal(title, 'Returns and refunds of our shop');
      assert.match(text, /^Enough words[^#]*\n\n## Late parcels\n\nEnough words/);
      assert.doesNotMatch(text, /Menu|Imprint|Our shop/);
    });

    it('takes the body of a page that has no main text, and of a page that leaves out most tags', async () => {
      assert.equal(await textOf('html', page('<nav>Menu</nav><p>Short.</p>')), 'Short.');
      assert.equal(await textOf('html', '<title>T</title><h2>A</h2><p>One<p>Two'), '## A\n\nOne\n\nTwo');
      const { title, text } = await extract('html', '<html><title>T</title><p>One</html>');
      assert.deepEqual([title, text], ['T', 'One']);
    });

    const forms: [name: string, html: string, markdown: string][] = [
      ['headings', '<h2>A <em>b</em></h2><h3>\n C</h3>x', '## A *b*\n\n### C\n\nx'],
      ['a heading with a link to itself', '<h2>A <a href="#a">#</a></h2><p>x</p>', '## A\n\nx'],
      ['a question in a button', '<h3><button>Open?</button></h3><p>Yes</p>', '### Open?\n\nYes'],
      ['a question that opens', '<details><summary>Open?</summary>Yes</details>No', '**Open?**\n\nYes\n\nNo'],
      ['lists', '<ul><li>A<ul><li>B</li></ul></li><li>C</li></ul>', '- A\n  - B\n- C'],
      ['numbered lists', '<ol start="3"><li>A</li><li><p>B</p><p>C</p></li></ol>', '3. A\n4. B\n\n   C'],
      [
        'tables',
        '<table><caption>Sizes</caption><thead><tr><th>S<br>M</th><th>P</th></tr></thead><tbody><tr><td>1|2</td></tr><tr><td colspan="2">all</td></tr></tbody></table>',
        'Sizes\n\n| S M | P |\n| --- | --- |\n| 1\\|2 |  |\n| all |  |',
      ],
      [
        'tables that only place things',
        '<table><tr><td><p>A</p></td></tr><tr><td><table><tr><td>1</td><td>2</td></tr></table></td></tr></table>',
        'A\n\n| 1 | 2 |\n| --- | --- |',
      ],
      [
        'links',
        '<a href="b?c=(1)">x</a> <a href="#y">y</a> <a href="javascript:z()">z</a> <a href="mailto:a@b.c">m</a>',
        '[x](https://shop.example/a/b?c=%281%29) y z [m](mailto:a@b.c)',
      ],
      ['code', '<pre><code># a\n  b</code></pre>', '```\n# a\n  b\n```'],
      ['text that looks like structure', '<p># a</p><p>1. b</p><p>| c</p>', '\\# a\n\n1\\. b\n\n\\| c'],
      ['no pictures and scripts', '<img alt="x" src="y"><script>z</script><style>z</style>a', 'a'],
    ];
    for (const [name, html, markdown] of forms) {
      it(`keeps ${name}`, async () => {
        const { text } = await extract('html', page(html), { url: 'https://shop.example/a/' });
        assert.equal(text, markdown);
      });
    }

    it('reads a page with a hundred thousand spaces', async () => {
      const [spaces, lines] = [' '.repeat(100_000), '\n'.repeat(100_000)];
      const html = page(`<p>One</p><pre>${spaces}two${spaces}\u00a0</pre><ul><li><pre>a${lines}b</pre></ul>`);
      assert.match(await textOf('html', html), /^One\n\n *two\s+- a\s+b$/);
    });

    it('reads a page that is nested more deeply than any page of a person', async () => {
      assert.equal(await textOf('html', page(`${'<div>'.repeat(500)}deep`)), 'deep');
    });

    it('names the links, the canonical address, the language and what robots may do', async () => {
      const html = `<html lang="pt_BR"><head><base href="/help/"><link rel="canonical" href="a"><meta name="ROBOTS" content="noindex,follow"></head><body>
        <a href="b#c">B</a><a href="b">B</a><a href="//other.example/x">X</a><a href="mailto:a@b.c">M</a><a href="http://[">!</a>text</body></html>`;
      const { language, page } = await extract('html', html, { url: 'https://shop.example/x/y' });
      assert.equal(language, 'pt-BR');
      assert.deepEqual(page, {
        links: ['https://shop.example/help/b', 'https://other.example/x'],
        canonical: 'https://shop.example/help/a',
        isNoindex: true,
        isNofollow: false,
      });
    });

    it('is read in the encoding of its mark, of the page, or what fits', async () => {
      const text = '<html><head></head><body>Gr\u00fc\u00dfe</body></html>';
      const declared = page('Gr\u00fc\u00dfe', '<meta charset="iso-8859-1">');
      for (const bytes of [
        Buffer.from(text),
        Buffer.from(text, 'latin1'),
        Buffer.from(declared, 'latin1'),
        Buffer.from(declared),
        Buffer.from(`${text}${' '.repeat(2_000)}\0`),
        Buffer.from(`\ufeff${declared}`),
        Buffer.from(`\ufeff${text}`, 'utf16le'),
      ]) {
        assert.equal(await textOf('html', bytes), 'Gr\u00fc\u00dfe');
      }
    });
  });

  describe('of text', () => {
    it('keeps it as it is, in UTF-8, UTF-16 or Windows-1252', async () => {
      const text = 'Gr\u00fc\u00dfe\r\n  # not changed \n';
      for (const bytes of [
        Buffer.from(text),
        Buffer.from(`\ufeff${text}`),
        Buffer.from(text, 'latin1'),
        Buffer.from(`\ufeff${text}`, 'utf16le'),
        Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
      ]) {
        const found = await extract('text', bytes, { fileName: 'Hours 2.0.txt' });
        assert.deepEqual(found, { title: 'Hours 2.0', text, language: null, page: null });
      }
    });

    it('the title of Markdown is its first heading, else the name of the file', async () => {
      const titles = async (text: string) => (await extract('markdown', text, { fileName: 'a.md' })).title;
      assert.equal(await titles('intro\n# The `b` #\n\ntext\n# c'), 'The b');
      assert.equal(await titles('## b\n'), 'a');
    });

    it('a row of a CSV file is a heading and its answer', async () => {
      const comma = 'Answer,id,Question\n"# Yes,\r\n```\nof ""course""",1,"Is it\nopen?"\n,,\nNo,2,Closed?\n';
      const expected = '## Is it open?\n\n\\# Yes,\n\\```\nof "course"\n\n## Closed?\n\nNo';
      assert.equal(await textOf('csv', comma), expected);
      assert.equal(await textOf('csv', Buffer.from('\ufeffquestion;answer\nÜ?;ä', 'utf16le')), '## Ü?\n\nä');
    });

    it('a CSV file without these columns, or a row without one of them, is named', async () => {
      const problems: [string, RegExp][] = [
        ['q,a\n1,2', /does not name the columns question and answer/],
        ['question,answer\nx,y\n,z', /row 3 has no question/],
        ['question,answer\nx', /row 2 has no answer|row 2:/],
      ];
      for (const [text, message] of problems)
        await assert.rejects(extract('csv', text), { code: 'broken', message });
    });
  });

  describe('of PDF', () => {
    it('has its paragraphs, headings, title and language', async () => {
      const pdf = pdfOf(
        [
          [
            { text: 'Returns', size: 20 },
            { text: 'You can return any-', gap: 30 },
            { text: 'thing within 30 days.' },
            { text: 'Second paragraph.', gap: 30 },
            { text: '- a point' },
          ],
          [{ text: 'Page two.' }],
        ],
        { title: 'Policy', language: 'en-GB' },
      );
      assert.deepEqual(await extract('pdf', pdf), {
        title: 'Policy',
        text: '## Returns\n\nYou can return anything within 30 days.\n\nSecond paragraph.\n\n- a point\n\nPage two.',
        language: 'en-GB',
        page: null,
      });
    });

    it('tells the lines of a paragraph from paragraphs by how far lines are apart', async () => {
      const wide = (text: string, gap: number) => ({ text, size: 10, gap });
      const lines = [wide('One', 20), wide('two', 20), wide('three', 20), wide('Four', 34), wide('five', 20)];
      assert.equal(await textOf('pdf', pdfOf([lines])), 'One two three\n\nFour five');
    });

    it('has the name of its file if a program wrote the title', async () => {
      const pdf = pdfOf([[{ text: 'x' }]], { title: 'Microsoft Word - final.doc' });
      assert.equal((await extract('pdf', pdf, { fileName: 'Price list.pdf' })).title, 'Price list');
    });
  });

  it('of Word documents keeps headings, tables and the title', async () => {
    const body =
      docxParagraph('Returns', 'H1') +
      docxParagraph('30 days.') +
      docxTable([
        ['S', '1'],
        ['M', '2'],
      ]);
    const { title, text } = await extract('docx', docxOf(body, { title: 'A &amp; B' }));
    assert.deepEqual(
      [title, text],
      ['A & B', '# Returns\n\n30 days.\n\n| S | 1 |\n| --- | --- |\n| M | 2 |'],
    );
    assert.equal((await extract('docx', docxOf(body))).title, 'Returns');
  });

  describe('of hostile files', () => {
    const endless = deflateSync(
      Buffer.concat([Buffer.from('BT /F1 9 Tf '), Buffer.alloc(150_000_000, '(a) Tj\n')]),
    );
    const files: [name: string, format: Format, bytes: () => string | Buffer, code: RegExp][] = [
      ['a scan', 'pdf', () => pdfOf([[], []]), /no_text/],
      ['a PDF with a password', 'pdf', protectedPdf, /protected/],
      ['a PDF of random bytes', 'pdf', () => randomBytes(10_000), /broken/],
      ['a cut PDF', 'pdf', () => pdfOf([[{ text: 'x' }]]).subarray(0, 200), /broken|no_text/],
      ['a PDF without objects', 'pdf', () => sampleFiles['application/pdf']!(), /broken|no_text/],
      [
        'a PDF that expands to hundreds of megabytes',
        'pdf',
        () => pdfOf([[]], { stream: endless }),
        /too_large/,
      ],
      [
        'a PDF with itself as its pages',
        'pdf',
        () => Buffer.from(pdfOf([[]]).toString('latin1').replace('/Kids[5', '/Kids[2'), 'latin1'),
        /broken|no_text/,
      ],
      ['a Word document with a password', 'docx', () => sampleFiles['application/msword']!(), /protected/],
      ['a Word document of random bytes', 'docx', () => randomBytes(10_000), /broken/],
      ['a cut Word document', 'docx', () => docxOf(docxParagraph('x')).subarray(0, 300), /broken/],
      ['another ZIP file', 'docx', () => zipOf([{ name: 'a', content: 'b' }]), /broken/],
      ['a ZIP bomb', 'docx', () => docxOf('<w:p/>'.repeat(20_000_000), { claimedSize: 100 }), /too_large/],
      [
        'a document of 300,000 paragraphs',
        'docx',
        () => docxOf(docxParagraph('x').repeat(300_000)),
        /too_large/,
      ],
      ['a page of 20,000 open tags', 'html', () => page('<div>'.repeat(20_000)), /broken/],
      ['a page of scripts', 'html', () => page('<div id="root"></div><script>render()</script>'), /no_text/],
      ['more than two million characters', 'text', () => 'word '.repeat(400_001), /too_large/],
      ['a picture as text', 'text', () => sampleFiles['image/png']!(), /broken/],
      ['a picture as CSV', 'csv', () => sampleFiles['image/png']!(), /broken/],
      ['nothing', 'html', () => '', /no_text/],
      ['white space', 'markdown', () => ' \n ', /no_text/],
    ];
    for (const [name, format, bytes, code] of files) {
      it(`${name} fails alone`, async () => {
        const content = bytes();
        const [failed, next] = await Promise.allSettled([
          extract(format, content),
          textOf('text', 'the next one'),
        ]);
        assert.ok(
          failed.status === 'rejected' && failed.reason instanceof ExtractionProblem,
          JSON.stringify(failed).slice(0, 200),
        );
        assert.match(failed.reason.code, code);
        assert.deepEqual(next, { status: 'fulfilled', value: 'the next one' });
      });
    }

    it('files that would run elsewhere are read as text, or not at all', async () => {
      for (const { bytes, name } of hostileFiles()) {
        for (const format of ['html', 'pdf', 'docx', 'markdown', 'text', 'csv'] as const) {
          const found = await extract(format, bytes, { fileName: name }).catch((error) => error);
          if (found instanceof Error)
            assert.ok(found instanceof ExtractionProblem, `${name} as ${format}: ${found}`);
          else assert.doesNotMatch(found.text, /root:x:/, `${name} as ${format}`);
        }
      }
    });
  });

  it('accounts take turns', async () => {
    const order: string[] = [];
    const read = async (account: string) => {
      await extraction.extract({ accountId: account, format: 'text', bytes: Buffer.from('a text') });
      order.push(account);
    };
    await Promise.all(['one', 'one', 'one', 'two'].map(read));
    assert.deepEqual(order, ['one', 'one', 'two', 'one'], 'the first two were waiting before it came');
  });

  it('a page has less time than a file', async () => {
    const hurried = createExtraction({ htmlTimeoutMs: 1 });
    const bytes = Buffer.from('<p>a text</p>');
    await assert.rejects(hurried.extract({ accountId, format: 'html', bytes }), { code: 'timeout' });
    assert.equal((await hurried.extract({ accountId, format: 'text', bytes })).text, '<p>a text</p>');
    await hurried.stop();
  });

  it('an abort ends only its own document', async () => {
    const stop = new AbortController();
    const bytes = Buffer.from('a text');
    const aborted = extraction.extract({ accountId, format: 'text', bytes, signal: stop.signal });
    const next = extraction.extract({ accountId, format: 'text', bytes });
    stop.abort();
    await assert.rejects(aborted, { name: 'AbortError' });
    assert.equal((await next).text, 'a text');
  });
});
