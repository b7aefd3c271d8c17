/**
 * Makes the CSS of a mail harmless: no address is loaded, nothing is laid over the page, no old script in a style. The
 * frame's policy blocks all of this too.
 */

export interface CssRules {
  /** Addresses of pictures stay, because the reader asked for them. */
  remoteImages: boolean;
}

/** A style attribute. */
export function cleanStyle(style: string, rules: CssRules): string {
  return plainCss(style)
    .replace(/[{}]/g, '')
    .split(';')
    .map((declaration) => cleanDeclaration(declaration, rules))
    .filter((declaration) => declaration !== '')
    .join(';');
}

/** A style sheet, without the rules that load something. */
export function cleanSheet(sheet: string, rules: CssRules): string {
  const parts = plainCss(sheet)
    .replace(/@(?:import|charset|namespace)[^;{}]*;?/gi, '')
    .replace(/@font-face\s*\{[^}]*\}?/gi, '')
    .match(/[{};]|[^{};]+/g);
  // A selector or a media query comes before a brace, a declaration before everything else.
  const clean = parts?.map((part, index) =>
    parts[index + 1] === '{' || part.length === 1 ? part : cleanDeclaration(part, rules),
  );
  return clean?.join('') ?? '';
}

/** Without comments and escapes, which hide words, and without `<`, which could end the style element. */
function plainCss(css: string): string {
  return css
    .replace(/<!--|-->/g, '')
    .replace(/\/\*[\s\S]*?(?:\*\/|$)/g, '')
    .replace(
      /\\(?:([0-9a-f]{1,6})\s?|([\s\S]))/gi,
      (_all, code: string | undefined, one: string | undefined) =>
        code ? characterOf(Number.parseInt(code, 16)) : (one ?? ''),
    )
    .replace(/[<\0\\]/g, '');
}

const characterOf = (code: number) => (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '');

const scripted = /expression\s*\(|javascript\s*:|vbscript\s*:|behavior\s*:|-moz-binding|@import/i;
const overlaid = /^position\s*:\s*(?:fixed|sticky|absolute)/i;
const loading = /(?:url|image|image-set|-webkit-image-set|cross-fade|element|src|attr|paint)\s*\(/i;
const remoteUrl = /^[a-z-]+\s*:[^()]*url\(\s*(["']?)https?:\/\/[^()"'\s]+\1\s*\)[^()]*$/i;

function cleanDeclaration(declaration: string, { remoteImages }: CssRules): string {
  const trimmed = declaration.trim();
  if (scripted.test(trimmed) || overlaid.test(trimmed)) return '';
  if (!loading.test(trimmed)) return trimmed;
  return remoteImages && remoteUrl.test(trimmed) ? trimmed : '';
}

/** Whether a style would load a picture if it were allowed to. */
export const loadsPicture = (css: string) => /url\(\s*["']?https?:/i.test(plainCss(css));
