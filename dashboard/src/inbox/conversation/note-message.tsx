import { Bot, EyeOff, Pencil, StickyNote, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Message, MessageAttachment } from '../../../../contract/messaging/messages.ts';
import { useMay } from '../../data/session.ts';
import { clockTime, fullDate } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { TextArea } from '../../ui/controls/input.tsx';
import { Switch } from '../../ui/controls/switch.tsx';
import { OtherMentions, unwritten, useMentions } from '../composer/mentions.tsx';
import { Translation } from '../copilot/copilot-parts.tsx';
import { changeNote, deleteNote } from '../data/message-actions.ts';
import { useSpeaker } from './marks/speaker.ts';
import { Attachments, type AttachmentsProps } from './media/attachments.tsx';
import { MessageActions } from './message-actions.tsx';
import { MessageText } from './message-text.tsx';

/** Tinted and full width, so that nobody mistakes it for a sent message. */
export function NoteMessage({
  note,
  session,
  onPicture,
}: {
  note: Message;
  session: InboxSession;
  onPicture: AttachmentsProps['onPicture'];
}) {
  const files = note.attachments as MessageAttachment[];
  const mayChange = useMay('notes.write');
  const [isEditing, setIsEditing] = useState(false);
  const name = useSpeaker(note, session);
  return (
    <section
      data-message={note.id}
      aria-label={`${t('inbox.note')}, ${t('inbox.note.private')}`}
      className="group/note group/message @container/note my-3 rounded-control border border-note-line bg-note px-3 py-2"
    >
      <header className="flex min-h-6 flex-wrap items-center gap-x-2 text-sm">
        <StickyNote aria-hidden className="size-3.5 text-warning" />
        <span className="font-semibold text-warning">{t('inbox.note')}</span>
        {/* In a narrow chat it takes a line of its own, below who wrote it and when. */}
        <span className="flex flex-wrap items-center gap-x-1.5 text-muted @max-md/note:order-last @max-md/note:w-full @max-md/note:pb-0.5">
          <span>{t('inbox.note.private')}</span>
          <span className="flex items-center gap-1.5">
            <span aria-hidden>·</span>
            {note.isNoteVisibleToAi ? <Bot className="size-3.5" /> : <EyeOff className="size-3.5" />}
            {note.isNoteVisibleToAi ? t('inbox.note.ai') : t('inbox.note.noAi')}
          </span>
        </span>
        <span className="flex-1" />
        {!isEditing && (
          <span className="flex opacity-0 group-focus-within/note:opacity-100 group-hover/note:opacity-100 pointer-coarse:opacity-100">
            {mayChange && (
              <>
                <IconButton size="small" label={t('inbox.note.edit')} onClick={() => setIsEditing(true)}>
                  <Pencil className="size-3.5" />
                </IconButton>
                <IconButton
                  size="small"
                  label={t('inbox.note.delete')}
                  onClick={() => deleteNote(session, note)}
                >
                  <Trash2 className="size-3.5" />
                </IconButton>
              </>
            )}
            <MessageActions message={note} sessionId={session.sessionId} channelType={session.channelType} />
          </span>
        )}
        <span title={name} className="max-w-40 min-w-0 truncate text-muted @max-md/note:max-w-28">
          {name}
        </span>
        <time title={fullDate(note.timestamp)} className="tabular shrink-0 text-muted">
          {clockTime(note.timestamp)}
        </time>
      </header>
      {isEditing ? (
        <NoteEditor note={note} session={session} onEnd={() => setIsEditing(false)} />
      ) : (
        <>
          {note.content.trim() !== '' && <MessageText text={note.content} mentions={note.mentions} />}
          <Translation sessionId={session.sessionId} message={note} />
          <OtherMentions note={note} />
        </>
      )}
      {files.length > 0 && (
        <div className="pt-1.5 pb-0.5">
          <Attachments files={files} align="start" onPicture={onPicture} />
        </div>
      )}
    </section>
  );
}

function NoteEditor({ note, session, onEnd }: { note: Message; session: InboxSession; onEnd(): void }) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [content, setContent] = useState(note.content);
  const [isNoteVisibleToAi, setVisible] = useState(note.isNoteVisibleToAi);
  useEffect(() => area.current?.focus(), []);
  const insert = (piece: string, replaced: number) => {
    const box = area.current!;
    const from = box.selectionStart - replaced;
    setContent(box.value.slice(0, from) + piece + box.value.slice(box.selectionEnd));
    requestAnimationFrame(() => box.setSelectionRange(from + piece.length, from + piece.length));
  };
  const mentions = useMentions({ session, area, text: content, insert, enabled: true });
  const canSave = content.trim() !== '' || note.attachments.length > 0;
  const save = () => {
    onEnd();
    const named = (note.mentions ?? []).map(({ id }) => id);
    const ids = [...new Set([...mentions.idsIn(content), ...unwritten(note).map(({ id }) => id)])];
    const isOther = ids.length !== named.length || ids.some((id) => !named.includes(id));
    const change = {
      ...(content.trim() !== note.content && {
        content: content.trim(),
        ...(isOther && { mentionedUserIds: ids }),
      }),
      ...(isNoteVisibleToAi !== note.isNoteVisibleToAi && { isNoteVisibleToAi }),
    };
    if (Object.keys(change).length > 0) void changeNote(session, note, change);
  };
  return (
    <div className="relative flex flex-col gap-2 pt-1">
      {mentions.list}
      <TextArea
        {...mentions.inputProps}
        aria-label={t('inbox.note.text')}
        value={content}
        ref={area}
        onChange={(event) => setContent(event.target.value)}
        onKeyDown={(event) => {
          if (mentions.onKeyDown(event)) return;
          if (event.key === 'Escape') onEnd();
          else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && canSave) save();
          else return;
          event.stopPropagation();
        }}
      />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Switch checked={isNoteVisibleToAi} onChange={setVisible} label={t('inbox.note.ai')} />
        <div className="flex gap-2">
          <Button onClick={onEnd}>{t('ui.cancel')}</Button>
          <Button tone="primary" disabled={!canSave} onClick={save}>
            {t('ui.save')}
          </Button>
        </div>
      </div>
    </div>
  );
}
