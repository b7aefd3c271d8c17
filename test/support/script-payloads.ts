/**
 * Texts that become code on a careless page: as markup, in an attribute, in an address, in a style, in a template.
 * Each would set `window.pwned` or open a dialog. For everything that shows what strangers have written.
 */
const act = 'window.pwned=1';

const markup = [
  `<script>${act}</script>`,
  `<SCRIPT SRC="data:text/javascript,${act}"></SCRIPT>`,
  `<script>alert(1)</script>`,
  `</textarea><script>${act}</script>`,
  `</title><script>${act}</script>`,
  `</script><script>${act}</script>`,
  `<img src=x onerror="${act}">`,
  `<img src=x onerror=${act}//`,
  `<IMG SRC=/ onerror="alert(String.fromCharCode(88,83,83))">`,
  `<img src="x" onload="${act}" style="animation-name:x">`,
  `<svg onload="${act}">`,
  `<svg/onload=${act}>`,
  `<svg><script>${act}</script></svg>`,
  `<svg><animate onbegin="${act}" attributeName=x dur=1s>`,
  `<svg><a xlink:href="javascript:${act}"><text x=20 y=20>x</text></a></svg>`,
  `<body onload="${act}">`,
  `<iframe src="javascript:${act}"></iframe>`,
  `<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>`,
  `<object data="javascript:${act}"></object>`,
  `<embed src="javascript:${act}">`,
  `<video><source onerror="${act}"></video>`,
  `<audio src=x onerror="${act}">`,
  `<details open ontoggle="${act}">x</details>`,
  `<marquee onstart="${act}">x</marquee>`,
  `<input autofocus onfocus="${act}">`,
  `<select autofocus onfocus="${act}"></select>`,
  `<form><button formaction="javascript:${act}">x</button></form>`,
  `<isindex action="javascript:${act}" type=image>`,
  `<math><mtext></form><form><mglyph><style></math><img src onerror=${act}>`,
  `<noscript><p title="</noscript><img src=x onerror=${act}>">`,
  `<template><script>${act}</script></template>`,
  `<meta http-equiv="refresh" content="0;url=javascript:${act}">`,
  `<link rel="stylesheet" href="javascript:${act}">`,
  `<base href="javascript:${act}//">`,
  `<style>@import 'javascript:${act}';</style>`,
  `<div style="background:url(javascript:${act})">x</div>`,
  `<div style="width:expression(${act})">x</div>`,
  `<a href="javascript:${act}">click</a>`,
  `<a href="data:text/html,<script>${act}</script>">click</a>`,
  `<!--><script>${act}</script>-->`,
  `<![CDATA[<script>${act}</script>]]>`,
];

const quotes = [
  `" onmouseover="${act}`,
  `' onfocus='${act}' autofocus='`,
  `"><script>${act}</script>`,
  `'><img src=x onerror=${act}>`,
  '`-alert(1)-`',
  `";${act};//`,
  `';${act};//`,
  `\\";${act};//`,
];

const addresses = [
  `javascript:${act}`,
  `JaVaScRiPt:${act}`,
  `java\tscript:${act}`,
  `data:text/html;base64,PHNjcmlwdD53aW5kb3cucHduZWQ9MTwvc2NyaXB0Pg==`,
  `vbscript:msgbox(1)`,
  `https://example.com/"onmouseover="${act}`,
  `https://example.com/?q=<script>${act}</script>`,
  `[click](javascript:${act})`,
  `![x](x"onerror="${act})`,
];

const templates = [
  `{{constructor.constructor('${act}')()}}`,
  `\${${act}}`,
  `<%= ${act} %>`,
  `__proto__[innerHTML]=<img/src/onerror=${act}>`,
];

export const scriptPayloads: readonly string[] = [...markup, ...quotes, ...addresses, ...templates];
