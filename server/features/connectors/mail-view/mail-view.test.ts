import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { mailChannelOf, receiveMail } from '../../../../test/support/mail.ts';
import { mailVectors } from '../../../../test/support/mail-vectors.ts';
import { joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sanitiseMail } from './mail-view.sanitise.ts';

const clean = (html: string, remoteImages = false, inlineImages = new Map<string, string>()) =>
  sanitiseMail({ html, remoteImages, inlineImages });
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('the sanitiser of mails', () => {
  it('keeps text, tables, links and colours', () => {
    const { body } = clean(
      '<table bgcolor="#eee"><tr><td style="color:red;padding:4px">Hi <a href="https://a.example/x">you</a></td></tr></table>',
    );
    assert.match(body, /<table bgcolor="#eee">.*<td style="color:red;padding:4px">Hi /);
    assert.match(
      body,
      /<a href="https:\/\/a.example\/x" title="https:\/\/a.example\/x" target="_blank" rel="noopener noreferrer nofollow">you<\/a>/,
    );
  });

  it('a link shows its real address, whatever its title says', () => {
    assert.match(
      clean('<a title="https://bank.example" href="https://evil.example">x</a>').body,
      /title="https:\/\/evil.example"/,
    );
  });

  it('counts remote pictures and shows them only when asked, without trackers', () => {
    const html =
      '<img src="https://a.example/a.png"><div style="background:url(https://a.example/b.png)">x</div><img src="https://a.example/p.gif" width=1 height=1>';
    const hidden = clean(html);
    assert.equal(hidden.blockedImages, 2);
    assert.doesNotMatch(hidden.body, /a\.example/);
    const shown = clean(html, true);
    assert.match(shown.body, /src="https:\/\/a.example\/a.png" referrerpolicy="no-referrer"/);
    assert.match(shown.body, /url\(https:\/\/a.example\/b.png\)/);
    assert.doesNotMatch(shown.body, /p\.gif/);
  });

  it('pictures inside the mail come with it', () => {
    const { body } = clean(
      '<img src="cid:logo%40x"><img src="cid:other">',
      false,
      new Map([['logo@x', `data:image/png;base64,${pixel}`]]),
    );
    assert.equal(body.match(/src="data:image\/png/g)?.length, 1);
  });

  it('style sheets keep their rules, without anything that loads', () => {
    const { sheet } = clean(
      '<style><!-- @import "https://a.example/x.css"; p.x { color: red; background: url(https://a.example/y) } @media (max-width:600px){ td { width:100% } } --></style>',
    );
    assert.match(sheet, /p\.x \{color: red;/);
    assert.match(sheet, /@media \(max-width:600px\)\{ td \{width:100%\}/);
    assert.doesNotMatch(sheet, /a\.example|import/);
  });

  it('shows the beginning of what is too long or nested too deep', () => {
    assert.equal(clean('<p>x</p>'.repeat(100_000)).isCut, true);
    assert.equal(clean(`<p>x</p>${'<div>'.repeat(1_000_000)}`).isCut, true);
    assert.equal(clean('<p>x</p>').isCut, false);
  });

  it('none of the vectors leaves anything that could run or load', () => {
    for (const { name, html } of mailVectors('https://tracker.example', () => 'window.ran=1')) {
      const { body, sheet } = clean(html);
      assert.doesNotMatch(body, /<(?!\/?(?:a|b|p|div|img|table|tr|td|tbody|ul|li|br)\b)[a-z!?/]/i, name);
      assert.doesNotMatch(body, /<[^>]*\son[a-z]+\s*=|(?:src|href)="(?!https?:|mailto:|data:image)/i, name);
      assert.doesNotMatch(body.replaceAll(/&lt;.*/g, ''), /(?:src|url\()=?"?https:\/\/tracker/i, name);
      assert.doesNotMatch(sheet, /tracker\.example|<|@import/i, name);
    }
  });
});

describe('the view of a mail', () => {
  let service: TestService;
  let path = '';
  before(async () => {
    service = await joinTestService();
    const channel = await mailChannelOf(service);
    const html = '<p>Hello</p><img src="cid:logo"><img src="https://a.example/a.png"><script>x()</script>';
    const id = await receiveMail(service, channel, 'mail:1', { html, pictures: { logo: pixel } });
    path = `/sessions/mail:1/messages/${id}/mail/view`;
  });
  after(() => service.close());

  const fetchView = (url: string) => service.call('GET', url, { token: null });

  it('200 a signed address of a document without scripts, origin and remote content', async () => {
    const { status, body } = await service.call('GET', path);
    assert.equal(status, 200);
    assert.deepEqual(
      { blockedImages: body.blockedImages, isCut: body.isCut },
      { blockedImages: 1, isCut: false },
    );
    const view = await fetchView(body.url);
    assert.equal(view.status, 200);
    assert.match(
      String(view.headers['content-security-policy']),
      /^sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:;/,
    );
    assert.equal(view.headers['x-content-type-options'], 'nosniff');
    assert.match(view.text, /<p>Hello<\/p>.*src="data:image\/png;base64,/s);
    assert.doesNotMatch(view.text, /<script|a\.example/);
  });

  it('remote pictures only in the view that asked for them', async () => {
    const { body } = await service.call('GET', `${path}?remoteImages=true&theme=dark`);
    const view = await fetchView(body.url);
    assert.match(String(view.headers['content-security-policy']), /img-src data: https: http:;/);
    assert.match(view.text, /https:\/\/a\.example\/a\.png/);
  });

  it('403 for an address that was changed or has expired', async () => {
    const { body } = await service.call('GET', path);
    for (const changed of [
      body.url.replace('images=own', 'images=all'),
      body.url.replace('theme=light', 'theme=dark'),
      body.url.replace(/expires=\d/, 'expires=9'),
      `${body.url}&more=1`,
      body.url.replace(/signature=.*/, 'signature='),
    ]) {
      assert.equal((await fetchView(changed)).status, 403, changed);
    }
  });

  it('404 for a message without a mail, and for an unknown one', async () => {
    const { body } = await service.call('POST', '/messages', {
      body: { content: 'x', fromChannelIdentifier: 'api', sessionId: 'plain' },
    });
    assert.equal(
      (await service.call('GET', `/sessions/plain/messages/${body.userMessage.id}/mail/view`)).status,
      404,
    );
    assert.equal((await service.call('GET', '/sessions/mail:1/messages/nothing/mail/view')).status, 404);
  });
});
