/** Texts that are sent again and again: by their button, or by `/` and a part of the name. */
import { useQuery } from '@tanstack/react-query';
import { MessageSquareText, Plus, Trash2, Users } from 'lucide-react';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useMemo,
  useState,
} from 'react';
import type { InboxSession, SavedReply } from '../../../contract/dashboard.ts';
import { api } from '../data/api.ts';
import { useKanbans } from '../data/queries.ts';
import { queryClient } from '../data/query-client.ts';
import { useIsAdmin, useSignedIn } from '../data/session.ts';
import { recordQuery } from '../record/record-data.ts';
import { t } from '../texts/texts.ts';
import { IconButton } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { Popover } from '../ui/popover.tsx';
import { toast } from '../ui/toast.tsx';
import { customerName, savedRepliesQuery } from './inbox-data.ts';
import { NewSavedReply } from './new-saved-reply.tsx';
import { fillPlaceholders } from './placeholders.ts';

/** The text of a saved reply for this customer. */
function useFilled(session: InboxSession): (reply: SavedReply) => string {
  const { user } = useSignedIn();
  const boards = useKanbans();
  const { data: record } = useQuery({
    ...recordQuery(session.recordId ?? ''),
    enabled: session.recordId !== null,
  });
  const kanban = boards.find(({ id }) => id === session.kanbanId);
  return (reply) =>
    fillPlaceholders(reply.text, {
      customer: customerName(session),
      operator: user.name,
      board: kanban?.name ?? '',
      ...(record && { record }),
      ...(kanban && { kanban }),
    });
}

export interface SlashOptions {
  session: InboxSession;
  area: RefObject<HTMLTextAreaElement | null>;
  text: string;
  insert(piece: string, replaced: number): void;
  enabled: boolean;
}

/** `/` at the beginning of a word opens the list above the composer; the keys stay in the text. */
export function useSlashReplies({ session, area, text, insert, enabled }: SlashOptions): {
  list: ReactNode;
  inputProps: { [name: string]: string | boolean | undefined };
  onKeyDown(event: KeyboardEvent): boolean;
} {
  const listId = useId();
  const { data: replies = [] } = useQuery(savedRepliesQuery);
  const filled = useFilled(session);
  const [at, setAt] = useState(0);
  const [closedFor, setClosedFor] = useState<string | null>(null);
  const before = text.slice(0, area.current?.selectionStart ?? text.length);
  const word = enabled ? (/(?:^|\s)\/([^\s/]*)$/.exec(before)?.[1] ?? null) : null;
  const found = useMemo(
    () =>
      word === null
        ? []
        : replies.filter(({ name }) => name.toLowerCase().includes(word.toLowerCase())).slice(0, 8),
    [replies, word],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another word, another list
  useEffect(() => setAt(0), [word]);
  const isOpen = word !== null && closedFor !== before;
  const choose = (reply: SavedReply) => insert(filled(reply), (word?.length ?? 0) + 1);

  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!isOpen || found.length === 0) return false;
    if (event.key === 'ArrowDown') setAt((at + 1) % found.length);
    else if (event.key === 'ArrowUp') setAt((at - 1 + found.length) % found.length);
    else if (event.key === 'Enter' || event.key === 'Tab') choose(found[at]!);
    else if (event.key === 'Escape') {
      setClosedFor(before);
      event.nativeEvent.stopImmediatePropagation();
    } else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const shows = isOpen && (found.length > 0 || replies.length > 0);
  return {
    onKeyDown,
    inputProps: shows
      ? {
          'aria-haspopup': 'listbox',
          'aria-controls': listId,
          'aria-autocomplete': 'list',
          'aria-activedescendant': found[at] ? `${listId}-${at}` : undefined,
        }
      : {},
    list: shows && (
      <div
        id={listId}
        role="listbox"
        aria-label={t('inbox.compose.saved')}
        className="absolute bottom-full left-0 z-20 mb-1 max-h-72 w-96 max-w-full overflow-y-auto rounded-panel bg-raised p-1 shadow-float"
      >
        {found.map((reply, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the text field that owns this list
          <div
            key={reply.id}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(reply)}
            onPointerMove={() => setAt(index)}
            className={cx('rounded-control px-2 py-1.5', index === at && 'bg-hover')}
          >
            <div className="truncate font-medium">{reply.name}</div>
            <div className="truncate text-sm text-muted">{filled(reply)}</div>
          </div>
        ))}
        {found.length === 0 && <p className="px-2 py-1.5 text-muted">{t('inbox.saved.none')}</p>}
      </div>
    ),
  };
}

