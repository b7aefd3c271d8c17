/** Mentions in notes: suggested after `@`, sent as IDs, shown as chips. */
import { type RefObject, useMemo, useRef } from 'react';
import type { User } from '../../../../contract/accounts.ts';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { useKanbans, useUsers } from '../../data/queries.ts';
import { useSignedIn } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { Avatar } from '../../ui/display/avatar.tsx';
import { findMentions, type MentionedPerson } from './mention-text.ts';
import { type Suggestions, useSuggestions } from './use-suggestions.tsx';

/** Only people with access to the board can be mentioned. */
export function useColleagues(kanbanId: string): User[] {
  const users = useUsers();
  const memberIds = useKanbans().find(({ id }) => id === kanbanId)?.memberIds;
  return useMemo(
    () => users.filter(({ id, role }) => role === 'admin' || !memberIds?.length || memberIds.includes(id)),
    [users, memberIds],
  );
}

export interface MentionsOptions {
  /** A conversation or a record: its board decides who can be mentioned. */
  session: { kanbanId: string };
  /** Of the list, for screen readers. */
  label?: string;
  area: RefObject<HTMLTextAreaElement | null>;
  text: string;
  insert(piece: string, replaced: number): void;
  enabled: boolean;
}

export function useMentions({
  session,
  area,
  text,
  insert,
  enabled,
  label = t('inbox.mention.list'),
}: MentionsOptions): Suggestions & {
  /** The users whom a text mentions. */
  idsIn(text: string): string[];
} {
  const colleagues = useColleagues(session.kanbanId);
  const { user } = useSignedIn();
  // If two people have the same name, the chosen one is meant.
  const chosen = useRef<MentionedPerson[]>([]);
  const suggestions = useSuggestions<User>({
    sign: '@',
    label,
    none: null,
    area,
    text,
    enabled,
    find: (word) =>
      colleagues.filter(
        ({ id, name, email }) =>
          id !== user.id && [...name.split(/\s+/), name, email].some((one) => startsWith(one, word)),
      ),
    keyOf: ({ id }) => id,
    show: ({ id, name, email }) => (
      <span className="flex items-center gap-2">
        <Avatar id={id} name={name} tip={false} />
        <span className="shrink-0 font-medium">{name}</span>
        <span className="min-w-0 truncate text-sm text-muted">{email}</span>
      </span>
    ),
    onChoose: ({ id, name }, typed) => {
      chosen.current = [...chosen.current, { id, name }];
      insert(`@${name} `, typed);
    },
  });
  const idsIn = (said: string) => {
    const names = findMentions(said, colleagues).map(({ name }) => name);
    return [...new Set(names)].flatMap((name) => {
      const own = chosen.current.filter((one) => one.name === name);
      const meant = own.length > 0 ? own : colleagues.filter((one) => one.name === name);
      return [...new Set(meant.map(({ id }) => id))];
    });
  };
  return { ...suggestions, idsIn };
}

const startsWith = (text: string, word: string) => text.toLocaleLowerCase().startsWith(word);

export function MentionChip({ person }: { person: MentionedPerson }) {
  const { user } = useSignedIn();
  return (
    <span
      className={
        person.id === user.id
          ? 'rounded-[4px] bg-accent px-1 font-medium text-on-accent'
          : 'rounded-[4px] bg-accent-soft px-1 font-medium text-accent-ink'
      }
    >
      @{person.name}
    </span>
  );
}

/** Mentioned by a program whose text may not contain the names. */
export function unwritten({
  content,
  mentions = [],
}: Pick<Message, 'content' | 'mentions'>): MentionedPerson[] {
  const inText = new Set(findMentions(content, mentions).map(({ id }) => id));
  return mentions.filter(({ id }) => !inText.has(id));
}

export function OtherMentions({ note }: { note: Pick<Message, 'content' | 'mentions'> }) {
  const others = unwritten(note);
  if (others.length === 0) return null;
  return (
    <p className="mt-1 flex flex-wrap gap-1">
      {others.map((person) => (
        <MentionChip key={person.id} person={person} />
      ))}
    </p>
  );
}
