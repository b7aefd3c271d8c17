import { Fragment, type ReactNode } from 'react';
import { Markdown } from '../../ui/display/markdown.tsx';
import { findMentions, type MentionedPerson } from '../composer/mention-text.ts';
import { MentionChip } from '../composer/mentions.tsx';

/** What a colleague wrote. `mentions`: whom a note names. */
export function MessageText({
  text,
  mentions = [],
}: {
  text: string;
  mentions?: readonly MentionedPerson[];
}) {
  return <Markdown text={text} renderText={(plain) => withChips(plain, mentions)} />;
}

function withChips(text: string, mentions: readonly MentionedPerson[]): ReactNode {
  const found = findMentions(text, mentions);
  if (found.length === 0) return text;
  let from = 0;
  const parts = found.map((person) => {
    const before = text.slice(from, person.at);
    from = person.at + 1 + person.name.length;
    return (
      <Fragment key={person.at}>
        {before}
        <MentionChip person={person} />
      </Fragment>
    );
  });
  return [...parts, text.slice(from)];
}
