/**
 * Marks the words of the hit inside its message, by the browser's highlights: the message's own elements stay as they
 * are. Browsers without them show the highlighted message alone.
 */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { conversationHitsQuery } from './hit-data.ts';

const name = 'search-hit';

/** Not in base.css: the build does not know this pseudo-element. */
function style(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`::highlight(${name}) { background-color: var(--warning-soft); color: var(--warning); }`);
  return sheet;
}
let sheet: CSSStyleSheet | null = null;

export function useHitMarks(
  sessionId: string,
  { message, q }: { message: string | undefined; q: string | undefined },
  changesWith: unknown,
): void {
  const { data } = useQuery({
    ...conversationHitsQuery(sessionId, q ?? ''),
    enabled: message !== undefined && q !== undefined,
  });
  const match = data?.items.find(({ id }) => id === message)?.match;
  // biome-ignore lint/correctness/useExhaustiveDependencies: again when the message is rendered anew
  useEffect(() => {
    if (!match || !message || !('highlights' in CSS)) return;
    const words = match.ranges.map(({ start, end }) => match.excerpt.slice(start, end).toLowerCase());
    const element = document.querySelector(`[data-message="${CSS.escape(message)}"]`);
    if (!sheet) {
      sheet = style();
      document.adoptedStyleSheets.push(sheet);
    }
    if (element) CSS.highlights.set(name, new Highlight(...rangesOf(element, new Set(words))));
    return () => void CSS.highlights.delete(name);
  }, [match, message, changesWith]);
}

function rangesOf(element: Element, words: ReadonlySet<string>): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase();
    // Where lower case has another length, positions would be wrong.
    if (text.length !== node.nodeValue?.length) continue;
    for (const word of words) {
      for (let at = text.indexOf(word); word !== '' && at >= 0; at = text.indexOf(word, at + word.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        ranges.push(range);
      }
    }
  }
  return ranges;
}
