/** The state of the composer. */
import {
  type ClipboardEvent,
  type KeyboardEvent,
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
import { bytes } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { createTypingReporter } from '../conversation/typing.tsx';
import { send } from '../data/outbox.ts';
import { useMentions } from './mentions.tsx';
import { useSlashReplies } from './saved-replies.tsx';
import { useTakeOver } from './take-over.tsx';
import type { Upload } from './uploads.ts';
import { refusalOf, startUpload } from './uploads.ts';
import { type DraftChange, useDrafts } from './use-drafts.ts';
import { useFileDrop } from './use-file-drop.ts';

const isCoarse = matchMedia('(pointer: coarse)');

/** What is being written in a conversation, and how it is sent. */
export function useComposer(session: InboxSession) {
  const { sessionId, channelId, blocked } = session;
  const { isNote, isVisibleToAi, text, uploads, change } = useDrafts(sessionId, blocked);
  const takeOver = useTakeOver(session);
  const area = useRef<HTMLTextAreaElement>(null);
  const typing = useMemo(() => createTypingReporter(sessionId), [sessionId]);

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
  /** Inserts at the caret and moves the caret behind it. */
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
  const addFiles = useAddFiles(uploads, change);
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

  return {
    area,
    begin,
    canSend,
    change,
    addFiles,
    insert,
    isDropping,
    isNote,
    isVisibleToAi,
    onKeyDown,
    onPaste,
    stopTyping: () => typing.stopped(),
    submit,
    suggestions,
    takeOver,
    text,
    uploads,
    write,
  };
}

function useAddFiles(uploads: readonly Upload[], change: (change: DraftChange) => void) {
  const [, redraw] = useState(0);
  // Files that are added in quick succession must not replace each other.
  const latestUploads = useRef(uploads);
  latestUploads.current = uploads;
  return useCallback(
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
