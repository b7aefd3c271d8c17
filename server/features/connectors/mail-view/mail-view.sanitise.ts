/**
 * Reduces the HTML of a mail to what a reader needs: text, tables, pictures, links and harmless styles. Everything else
 * is left out, not repaired. The result is written anew, so nothing depends on how a browser reads broken markup.
 */
import sanitizeHtml from 'sanitize-html';
import { contentIdOf } from './mail-view.content-id.ts';
import { cleanSheet, cleanStyle, loadsPicture } from './mail-view.css.ts';

export interface MailHtml {
  html: string;
  remoteImages: boolean;
  /** Pictures inside the mail by their Content-ID, as data URLs. */
  inlineImages: ReadonlyMap<string, string>;
}

export interface CleanMail {
  /** For the body of the document. */
  body: string;
  /** For a style element. */
  sheet: string;
  /** Pictures that were left out because they would be loaded from elsewhere. */
  blockedImages: number;
  /** The mail chooses colours, so it may be unreadable on another background. */
  hasColors: boolean;
  /** Only its beginning is here. */
  isCut: boolean;
}

const tags = (
  'a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del dfn div dl dt ' +
  'em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p pre q s samp ' +
  'section small span strike strong sub sup table tbody td tfoot th thead tr tt u ul var wbr'
).split(' ');

/** Their content is not text of the mail. */
const droppedWithContent = (
  'script style title template textarea option select noscript noembed noframes xmp plaintext svg math iframe object ' +
  'applet embed video audio canvas frameset'
).split(' ');

const common = ['style', 'class', 'dir', 'lang', 'title', 'align', 'valign', 'width', 'height', 'bgcolor'];
const attributes = {
  '*': common,
  a: ['href', 'target', 'rel'],
  img: ['src', 'alt', 'border', 'referrerpolicy', 'loading'],
  table: ['border', 'cellpadding', 'cellspacing'],
  td: ['colspan', 'rowspan', 'nowrap'],
  th: ['colspan', 'rowspan', 'scope'],
  col: ['span'],
  colgroup: ['span'],
  font: ['color', 'face', 'size'],
  ol: ['start', 'type'],
};

/** Five times as much as large mail programs show. */
const maxLength = 500_000;
/** Deeper than any mail program writes, and shallow enough for every browser. */
const maxDepth = 500;
const picture = /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp);base64,[a-z0-9+/=\s]*$/i;
const linkSchemes = /^(?:https?:\/\/|mailto:|tel:)/i;
/** Control and invisible characters: browsers skip some of them in an address. */
const plainAddress = (text: string) => text.replace(/\p{C}/gu, '').trim();

