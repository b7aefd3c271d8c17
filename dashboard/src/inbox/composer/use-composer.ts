/** The state of the composer. */
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
} from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { useShortcut } from '../../app/shortcuts.tsx';
import { t } from '../../texts/texts.ts';
import { createTypingReporter } from '../conversation/typing.tsx';
import {
  editSuggestion,
  endSuggestion,
  isOver,
  type Suggestion,
  sentWithSuggestion,
  suggestionOf,
  useSuggestion,
} from '../copilot/suggestions.ts';
import { undoLastSend } from '../data/outbox.ts';
import { noMailDraft } from '../mail/mail-draft.ts';
import { useMailReply } from '../mail/use-mail-reply.ts';
import { onComposerRequest } from './insert-request.ts';
import { useMentions } from './mentions.tsx';
import { namePasted } from './pasted-files.ts';
import { setReplyTo, useReplyTo } from './reply/reply-to.ts';
import { useSlashReplies } from './saved/saved-replies.tsx';
import { useTakeOver } from './sending/take-over.tsx';
import { useSending } from './sending/use-sending.ts';
import { useAddFiles } from './use-add-files.ts';
import { useDrafts } from './use-drafts.ts';
import { useFileDrop } from './use-file-drop.ts';
import { useWriteModes } from './write-modes.ts';

const isCoarse = matchMedia('(pointer: coarse)');

/** What is being written in a conversation, and how it is sent. */
export function useComposer(session: InboxSession) {
  const { sessionId } = session;
  const modes = useWriteModes(session);
  const drafts = useDrafts(sessionId, modes.length === 1 ? modes[0]! : null);
  const { isNote, isVisibleToAi, uploads, mailDraft, change } = drafts;
  const suggestion = useShownSuggestion(sessionId, drafts);
  const text = suggestion?.text || drafts.text;
  const replyTo = useReplyTo(sessionId);
  const takeOver = useTakeOver(session);
  const mail = useMailReply(session, mailDraft, replyTo, change);
  const area = useRef<HTMLTextAreaElement>(null);
  const typing = useMemo(() => createTypingReporter(sessionId), [sessionId]);

  useEffect(() => () => typing.stopped(), [typing]);
  useGrowing(area, text);
  const write = useCallback(
    (next: string) => {
      if (suggestionOf(sessionId)?.state === 'making' && !isNote) return;
      if (!isNote) editSuggestion(sessionId, next);
      change({ text: next });
      if (next.trim() === '') typing.stopped();
      else if (!isNote) typing.wrote();
    },
    [change, typing, isNote, sessionId],
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
  const slash = useSlashReplies({ session, area, text, insert, enabled: !isNote && !suggestion });
  const mentions = useMentions({ session, area, text, insert, enabled: isNote });
  const suggestions = isNote ? mentions : slash;

  const sending = useSending({
    session,
    area,
    text,
    uploads,
    isNote,
    isNoteVisibleToAi: isNote && isVisibleToAi,
    pauseAi: takeOver.byDefault,
    mail: isNote ? null : mail,
    replyToMessageId: isNote ? null : (replyTo?.id ?? null),
    isReady: suggestion?.state !== 'making',
    mentionedUserIds: () => (isNote ? mentions.idsIn(text) : []),
    onSent() {
      typing.stopped();
      if (!isNote) setReplyTo(sessionId, null);
      if (!isNote) sentWithSuggestion(sessionId, text);
      change({ text: '', uploads: [], ...(isNote ? { isVisibleToAi: false } : { mail: noMailDraft }) });
    },
  });
  const { submit } = sending;
  // A quote comes before what is written already.
  useEffect(
    () =>
      onComposerRequest(sessionId, {
        insert(piece) {
          const box = area.current;
          box?.focus();
          box?.setSelectionRange(0, box.value.trim() === '' ? box.value.length : 0);
          insert(piece);
        },
        replyTo(message) {
          setReplyTo(sessionId, message);
          change({ isNote: false });
          // At once, so that the menu does not take it back, and again when the quote is drawn.
          area.current?.focus();
          requestAnimationFrame(() => area.current?.focus());
        },
      }),
    [sessionId, insert, change],
  );
  const onKeyDown = (event: KeyboardEvent) => {
    if (suggestions.onKeyDown(event)) return;
    if (event.key === 'Escape' && suggestion?.state === 'making') {
      event.stopPropagation();
      event.nativeEvent.stopImmediatePropagation();
      endSuggestion(sessionId, 'discarded');
    } else if (event.key === 'Escape' && replyTo && !isNote) {
      event.stopPropagation();
      event.nativeEvent.stopImmediatePropagation();
      setReplyTo(sessionId, null);
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      event.nativeEvent.stopImmediatePropagation();
      area.current?.blur();
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      const hasMod = event.ctrlKey || event.metaKey;
      const sends = hasMod || event.altKey || (!event.shiftKey && !isCoarse.matches);
      if (!sends) return;
      event.preventDefault();
      const { byDefault, isDecided } = takeOver;
      const isOtherWay = event.altKey && byDefault !== null && !isDecided;
      submit({
        ...(isOtherWay && { pauseAi: !byDefault }),
        ...(hasMod && event.shiftKey && { resolves: true }),
      });
    } else if (isUndo(event) && suggestion) {
      event.preventDefault();
      endSuggestion(sessionId, 'discarded');
    } else if (isUndo(event) && text === '' && undoLastSend(sessionId)) {
      event.preventDefault();
    }
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    addFiles(namePasted(files));
  };
  const begin = (asNote: boolean) => {
    change({ isNote: asNote });
    area.current?.focus();
  };
  useShortcut('r', () => begin(false), {
    label: t('inbox.keys.reply'),
    group: 'inbox',
    enabled: modes.includes('reply'),
  });
  useShortcut('n', () => begin(true), {
    label: t('inbox.keys.note'),
    group: 'inbox',
    enabled: modes.includes('note'),
  });
  useSendKeys();

  return {
    area,
    begin,
    change,
    addFiles,
    insert,
    isDropping,
    isNote,
    isVisibleToAi,
    mail,
    modes,
    onKeyDown,
    onPaste,
    replyTo,
    stopTyping: () => typing.stopped(),
    sending,
    /** What is shown instead of what was typed. */
    suggestion,
    suggestions,
    takeOver,
    text,
    typed: drafts.text,
    uploads,
    write,
  };
}

export type ComposerState = ReturnType<typeof useComposer>;

/** It lies over the draft of the reply, until another window or an undone send changes that. */
function useShownSuggestion(
  sessionId: string,
  { isNote, text: typed }: { isNote: boolean; text: string },
): Suggestion | null {
  const suggestion = useSuggestion(sessionId);
  const isShown = isOver(suggestion) && !isNote;
  const isStale = isShown && suggestion.typed !== typed;
  useEffect(() => {
    if (isStale) endSuggestion(sessionId, 'discarded');
  }, [isStale, sessionId]);
  return isShown && !isStale ? suggestion : null;
}

const isUndo = (event: KeyboardEvent) =>
  (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'z';

/** For the help; the composer itself handles them. */
function useSendKeys(): void {
  const listed = { group: 'inbox', isListedOnly: true } as const;
  useShortcut('enter', () => {}, { label: t('inbox.keys.send'), ...listed });
  useShortcut('alt+enter', () => {}, { label: t('composer.keys.otherWay'), ...listed });
  useShortcut('mod+shift+enter', () => {}, { label: t('composer.send.resolve'), ...listed });
  useShortcut('mod+z', () => {}, { label: t('composer.keys.undo'), ...listed });
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
