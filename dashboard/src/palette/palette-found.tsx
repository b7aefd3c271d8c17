/** Search results of the service: records, contacts and conversations, with the matches marked. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FileText, User } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Contact } from '../../../contract/contacts.ts';
import type { Kanban } from '../../../contract/crm/kanbans.ts';
import type { FoundRecord } from '../../../contract/crm/search.ts';
import type { FoundSession } from '../../../contract/dashboard.ts';
import type { FoundMessage } from '../../../contract/messaging/message-search.ts';
import { contactName } from '../contacts/contact-words.tsx';
import { useKanbans } from '../data/queries.ts';
import { fieldLabel } from '../fields/field-label.ts';
import { valueText } from '../fields/field-value.tsx';
import { customerName, shownTitle } from '../texts/customer-name.ts';
import { shortDate } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { ChannelIcon } from '../ui/display/channel-icon.tsx';
import {
  foundContactsQuery,
  foundMessagesQuery,
  foundRecordsQuery,
  foundSessionsQuery,
} from './palette-data.ts';
import type { PaletteEntry } from './palette-entry.ts';
import { fit, marksIn, wordsOf } from './palette-match.ts';

const debounceMs = 60;

export interface Found {
  entries: PaletteEntry[];
  /** The results for the current text have not arrived yet. */
  isWaiting: boolean;
  error: unknown;
}

/**
 * Results are cached by query, so a late response is never shown for a newer text. Until the new results arrive, previous
 * ones that also match the new text stay, so that the list does not flicker.
 */
export function useFound(
  text: string,
  wants: { records: boolean; contacts: boolean; sessions: boolean; messages: boolean },
): Found {
  const navigate = useNavigate();
  const boards = useKanbans();
  const q = useDebounced(text, debounceMs);
  const isAsked = text.length > 1;
  const records = useQuery({ ...foundRecordsQuery(q), enabled: wants.records && q.length > 1 });
  const contacts = useQuery({ ...foundContactsQuery(q), enabled: wants.contacts && q.length > 1 });
  const sessions = useQuery({ ...foundSessionsQuery(q), enabled: wants.sessions && q.length > 1 });
  const messages = useQuery({ ...foundMessagesQuery(q), enabled: wants.messages && q.length > 1 });
  const asked = [records, contacts, sessions, messages];
  const words = wordsOf(text);
  const recordEntry = (record: FoundRecord): PaletteEntry => {
    const board = boards.find(({ id }) => id === record.kanbanId);
    const title = shownTitle(record.title);
    return {
      id: `record ${record.recordId}`,
      group: 'records',
      icon: <FileText className="size-4" />,
      label: title,
      ...matchOfRecord({ ...record, title }, board, words),
      detail: board?.name,
      run: () =>
        void navigate({
          to: '/boards/$boardId/records/$recordId',
          params: { boardId: board?.slug ?? record.kanbanId, recordId: record.recordId },
        }),
    };
  };
  const contactEntry = (contact: Contact): PaletteEntry => ({
    id: `contact ${contact.id}`,
    group: 'contacts',
    icon: <User className="size-4" />,
    label: contactName(contact),
    ...matchOfContact(contact, words),
    run: () => void navigate({ to: '/contacts/$contactId', params: { contactId: contact.id } }),
  });
  const sessionEntry = (session: FoundSession): PaletteEntry => {
    const name = customerName(session);
    const { field, value } = session.match;
    const isName = value === name;
    return {
      id: `session ${session.sessionId}`,
      group: 'conversations',
      icon: <ChannelIcon type={session.channelType} className="size-4" />,
      label: name,
      marks: isName || field === 'record' ? marksIn(words, name) : [],
      ...(!isName && {
        found: { name: t(`palette.match.${field}`), value, marks: marksIn(words, value) },
      }),
      detail: boards.find(({ id }) => id === session.kanbanId)?.name,
      run: () => void navigate({ to: '/inbox/$sessionId', params: { sessionId: session.sessionId } }),
    };
  };
  const messageEntry = ({ match, ...message }: FoundMessage): PaletteEntry => {
    const { id, sessionId, channelType, author } = message;
    const who = author.kind === 'customer' ? customerName(message) : (author.name ?? t('palette.messages'));
    const marks = (match?.ranges ?? []).map(({ start, end }) => [start, end] as const);
    return {
      id: `message ${id}`,
      group: 'messages',
      icon: <ChannelIcon type={channelType} className="size-4" />,
      label: customerName(message),
      found: { name: who, value: match?.excerpt ?? message.content, marks },
      detail: shortDate(message.createdAt),
      run: () =>
        void navigate({ to: '/inbox/$sessionId', params: { sessionId }, search: { message: id, q: text } }),
    };
  };
  const isOld = q !== text;
  const stays = (entry: PaletteEntry, isPlaceholder: boolean) =>
    !(isOld || isPlaceholder) || (entry.marks?.length ?? 0) + (entry.found?.marks.length ?? 0) > 0;
  const listed = <T,>(
    query: { data?: { items: T[] }; isPlaceholderData: boolean },
    wanted: boolean,
    entryOf: (item: T) => PaletteEntry,
  ) =>
    isAsked && wanted
      ? (query.data?.items ?? []).map(entryOf).filter((entry) => stays(entry, query.isPlaceholderData))
      : [];
  // What was said is listed among the messages.
  const people = {
    ...sessions,
    data: sessions.data && { items: sessions.data.items.filter(({ match }) => match.field !== 'message') },
  };
  return {
    entries: [
      ...listed(records, wants.records, recordEntry),
      ...listed(contacts, wants.contacts, contactEntry),
      ...listed(people, wants.sessions, sessionEntry),
      ...listed(messages, wants.messages, messageEntry),
    ],
    isWaiting: isAsked && (isOld || asked.some(({ isFetching }) => isFetching)),
    error: isAsked ? (asked.find(({ error }) => error)?.error ?? null) : null,
  };
}

/** The name, or the identifier that matches. */
function matchOfContact(contact: Contact, words: readonly string[]): Pick<PaletteEntry, 'marks' | 'found'> {
  const name = contactName(contact);
  const marks = marksIn(words, name);
  const other = contact.identifiers.find(({ value }) => value !== name && marksIn(words, value).length > 0);
  if (marks.length > 0 || !other) return { marks };
  return {
    marks,
    found: { name: t('palette.match.identifier'), value: other.value, marks: marksIn(words, other.value) },
  };
}

function matchOfRecord(
  { title, match, customFields }: FoundRecord,
  board: Kanban | undefined,
  words: readonly string[],
): Pick<PaletteEntry, 'marks' | 'found'> {
  const fields = match?.fields ?? [];
  const marks = fields.includes('title') ? marksIn(words, title) : [];
  const other = fields.find((id) => id !== 'title');
  const field = board?.fields.find(({ id }) => id === other);
  // No second line for what the title already shows.
  if (!field || fit(words, title)) return { marks };
  const value = valueText(field, customFields[field.id]);
  return { marks, found: { name: fieldLabel(field), value, marks: marksIn(words, value) } };
}

function useDebounced(text: string, ms: number): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), ms);
    return () => clearTimeout(timer);
  }, [text, ms]);
  return settled;
}
