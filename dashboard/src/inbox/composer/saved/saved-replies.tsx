/** Saved replies: inserted by the button, or by `/` and a part of the name. */

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { MessageSquareText, Plus, Settings, Trash2, Users } from 'lucide-react';
import { type RefObject, useState } from 'react';
import type { InboxSession, SavedReply } from '../../../../../contract/dashboard.ts';
import { api } from '../../../data/api.ts';
import { savedRepliesQuery } from '../../../data/queries.ts';
import { queryClient } from '../../../data/query-client.ts';
import { refresh } from '../../../data/refresh.ts';
import { useMay, useSignedIn } from '../../../data/session.ts';
import { t } from '../../../texts/texts.ts';
import { IconButton } from '../../../ui/controls/button.tsx';
import { SearchInput } from '../../../ui/controls/input.tsx';
import { Popover } from '../../../ui/overlays/popover.tsx';
import { toast } from '../../../ui/overlays/toast.tsx';
import { type Suggestions, useSuggestions } from '../use-suggestions.tsx';
import { NewSavedReply } from './new-saved-reply.tsx';
import { type ReplyPlace, useFilled } from './use-filled.ts';

export interface SlashOptions {
  session: InboxSession;
  area: RefObject<HTMLTextAreaElement | null>;
  text: string;
  insert(piece: string, replaced: number): void;
  enabled: boolean;
}

/** `/` at the beginning of a word opens the list above the composer. Found by name, then by what the reply says. */
export function useSlashReplies({ session, area, text, insert, enabled }: SlashOptions): Suggestions {
  const { data: replies = [] } = useQuery(savedRepliesQuery);
  const filled = useFilled(session);
  return useSuggestions<SavedReply>({
    sign: '/',
    label: t('inbox.compose.saved'),
    none: replies.length > 0 ? t('inbox.saved.none') : null,
    area,
    text,
    enabled,
    find: (word) => findReplies(replies, word),
    keyOf: ({ id }) => id,
    show: (reply) => (
      <>
        <div className="truncate font-medium">{reply.name}</div>
        <div title={filled(reply)} className="truncate text-sm text-muted">
          {filled(reply)}
        </div>
      </>
    ),
    onChoose: (reply, typed) => insert(filled(reply), typed),
  });
}

function findReplies(replies: readonly SavedReply[], word: string): SavedReply[] {
  const has = (text: string) => text.toLocaleLowerCase().includes(word);
  const byName = replies.filter(({ name }) => has(name));
  return [...byName, ...replies.filter((one) => !byName.includes(one) && has(one.text))];
}

interface SavedRepliesButtonProps {
  session: ReplyPlace;
  /** The composer's text, which can be saved. */
  text: string;
  onInsert(text: string): void;
}

export function SavedRepliesButton({ session, text, onInsert }: SavedRepliesButtonProps) {
  const [open, setOpen] = useState(false);
  const [isNew, setIsNew] = useState(false);
  const [wanted, setWanted] = useState('');
  const { data: replies = [] } = useQuery(savedRepliesQuery);
  const filled = useFilled(session);
  const { user } = useSignedIn();
  const may = useMay('shared.manage');
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
        {replies.length > 5 && (
          <div className="border-b border-line p-1.5">
            <SearchInput label={t('inbox.saved.search')} value={wanted} onChange={setWanted} />
          </div>
        )}
        <ul className="min-h-0 overflow-y-auto p-1">
          {findReplies(replies, wanted.trim().toLocaleLowerCase()).map((reply) => (
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
                <span title={reply.text} className="block truncate text-sm text-muted">
                  {reply.text}
                </span>
              </button>
              {(reply.ownerId === user.id || may) && (
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
          <Link
            to="/settings/$section"
            params={{ section: 'saved-replies' }}
            className="flex h-8 w-full items-center gap-2 rounded-control px-2 hover:bg-hover"
          >
            <Settings className="size-4 text-muted" />
            {t('inbox.saved.manage')}
          </Link>
        </div>
      </Popover>
      {isNew && <NewSavedReply text={text} onClose={() => setIsNew(false)} />}
    </>
  );
}

async function remove({ id, name, text, shared }: SavedReply): Promise<void> {
  const again = () => refresh(savedRepliesQuery.queryKey);
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
