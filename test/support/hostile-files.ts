/** Files that would run, fetch or mislead if anything treated them as more than bytes. */

export interface HostileFile {
  name: string;
  bytes: Buffer;
}

/** Sets `window.pwned` wherever it is run, so that a test can check it. */
const hostileScript = 'window.pwned=1;try{top.pwned=1;parent.pwned=1}catch{}';
const tag = `<script>${hostileScript}</script>`;

export function hostileFiles(): HostileFile[] {
  const text = (name: string, content: string) => ({ name, bytes: Buffer.from(content) });
  return [
    text('page.html', `<!doctype html><html><body>${tag}</body></html>`),
    text('fragment.htm', `<img src=x onerror="${hostileScript}">`),
    text('page.xhtml', `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">${tag}</html>`),
    text('picture.svg', `<svg xmlns="http://www.w3.org/2000/svg" onload="${hostileScript}">${tag}</svg>`),
    text('entity.svg', '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg>&x;</svg>'),
    text('style.xml', `<?xml-stylesheet href="data:text/xsl,${encodeURIComponent(tag)}"?><x/>`),
    text('list.m3u8', '#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n'),
    text('list.pls', '[playlist]\nFile1=http://127.0.0.1/\nNumberOfEntries=1\n'),
    text('concat.txt', "ffconcat version 1.0\nfile 'file:///etc/passwd'\n"),
    text('manifest.mpd', '<MPD><Period><BaseURL>file:///etc/passwd</BaseURL></Period></MPD>'),
    text('captions.vtt', `WEBVTT\n\n00:00.000 --> 00:01.000\n${tag}\n`),
    text('script.js', hostileScript),
    text('shell.sh', '#!/bin/sh\ntouch /tmp/pwned\n'),
    text('frame.mhtml', `MIME-Version: 1.0\nContent-Type: text/html\n\n${tag}`),
    text('formula.csv', "=cmd|' /C calc'!A0,@SUM(1),+1,-1\n"),
    text('program.hta', `<hta:application>${tag}`),
    {
      name: 'script.pdf',
      bytes: Buffer.from(
        `%PDF-1.4\n1 0 obj\n<</Type/Catalog/OpenAction<</S/JavaScript/JS(app.alert(1))>>>>\nendobj\ntrailer\n<</Root 1 0 R>>\n%%EOF\n`,
      ),
    },
  ];
}

/** Two formats at once: the start of an image, with a page or a script after it. */
export function polyglotFiles(): (HostileFile & { contentType: string })[] {
  const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==', 'base64');
  const script = Buffer.from(`/*${gif.toString('latin1')}*/${hostileScript}`, 'latin1');
  return [
    { name: 'gif-page.gif', contentType: 'image/gif', bytes: Buffer.concat([gif, Buffer.from(tag)]) },
    {
      name: 'gif-script.gif',
      contentType: 'image/gif',
      bytes: Buffer.concat([gif, Buffer.from('=1;'), script]),
    },
    { name: 'page.txt', contentType: 'text/plain', bytes: Buffer.from(`<!doctype html>${tag}`) },
    { name: 'page.csv', contentType: 'text/csv', bytes: Buffer.from(`<html>${tag}`) },
    {
      name: 'page.pdf',
      contentType: 'application/pdf',
      bytes: Buffer.from(
        `%PDF-1.4\n${tag}\n1 0 obj<</OpenAction<</S/JavaScript/JS(${hostileScript})>>>>endobj\n%%EOF\n`,
      ),
    },
  ];
}
