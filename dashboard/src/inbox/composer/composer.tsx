/** Where operators write: replies to the customer, and notes on another paper. */

import { Paperclip, SendHorizontal, StickyNote } from 'lucide-react';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { limits } from '../../../../contract/limits.ts';
import { useShortcut } from '../../app/shortcuts.tsx';
import { customerName } from '../../data/customer-name.ts';
import { bytes } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { bottomBar } from '../../ui/bottom-bar.ts';
import { cx } from '../../ui/class-names.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { Switch } from '../../ui/controls/switch.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { createTypingTeller } from '../conversation/typing.tsx';
import { send } from '../data/outbox.ts';
import { EmojiButton } from './emoji-button.tsx';
import { useMentions } from './mentions.tsx';
import { SavedRepliesButton, useSlashReplies } from './saved-replies.tsx';
import { useTakeOver } from './take-over.tsx';
import { UploadChip } from './upload-chip.tsx';
import { acceptedTypes, refusalOf, startUpload } from './uploads.ts';
import { useDrafts } from './use-drafts.ts';
import { useFileDrop } from './use-file-drop.ts';
import { VoiceRecorder } from './voice-recorder.tsx';

const isCoarse = matchMedia('(pointer: coarse)');

export function Composer({ session, blockedBar }: { session: InboxSession; blockedBar: ReactNode }) {
  const { sessionId, channelId, blocked } = session;
  const { isNote, isVisibleToAi, text, uploads, change } = useDrafts(sessionId, blocked);
  const takeOver = useTakeOver(session);
  const [, redraw] = useState(0);
  const area = useRef<HTMLTextAreaElement>(null);
  const typing = useMemo(() => createTypingTeller(sessionId), [sessionId]);

  useEffect(() => () => typing.stopped(), [typing]);
  useGrowing(area, text);
  const write = useCallback(
    (next: string) => {
      change({ text: next });
      if (next.trim() === '') typing.stopped();
      else if (!isNote) typing.wrote();
    },
    [change, typing, isNote],
  );
  /** At the caret, which then stands behind it. */
  const insert = useCallback(
    (piece: string, replaced = 0) => {
      const box = area.current;
      if (!box) return;
      const from = box.selectionStart - replaced;
      const next = box.value.slice(0, from) + piece + box.value.slice(box.selectionEnd);
      write(next);
      requestAnimationFrame(() => {
        box.focus();
        box.setSelectionRange(from + piece.length, from + piece.length);
      });
    },
    [write],
  );
  // Files that come in quick succession must not replace each other.
  const latestUploads = useRef(uploads);
  latestUploads.current = uploads;
  const addFiles = useCallback(
    (files: readonly File[]) => {
      const uploads = [...latestUploads.current];
      for (const file of files) {
        const total = uploads.reduce((sum, one) => sum + one.file.size, file.size);
        const refusal =
          uploads.length >= limits.attachmentsPerMessage
            ? t('inbox.upload.many', { count: limits.attachmentsPerMessage })
            : total > limits.attachmentBytesPerMessage
              ? t('inbox.upload.total', { limit: bytes(limits.attachmentBytesPerMessage) })
              : refusalOf(file);
        if (refusal) toast.show(refusal);
        else uploads.push(startUpload(file, () => redraw((n) => n + 1)));
      }
      latestUploads.current = uploads;
      change({ uploads });
    },
    [change],
  );
  const isDropping = useFileDrop(addFiles, true);
  const slash = useSlashReplies({ session, area, text, insert, enabled: !isNote });
  const mentions = useMentions({ session, area, text, insert, enabled: isNote });
  const suggestions = isNote ? mentions : slash;

  const canSend =
    text.length <= limits.messageLength &&
    (text.trim() !== '' || uploads.length > 0) &&
    uploads.every((upload) => upload.error === null);
  const submit = () => {
    if (!canSend) return;
    typing.stopped();
    send(
      { sessionId, channelId },
      {
        content: text.trim(),
        uploads,
        isNote,
        isNoteVisibleToAi: isNote && isVisibleToAi,
        mentionedUserIds: isNote ? mentions.idsIn(text) : [],
        pauseAi: isNote ? false : takeOver.pauseAi,
      },
    );
    change({ text: '', uploads: [], ...(isNote && { isVisibleToAi: false }) });
    if (!isNote) takeOver.reset();
    area.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (suggestions.onKeyDown(event)) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      event.nativeEvent.stopImmediatePropagation();
      area.current?.blur();
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      const sends = event.ctrlKey || event.metaKey || (!event.shiftKey && !isCoarse.matches);
      if (!sends) return;
      event.preventDefault();
      submit();
    }
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    addFiles(files);
  };
  const begin = (asNote: boolean) => {
    change({ isNote: asNote });
    area.current?.focus();
  };
  useShortcut('r', () => begin(false), { label: t('inbox.keys.reply'), group: 'inbox' });
  useShortcut('n', () => begin(true), { label: t('inbox.keys.note'), group: 'inbox' });
  useShortcut('enter', () => {}, { label: t('inbox.keys.send'), group: 'inbox', isListedOnly: true });

  return (
    <div ref={bottomBar} className="shrink-0 px-3 pb-3 md:px-4">
      {blocked && blockedBar}
      <div
        className={cx(
          'relative mx-auto flex max-w-3xl flex-col rounded-panel border transition-colors',
          isNote
            ? 'border-note-line bg-note focus-within:border-warning'
            : 'border-line-strong bg-surface focus-within:border-accent',
        )}
      >
        {suggestions.list}
        {isDropping && (
          <div className="absolute inset-0 z-10 flex items-center justify-center rounded-panel border-2 border-dashed border-accent bg-accent-soft font-medium text-accent-ink">
            {t('inbox.compose.drop')}
          </div>
        )}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-2 pt-2">
          <Segmented
            label={t('inbox.compose.mode')}
            value={isNote ? 'note' : 'reply'}
            onChange={(mode) => begin(mode === 'note')}
            segments={[
              ...(blocked ? [] : [{ value: 'reply' as const, label: t('inbox.compose.reply') }]),
              { value: 'note' as const, label: t('inbox.compose.note') },
            ]}
          />
          {isNote && (
            <>
              <span className="flex items-center gap-1.5 text-sm font-medium text-warning">
                <StickyNote aria-hidden className="size-3.5" />
                {t('inbox.note.private')}
              </span>
              <span className="flex-1" />
              <Switch
                checked={isVisibleToAi}
                onChange={(isVisibleToAi) => change({ isVisibleToAi })}
                label={t('inbox.note.ai')}
              />
            </>
          )}
        </div>
        <textarea
          ref={area}
          rows={2}
          aria-label={isNote ? t('inbox.compose.note') : t('inbox.compose.reply')}
          {...suggestions.inputProps}
          placeholder={
            isNote
              ? t('inbox.compose.toTeam')
              : t('inbox.compose.toCustomer', { name: customerName(session) })
          }
          value={text}
          data-quiet-focus=""
          onChange={(event) => write(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          onBlur={() => typing.stopped()}
          className="max-h-60 min-h-12 resize-none bg-transparent px-3 py-2 text-md outline-none"
        />
        {uploads.length > 0 && (
          <div className="flex flex-wrap gap-2 px-3 pb-2">
            {uploads.map((upload) => (
              <UploadChip
                key={upload.id}
                upload={upload}
                onRemove={() => {
                  upload.cancel();
                  change({ uploads: uploads.filter((one) => one !== upload) });
                }}
              />
            ))}
          </div>
        )}
        <div className="@container flex flex-wrap items-center gap-0.5 px-2 pb-2">
          <AttachButton onFiles={addFiles} />
          {!isNote && <VoiceRecorder onRecorded={(file) => addFiles([file])} />}
          <EmojiButton onPick={insert} />
          {!isNote && <SavedRepliesButton session={session} text={text} onInsert={insert} />}
          <span className="flex-1" />
          {!isNote && takeOver.control}
          <Button
            tone="primary"
            disabled={!canSend}
            onClick={submit}
            icon={isNote ? <StickyNote className="size-3.5" /> : <SendHorizontal className="size-3.5" />}
            className={cx(isNote && 'bg-warning! hover:bg-warning! hover:brightness-110 dark:text-canvas!')}
          >
            {isNote ? t('inbox.compose.addNote') : t('inbox.compose.send')}
          </Button>
        </div>
      </div>
    </div>
  );
}

function AttachButton({ onFiles }: { onFiles(files: File[]): void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={acceptedTypes}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      <IconButton label={t('inbox.compose.attach')} onClick={() => input.current?.click()}>
        <Paperclip className="size-4" />
      </IconButton>
    </>
  );
}

function useGrowing(area: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again whenever the text changes
  useEffect(() => {
    const box = area.current;
    if (!box) return;
    box.style.height = 'auto';
    box.style.height = `${Math.min(box.scrollHeight, 240)}px`;
  }, [text, area]);
}
