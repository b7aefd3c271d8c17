/**
 * Plain text from HTML mail, and where its quoted history begins. One pass over the tokens: it builds no tree, never
 * renders or loads anything, and a hostile mail cannot make it slow.
 */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

export interface HtmlText {
  text: string;
  /** Null: no mail program marked a history. */
  quoted: string | null;
}

const skipped = new Set([
  'script',
  'style',
  'head',
  'title',
  'template',
  'noscript',
  'svg',
  'math',
  'object',
]);
const blocks = new Set(
  'address article aside blockquote center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody tr ul'.split(
    ' ',
  ),
);
/** Of the value of an attribute. */
const maxValue = 20_000;
/** As entities: soft hyphens and joiners, which are not shown. */
const invisible = new Set([0xad, 0x200c, 0x200d]);
/** Pieces of the text of a link. */
const maxWords = 500;
const maxText = 1_000_000;

/** By these attributes mail programs mark the history. */
const historyClasses = new Set(
  'gmail_quote gmail_quote_container yahoo_quoted protonmail_quote moz-cite-prefix zmail_extra tutanota_quote'.split(
    ' ',
  ),
);
const historyIds =
  /^(?:divRplyFwdMsg|appendonsend|mail-editor-reference-message-container|OLK_SRC_BODY_SECTION|replySplit)\b/i;
const historyStyle = /border-top:\s{0,5}solid #(?:e1e1e1|b5c4df)\b/i;

function marksHistory(attributes: ReadonlyMap<string, string>): boolean {
  const classes = attributes.get('class')?.toLowerCase().split(/\s+/) ?? [];
  return (
    classes.some((one) => historyClasses.has(one)) ||
    historyIds.test(attributes.get('id') ?? '') ||
    attributes.get('type')?.toLowerCase() === 'cite' ||
    historyStyle.test(attributes.get('style') ?? '')
  );
}

export function htmlToText(html: string): HtmlText {
  // Joined at the end: looking at the end of a text that grows costs its whole length each time.
  const pieces: string[] = [];
  let length = 0;
  let end = '';
  let historyAt: number | null = null;
  let skipUntil: string | null = null;
  const links: { href: string; from: number }[] = [];
  let tag = '';
  let attributes = new Map<string, string>();
  let attribute = '';
  let value = '';
  const lower = html.toLowerCase();
  /** Elements without an end from here on: looked for once. */
  const endless = new Set<string>();
  const hasEnd = (name: string, from: number) => {
    if (endless.has(name)) return false;
    if (lower.includes(`</${name}`, from)) return true;
    endless.add(name);
    return false;
  };
  const write = (piece: string) => {
    if (piece === '' || length >= maxText) return;
    pieces.push(piece);
    length += piece.length;
    end = (end + piece.slice(-2)).slice(-2);
  };
  const line = () => {
    if (length > 0 && !end.endsWith('\n')) write('\n');
  };
  const writeText = (text: string) => {
    if (skipUntil === null && length < maxText) write(collapse(text, end));
  };
  const breakFor = (name: string) => {
    if (name === 'br') write('\n');
    else if (name === 'p' || name === 'blockquote') {
      line();
      if (length > 0 && end !== '\n\n') write('\n');
    } else if (blocks.has(name)) line();
  };
  const open = (endIndex: number, closesItself: boolean) => {
    if (skipUntil !== null || length >= maxText) return;
    if (skipped.has(tag)) {
      if (!closesItself && hasEnd(tag, endIndex)) skipUntil = tag;
      return;
    }
    if (historyAt === null && marksHistory(attributes) && !isForward(html, endIndex)) {
      line();
      historyAt = length;
    }
    breakFor(tag);
    if (tag === 'li') write('- ');
    if (tag === 'img') write(altOf(attributes));
    if (tag === 'a') links.push({ href: attributes.get('href')?.trim() ?? '', from: pieces.length });
  };
  const close = (name: string) => {
    if (skipUntil !== null || length >= maxText) {
      if (name === skipUntil) skipUntil = null;
      return;
    }
    breakFor(name);
    if (name === 'td' || name === 'th') write(' ');
    const link = name === 'a' ? links.pop() : undefined;
    // Links in links would be joined again and again.
    if (link) write(addressOf(link.href, pieces.slice(link.from, link.from + maxWords).join('')));
  };
  const ignore = () => {};
  const callbacks: TokenizerCallbacks = {
    ontext: (from, to) => writeText(html.slice(from, to)),
    ontextentity: (code) => {
      if (!invisible.has(code)) writeText(characterOf(code));
    },
    onopentagname: (from, to) => {
      tag = lower.slice(from, to);
      attributes = new Map();
    },
    onattribname: (from, to) => {
      attribute = lower.slice(from, to);
      value = '';
    },
    onattribdata: (from, to) => {
      value += html.slice(from, Math.min(to, from + maxValue));
    },
    onattribentity: (code) => {
      value += characterOf(code);
    },
    onattribend: () => {
      if (!attributes.has(attribute)) attributes.set(attribute, value.slice(0, maxValue));
    },
    onopentagend: (at) => open(at, false),
    onselfclosingtag: (at) => open(at, true),
    onclosetag: (from, to) => close(lower.slice(from, to)),
    oncdata: ignore,
    oncomment: ignore,
    ondeclaration: ignore,
    onprocessinginstruction: ignore,
    onend: ignore,
  };
  const tokenizer = new Tokenizer({ recognizeSelfClosing: true }, callbacks);
  tokenizer.write(html);
  tokenizer.end();
  const text = pieces.join('');
  const whole = tidy(text);
  if (historyAt === null) return { text: whole, quoted: null };
  return { text: tidy(text.slice(0, historyAt)), quoted: tidy(text.slice(historyAt)) || null };
}

/** Control characters are left out. */
const characterOf = (code: number) =>
  code < 32 && code !== 10 && code !== 9 ? '' : String.fromCodePoint(code);

/** A forwarded message is what the person wants to show, not history. */
const isForward = (html: string, at: number) =>
  /forwarded message|mensagem encaminhada|mensaje reenviado|weitergeleitete nachricht/i.test(
    html.slice(at, at + 300),
  );

function collapse(piece: string, before: string): string {
  const text = piece.replaceAll(/[\s\u00a0]+/g, ' ');
  return before === '' || /\s$/.test(before.slice(-1)) ? text.trimStart() : text;
}

function altOf(attributes: ReadonlyMap<string, string>): string {
  const alt = attributes.get('alt')?.trim().slice(0, 200);
  return alt ? `[${alt}]` : '';
}

/** The address of a link behind its words, unless they are the same. */
function addressOf(href: string, words: string): string {
  if (!/^(?:https?:|mailto:|tel:)/i.test(href) || href.length > 2_000) return '';
  const bare = (text: string) =>
    text
      .trim()
      .replace(/^(?:https?:\/\/|mailto:|tel:)/i, '')
      .replace(/\/$/, '')
      .toLowerCase();
  if (bare(words) === bare(href) || words.trim() === '') return words.trim() === '' ? href : '';
  return ` (${href.replace(/^(?:mailto|tel):/i, '')})`;
}

function tidy(text: string): string {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const kept = line.trim();
    if (kept !== '' || (lines.length > 0 && lines.at(-1) !== '')) lines.push(kept);
  }
  while (lines.at(-1) === '') lines.pop();
  return lines.join('\n');
}
