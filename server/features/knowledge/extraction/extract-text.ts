/** Markdown and plain text, as they are. */
import { decodeText } from './extracted-text.ts';
import type { Extracted, ExtractionRequest } from './extraction.ts';

export function extractPlainText({ bytes }: ExtractionRequest): Extracted {
  return { title: '', text: decodeText(bytes), language: null, page: null };
}

/** The title is the first heading of the first level. */
export function extractMarkdown({ bytes }: ExtractionRequest): Extracted {
  const text = decodeText(bytes);
  const title = /^# +(\S.{0,1000})$/m.exec(text)?.[1] ?? '';
  return { title: title.replace(/ +#+\s*$/, '').replace(/[*`]/g, ''), text, language: null, page: null };
}