export function sanitiseMail({ html: whole, remoteImages, inlineImages }: MailHtml): CleanMail {
  const html = withoutDepth(whole.slice(0, maxLength));
  let blockedImages = 0;
  let hasColors = /<[a-z][^>]{0,300}(?:\bbgcolor|\bbackground|\bcolor)/i.test(html);
  const rules = { remoteImages };
  const sheets = sheetsOf(html);
  const block = (css: string) => {
    if (!remoteImages && loadsPicture(css)) blockedImages++;
  };
  for (const sheet of sheets) {
    block(sheet);
    hasColors ||= /background|(?:^|[^-])color/i.test(sheet);
  }

  const pictureOf = (given: Attributes): Attributes => {
    const { src = '', ...rest } = given;
    const address = plainAddress(src).replace(/^\/\//, 'https://');
    const cid = /^cid:(.+)$/i.exec(address)?.[1];
    if (cid !== undefined) {
      const inline = inlineImages.get(contentIdOf(cid)) ?? '';
      return picture.test(inline) ? { ...rest, src: inline } : rest;
    }
    if (picture.test(address)) return { ...rest, src: address };
    if (!/^https?:\/\//i.test(address) || isPixel(given)) return rest;
    if (remoteImages) return { ...rest, src: address, referrerpolicy: 'no-referrer', loading: 'lazy' };
    blockedImages++;
    return { ...rest, class: 'tb-blocked' };
  };

  const body = sanitizeHtml(html, {
    allowedTags: tags,
    allowedAttributes: attributes,
    nonTextTags: droppedWithContent,
    // Our own transformation decides; these are what is left afterwards.
    allowedSchemes: ['http', 'https', 'mailto', 'tel', 'data'],
    allowedSchemesByTag: { a: ['http', 'https', 'mailto', 'tel'], img: ['http', 'https', 'data'] },
    allowProtocolRelative: false,
    disallowedTagsMode: 'discard',
    nestingLimit: maxDepth,
    // The style attribute was cleaned already.
    parseStyleAttributes: false,
    transformTags: {
      '*': (tagName, given) => {
        const { style, bgcolor, ...rest } = given;
        let attribs: Attributes = rest;
        if (style !== undefined) {
          block(style);
          attribs = { ...attribs, style: cleanStyle(style, rules) };
        }
        if (bgcolor !== undefined && /^#?[a-z0-9]{1,30}$/i.test(bgcolor)) attribs = { ...attribs, bgcolor };
        if (tagName === 'img') attribs = pictureOf(attribs);
        if (tagName === 'a') attribs = linkOf(attribs);
        // The document has a body of its own.
        if (tagName === 'body') return { tagName: 'div', attribs: { ...attribs, class: 'tb-body' } };
        return { tagName, attribs };
      },
    },
  });
  return {
    body,
    sheet: sheets.map((sheet) => cleanSheet(sheet, rules)).join('\n'),
    blockedImages,
    hasColors,
    isCut: html.length < whole.length,
  };
}

const maxSheetLength = 200_000;

/** The content of every style element. Read by position: a search to the end for each would take too long. */
function sheetsOf(html: string): string[] {
  const lower = html.toLowerCase();
  const sheets: string[] = [];
  let length = 0;
  for (let at = lower.indexOf('<style'); at >= 0; ) {
    const from = lower.indexOf('>', at) + 1;
    const to = from > 0 ? lower.indexOf('</style', from) : -1;
    length += to - from;
    if (to < 0 || length > maxSheetLength) break;
    sheets.push(html.slice(from, to));
    at = lower.indexOf('<style', to);
  }
  return sheets;
}

/** Not counted: the parser closes them itself, or they have no content. */
const unclosed = new Set(
  'area base br col dd dt embed frame hr img input li link meta option p param source tbody td tfoot th thead tr track wbr'.split(
    ' ',
  ),
);

/** Cut off where it is nested deeper than any mail: the parser's time grows with the square of the depth. */
function withoutDepth(html: string): string {
  const open: string[] = [];
  for (const { 1: end, 2: written = '', index } of html.matchAll(/<(\/?)([a-z][a-z0-9]*)/gi)) {
    const name = written.toLowerCase();
    if (unclosed.has(name)) continue;
    if (end) {
      const at = open.lastIndexOf(name);
      if (at >= 0) open.length = at;
    } else if (open.push(name) > maxDepth) return html.slice(0, index);
  }
  return html;
}

type Attributes = { [name: string]: string };

/** Opens a page of its own, which learns nothing of this one. The title is the real address. */
function linkOf({ href = '', ...rest }: Attributes): Attributes {
  const address = plainAddress(href);
  const { title: _title, ...others } = rest;
  if (!linkSchemes.test(address)) return others;
  return { ...others, href: address, title: address, target: '_blank', rel: 'noopener noreferrer nofollow' };
}

/** An invisible picture only tells the sender that the mail was opened. */
const isPixel = ({ width, height }: Attributes) => isTiny(width) && isTiny(height);
const isTiny = (size: string | undefined) => size !== undefined && /^\s*[01](?:px)?\s*$/.test(size);
