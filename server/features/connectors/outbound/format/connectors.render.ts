/** Runs of text as a channel shows them: Telegram's HTML, WhatsApp's signs, or plain words. */
import type { ProviderLimits } from '../../connectors.provider.ts';
import type { Run } from './connectors.markdown.ts';

export type TextFormat = ProviderLimits['format'];

export function render(runs: readonly Run[], format: TextFormat): string {
  if (format === 'html') return renderHtml(runs);
  return runs.map((run) => (format === 'plain' ? run.text : withSigns(run))).join('');
}

/** As the provider counts: Telegram leaves its tags out, Instagram counts bytes. */
export function measure(runs: readonly Run[], format: TextFormat, countsBytes = false): number {
  if (format === 'html') return runs.reduce((sum, { text }) => sum + text.length, 0);
  const text = render(runs, format);
  return countsBytes ? Buffer.byteLength(text) : text.length;
}

/** What a format has no sign for becomes words, so that only signs without a length of their own are left. */
export function spellOut(runs: readonly Run[], format: TextFormat): Run[] {
  if (format === 'html') return [...runs];
  return runs.map(({ href, quote, ...run }, index) => {
    const isLabelled = href !== undefined && !isSameAddress(run.text, href);
    const text = isLabelled ? `${run.text} (${href.replace(/^(?:mailto|tel):/, '')})` : run.text;
    const startsLine = index === 0 || runs[index - 1]!.text.endsWith('\n');
    return { ...run, text: quote && startsLine ? `> ${text}` : text };
  });
}

const isSameAddress = (text: string, href: string) =>
  [text, `${text}/`, `mailto:${text}`, `tel:${text}`, `https://${text}`, `https://${text}/`].includes(href);

function renderHtml(runs: readonly Run[]): string {
  let html = '';
  let isQuoted = false;
  for (const [index, run] of runs.entries()) {
    // The break between two quoted lines belongs to the quote.
    const goesOn: boolean = isQuoted && run.text === '\n' && runs[index + 1]?.quote === true;
    const quoted: boolean = run.quote === true || goesOn;
    if (quoted !== isQuoted) html += quoted ? '<blockquote>' : '</blockquote>';
    isQuoted = quoted;
    html += taggedRun(run);
  }
  return isQuoted ? `${html}</blockquote>` : html;
}

function taggedRun({ text, bold, italic, strike, code, pre, href }: Run): string {
  let html = escapeHtml(text);
  if (code) html = `<code>${html}</code>`;
  if (pre) html = `<pre>${html}</pre>`;
  if (href !== undefined) html = `<a href="${escapeHtml(href).replaceAll('"', '&quot;')}">${html}</a>`;
  if (strike) html = `<s>${html}</s>`;
  if (italic) html = `<i>${html}</i>`;
  return bold ? `<b>${html}</b>` : html;
}

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** WhatsApp's signs work within a line, next to something that is no space. */
function withSigns({ text, bold, italic, strike, code, pre }: Run): string {
  if (pre) return `\`\`\`${text}\`\`\``;
  const signs = `${bold ? '*' : ''}${italic ? '_' : ''}${strike ? '~' : ''}${code ? '`' : ''}`;
  if (signs === '') return text;
  const closing = [...signs].reverse().join('');
  return text
    .split('\n')
    .map((line) => {
      const inner = line.trim();
      return inner === '' ? line : line.replace(inner, () => `${signs}${inner}${closing}`);
    })
    .join('\n');
}