interface SavedRepliesButtonProps {
  session: InboxSession;
  /** What stands in the composer: it can be saved. */
  text: string;
  onInsert(text: string): void;
}

export function SavedRepliesButton({ session, text, onInsert }: SavedRepliesButtonProps) {
  const [open, setOpen] = useState(false);
  const [isNew, setIsNew] = useState(false);
  const { data: replies = [] } = useQuery(savedRepliesQuery);
  const filled = useFilled(session);
  const { user } = useSignedIn();
  const isAdmin = useIsAdmin();
  return (
    <>
      <Popover
        open={open}
        onOpenChange={setOpen}
        label={t('inbox.compose.saved')}
        className="flex max-h-80 w-80 flex-col"
        trigger={
          <IconButton label={t('inbox.compose.saved')} tip={false}>
            <MessageSquareText className="size-4" />
          </IconButton>
        }
      >
        <ul className="min-h-0 overflow-y-auto p-1">
          {replies.map((reply) => (
            <li
              key={reply.id}
              className="group/reply relative flex items-center rounded-control hover:bg-hover"
            >
              <button
                type="button"
                onClick={() => {
                  setOpen(false);
                  onInsert(filled(reply));
                }}
                className="min-w-0 flex-1 px-2 py-1.5 text-left"
              >
                <span className="flex items-center gap-1.5 font-medium">
                  <span className="truncate">{reply.name}</span>
                  {reply.shared && <Users aria-hidden className="size-3 shrink-0 text-faint" />}
                </span>
                <span className="block truncate text-sm text-muted">{reply.text}</span>
              </button>
              {(reply.ownerId === user.id || isAdmin) && (
                <IconButton
                  size="small"
                  tip={false}
                  label={t('inbox.saved.delete', { name: reply.name })}
                  onClick={() => void remove(reply)}
                  className="mr-1"
                >
                  <Trash2 className="size-3.5" />
                </IconButton>
              )}
            </li>
          ))}
          {replies.length === 0 && (
            <li className="px-2 py-4 text-center text-muted">{t('inbox.saved.empty')}</li>
          )}
        </ul>
        <div className="border-t border-line p-1">
          <button
            type="button"
            onClick={() => {
              setOpen(false);
              setIsNew(true);
            }}
            className="flex h-8 w-full items-center gap-2 rounded-control px-2 hover:bg-hover"
          >
            <Plus className="size-4 text-muted" />
            {t('inbox.saved.new')}
          </button>
        </div>
      </Popover>
      {isNew && <NewSavedReply text={text} onClose={() => setIsNew(false)} />}
    </>
  );
}

async function remove({ id, name, text, shared }: SavedReply): Promise<void> {
  const again = () => queryClient.invalidateQueries(savedRepliesQuery);
  queryClient.setQueryData<SavedReply[]>(savedRepliesQuery.queryKey, (old) =>
    old?.filter((one) => one.id !== id),
  );
  try {
    await api('DELETE', `/saved-replies/${id}`);
    toast.undo(t('inbox.saved.deleted'), async () => {
      await api('POST', '/saved-replies', { body: { name, text, shared } });
      await again();
    });
  } catch (error) {
    toast.failed(t('inbox.saved.failed'), error);
    await again();
  }
}
