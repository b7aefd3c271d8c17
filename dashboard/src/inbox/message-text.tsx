import { Fragment, type ReactNode } from 'react';
import { WebLink } from './markdown.tsx';
import { findMentions, type MentionedPerson } from './mention-text.ts';
import { MentionChip } from './mentions.tsx';

/** Only addresses of the web become links; what looks like anything else stays text. */
const address = /https?:\/\/[^\s<>"'`{}|\\^]+/gi;

/** What people wrote, as they wrote it. `mentions`: whom a note names. */
export function MessageText({
  text,
  mentions = [],
}: {
  text: string;
  mentions?: readonly MentionedPerson[];
}) {
  const parts: ReactNode[] = [];
  let from = 0;
  for (const person of findMentions(text, mentions)) {
    parts.push(...linked(text.slice(from, person.at)), <MentionChip person={person} />);
    from = person.at + 1 + person.name.length;
  }
  parts.push(...linked(text.slice(from)));
  return (
    <p className="max-w-[72ch] text-md break-words whitespace-pre-wrap">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
        <Fragment key={index}>{part}</Fragment>
      ))}
    </p>
  );
}

function linked(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let from = 0;
  for (const match of text.matchAll(address)) {
    // A full stop or a bracket after an address belongs to the sentence.
    const href = match[0].replace(/[.,;:!?)\]]+$/, '');
    parts.push(text.slice(from, match.index), <WebLink to={href}>{href}</WebLink>);
    from = match.index + href.length;
  }
  parts.push(text.slice(from));
  return parts;
}
