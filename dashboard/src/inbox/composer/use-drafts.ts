/**
 * The drafts of a conversation: Reply and Note each keep their own. Texts, and Cc and subject of a mail, survive a reload,
 * files do not.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import { isMailDraftEmpty, type MailDraft, noMailDraft } from '../mail/mail-draft.ts';
import { onDraftElsewhere, onLogout, readDrafts, storeDrafts } from './draft-storage.ts';
import type { Upload } from './uploads.ts';
import type { WriteMode } from './write-modes.ts';

interface Draft {
  text: string;
  uploads: readonly Upload[];
}
interface Drafts {
  isNote: boolean;
  isVisibleToAi: boolean;
  reply: Draft;
  note: Draft;
  /** Of the reply, when it is an e-mail. */
  mail: MailDraft;
}

const noDraft: Draft = { text: '', uploads: [] };
const noDrafts: Drafts = {
  isNote: false,
  isVisibleToAi: false,
  reply: noDraft,
  note: noDraft,
  mail: noMailDraft,
};

/** Holds what localStorage cannot: files, and texts that were not stored. */
const inMemory = new Map<string, { drafts: Drafts; isStored: boolean }>();
onLogout(() => inMemory.clear());

function recall(sessionId: string): Drafts {
  const kept = inMemory.get(sessionId);
  if (kept && !kept.isStored) return kept.drafts;
  // Another window may have sent or changed the text since, so the stored text wins.
  const stored = readDrafts(sessionId);
  const { isNote, isVisibleToAi, reply, note } = kept?.drafts ?? noDrafts;
  return {
    isNote: stored?.isNote ?? isNote,
    isVisibleToAi: stored?.isVisibleToAi ?? isVisibleToAi,
    reply: { ...reply, text: stored?.reply ?? '' },
    note: { ...note, text: stored?.note ?? '' },
    mail: stored?.mail ?? noMailDraft,
  };
}

function keep(sessionId: string, drafts: Drafts): void {
  const { isNote, isVisibleToAi, reply, note, mail } = drafts;
  const texts = { reply: reply.text, note: note.text };
  const isStored = storeDrafts(sessionId, { isNote, isVisibleToAi, ...texts, mail });
  const isEmpty =
    isMailDraftEmpty(mail) && [reply, note].every(({ text, uploads }) => text === '' && uploads.length === 0);
  if (isEmpty) inMemory.delete(sessionId);
  else inMemory.set(sessionId, { drafts, isStored });
}

/** Shows the draft of an open conversation again, by its id. */
const shown = new Map<string, (drafts: Drafts) => void>();

interface ReturnedReply extends Draft {
  /** Null: as the thread has it. */
  mail: MailDraft | null;
}

/** A reply that was not sent. It is put before what has been written since. */
export function returnToDraft(sessionId: string, { text, uploads, mail }: ReturnedReply): void {
  const drafts = recall(sessionId);
  const { reply } = drafts;
  const next: Drafts = {
    ...drafts,
    isNote: false,
    reply: {
      text: [text, reply.text].filter((one) => one !== '').join('\n'),
      uploads: [...uploads, ...reply.uploads],
    },
    mail: mail ?? drafts.mail,
  };
  // At once: the page may be about to close.
  keep(sessionId, next);
  shown.get(sessionId)?.(next);
}

export interface DraftChange {
  isNote?: boolean;
  isVisibleToAi?: boolean;
  text?: string;
  uploads?: readonly Upload[];
  /** Of the reply in either mode. */
  mail?: MailDraft;
}

/**
 * `text` and `uploads` are those of the open mode, Reply or Note; `change` switches the mode first. `only`: the other mode
 * is not possible here.
 */
export function useDrafts(sessionId: string, only: WriteMode | null) {
  const [drafts, setDrafts] = useState(() => recall(sessionId));
  const isNote = only === null ? drafts.isNote : only === 'note';
  const isUntouched = useRef(true);
  useEffect(() => {
    // Opening a conversation must not update the draft's age.
    if (isUntouched.current) return;
    keep(sessionId, drafts);
  }, [sessionId, drafts]);
  useEffect(
    () =>
      onDraftElsewhere(sessionId, () => {
        if (isUntouched.current) setDrafts(recall(sessionId));
      }),
    [sessionId],
  );
  useEffect(() => {
    shown.set(sessionId, (next) => {
      isUntouched.current = false;
      setDrafts(next);
    });
    return () => void shown.delete(sessionId);
  }, [sessionId]);
  const change = useCallback(
    ({ text, uploads, ...modes }: DraftChange) => {
      isUntouched.current = false;
      setDrafts((old) => {
        // A note stays a note when the contact is unblocked.
        const next = { ...old, ...modes, ...(only !== null && { isNote: only === 'note' }) };
        const mode = next.isNote ? 'note' : 'reply';
        return {
          ...next,
          [mode]: {
            text: text ?? next[mode].text,
            uploads: uploads ?? next[mode].uploads,
          },
        };
      });
    },
    [only],
  );
  return {
    isNote,
    isVisibleToAi: drafts.isVisibleToAi,
    mailDraft: drafts.mail,
    ...(isNote ? drafts.note : drafts.reply),
    change,
  };
}
