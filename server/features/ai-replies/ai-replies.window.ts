/** Keeps a prompt within a model's window: measures texts and shortens a long conversation. */

/**
 * Three bytes of UTF-8 per token. Real tokenizers take about four letters of English, three of Portuguese or Spanish,
 * two of Cyrillic and one of Chinese, so this overestimates, which is the safe side.
 */
const bytesPerToken = 3;
/** What a provider adds around every message. */
const tokensPerMessage = 4;

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

/** The beginning and the end of the text with a mark between them, or the whole text if it fits. */
export function shorten(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  const mark = '\n[… part left out …]\n';
  const bytes = Buffer.from(text);
  const remaining = Math.max(0, tokens * bytesPerToken - Buffer.byteLength(mark));
  const head = Math.ceil((remaining * 2) / 3);
  // A cut within a character leaves a replacement character at the edge.
  const start = bytes
    .subarray(0, head)
    .toString()
    .replace(/\uFFFD+$/, '');
  const end = bytes
    .subarray(bytes.length - (remaining - head))
    .toString()
    .replace(/^\uFFFD+/, '');
  return `${start}${mark}${end}`;
}

/**
 * The newest of `texts` (oldest first) that fit, without a gap. The newest is always included, shortened if
 * necessary; an older one gets at most a quarter of the space, so that a single pasted log does not displace
 * everything else.
 */
export function fitNewest(texts: string[], tokens: number): { kept: string[]; leftOut: number } {
  const kept: string[] = [];
  let remaining = tokens;
  for (const [age, text] of texts.toReversed().entries()) {
    const shown = shorten(text, age === 0 ? tokens - tokensPerMessage : Math.floor(tokens / 4));
    const cost = estimateTokens(shown) + tokensPerMessage;
    if (age > 0 && cost > remaining) break;
    kept.unshift(shown);
    remaining -= cost;
  }
  return { kept, leftOut: texts.length - kept.length };
}
