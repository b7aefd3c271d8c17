import { Fragment, type ReactNode } from 'react';

/** Only addresses of the web become links; what looks like anything else stays text. */
const address = /https?:\/\/[^\s<>"'`{}|\\^]+/gi;

export function MessageText({ text }: { text: string }) {
  const parts: ReactNode[] = [];
  let from = 0;
  for (const match of text.matchAll(address)) {
    // A full stop or a bracket after an address belongs to the sentence.
    const href = match[0].replace(/[.,;:!?)\]]+$/, '');
    if (!isWebAddress(href)) continue;
    parts.push(text.slice(from, match.index));
    parts.push(
      <a
        href={href}
        target="_blank"
        rel="noreferrer noopener nofollow"
        className="cursor-pointer underline decoration-current/40 underline-offset-2 hover:decoration-current"
      >
        {href}
      </a>,
    );
    from = match.index + href.length;
  }
  parts.push(text.slice(from));
  return (
    <p className="max-w-[72ch] text-md break-words whitespace-pre-wrap">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
        <Fragment key={index}>{part}</Fragment>
      ))}
    </p>
  );
}

function isWebAddress(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
}
