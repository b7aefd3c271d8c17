/**
 * Plain text from HTML mail, and where its quoted history begins. One pass over the text: it never renders or loads
 * anything, and a hostile mail cannot make it slow.
 */
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
const maxTag = 20_000;
const none: ReadonlyMap<string, string> = new Map();
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
  let at = 0;
  const links: { href: string; from: number }[] = [];
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
  while (at < html.length && length < maxText) {
    const open = html.indexOf('<', at);
    if (skipUntil === null) {
      const piece = html.slice(at, open === -1 ? undefined : open);
      if (piece !== '') write(collapse(decodeEntities(piece), end));
    }
    if (open === -1) break;
    if (html.startsWith('<!--', open)) {
      const end = html.indexOf('-->', open + 4);
      at = end === -1 ? html.length : end + 3;
      continue;
    }
    const close = html.indexOf('>', open + 1);
    if (close === -1) break;
    const tag = html.slice(open + 1, Math.min(close, open + maxTag));
    at = close + 1;
    const name = /^\/?([a-z][a-z0-9]*)/i.exec(tag)?.[1]?.toLowerCase();
    if (name === undefined) {
      if (!/^[!?/]/.test(tag)) write(skipUntil === null ? '<' : '');
      if (!/^[!?/]/.test(tag)) at = open + 1;
      continue;
    }
    const isEnd = tag.startsWith('/');
    if (skipUntil !== null) {
      if (isEnd && name === skipUntil) skipUntil = null;
      continue;
    }
    if (!isEnd && skipped.has(name)) {
      if (!tag.endsWith('/') && hasEnd(name, at)) skipUntil = name;
      continue;
    }
    const attributes = isEnd ? none : attributesOf(tag);
    if (!isEnd && historyAt === null && marksHistory(attributes) && !isForward(html, at)) {
      line();
      historyAt = length;
    }
    if (name === 'br') write('\n');
    else if (name === 'p' || name === 'blockquote') {
      line();
      if (length > 0 && end !== '\n\n') write('\n');
    } else if (blocks.has(name)) line();
    else if (name === 'td' || name === 'th') {
      if (isEnd) write(' ');
    }
    if (name === 'li' && !isEnd) write('- ');
    if (name === 'img' && !isEnd) write(altOf(attributes));
    if (name === 'a') {
      if (!isEnd) links.push({ href: hrefOf(attributes), from: pieces.length });
      else {
        const link = links.pop();
        if (link) write(addressOf(link.href, pieces.slice(link.from).join('')));
      }
    }
  }
  const text = pieces.join('');
  const whole = tidy(text);
  if (historyAt === null) return { text: whole, quoted: null };
  return { text: tidy(text.slice(0, historyAt)), quoted: tidy(text.slice(historyAt)) || null };
}

/** A forwarded message is what the person wants to show, not history. */
const isForward = (html: string, at: number) =>
  /forwarded message|mensagem encaminhada|mensaje reenviado|weitergeleitete nachricht/i.test(
    html.slice(at, at + 300),
  );

function collapse(piece: string, before: string): string {
  const text = piece.replaceAll(/[\s\u00a0]+/g, ' ');
  return before === '' || /\s$/.test(before.slice(-1)) ? text.trimStart() : text;
}

/** Of the inside of a tag, by their names in lower case. Every character is looked at once. */
function attributesOf(tag: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  // Matches at every place where it is tried, so that nothing is looked at twice.
  const token = /[\s/]+|([^\s/=]+)(\s*=\s*)?|=/gy;
  token.lastIndex = /^\/?[a-z0-9]*/i.exec(tag)![0].length;
  for (let match = token.exec(tag); match; match = token.exec(tag)) {
    const [, name, equals] = match;
    if (name === undefined || equals === undefined) continue;
    const quote = tag[token.lastIndex];
    const isQuoted = quote === '"' || quote === "'";
    const from = token.lastIndex + (isQuoted ? 1 : 0);
    const end = isQuoted ? tag.indexOf(quote, from) : endOfWord(tag, from);
    const to = end === -1 ? tag.length : end;
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, tag.slice(from, to));
    token.lastIndex = to + (isQuoted ? 1 : 0);
  }
  return found;
}

function endOfWord(text: string, from: number): number {
  const space = /\s/g;
  space.lastIndex = from;
  return space.exec(text)?.index ?? -1;
}

function altOf(attributes: ReadonlyMap<string, string>): string {
  const alt = attributes.get('alt')?.trim().slice(0, 200);
  return alt ? `[${decodeEntities(alt)}]` : '';
}

const hrefOf = (attributes: ReadonlyMap<string, string>) =>
  decodeEntities(attributes.get('href') ?? '').trim();

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

const named: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  euro: '€',
  pound: '£',
  yen: '¥',
  cent: '¢',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  deg: '°',
  sect: '§',
  para: '¶',
  times: '×',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  aacute: 'á',
  eacute: 'é',
  iacute: 'í',
  oacute: 'ó',
  uacute: 'ú',
  Aacute: 'Á',
  Eacute: 'É',
  Iacute: 'Í',
  Oacute: 'Ó',
  Uacute: 'Ú',
  agrave: 'à',
  egrave: 'è',
  igrave: 'ì',
  ograve: 'ò',
  ugrave: 'ù',
  acirc: 'â',
  ecirc: 'ê',
  icirc: 'î',
  ocirc: 'ô',
  ucirc: 'û',
  atilde: 'ã',
  otilde: 'õ',
  ntilde: 'ñ',
  Ntilde: 'Ñ',
  ccedil: 'ç',
  Ccedil: 'Ç',
  aring: 'å',
  Aring: 'Å',
  aelig: 'æ',
  oslash: 'ø',
  iexcl: '¡',
  iquest: '¿',
  ordf: 'ª',
  ordm: 'º',
  shy: '',
  zwnj: '',
  zwj: '',
  rarr: '→',
  larr: '←',
};

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return named[name] ?? named[String(name).toLowerCase()] ?? all;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    const isSound = code > 31 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return isSound ? String.fromCodePoint(code) : code === 10 ? '\n' : '';
  });
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
