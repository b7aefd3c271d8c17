/** Sending what the composer holds. A reply with a placeholder that has no value is stopped once. */
import { type RefObject, useEffect, useState } from 'react';
import type { InboxSession } from '../../../../../contract/dashboard.ts';
import { limits } from '../../../../../contract/limits.ts';
import { type Draft, send } from '../../data/outbox.ts';
import type { MailReply } from '../../mail/use-mail-reply.ts';
import { scheduleReply } from '../later/schedule-reply.ts';
import type { SendTime } from '../later/scheduled-data.ts';
import { type Placeholder, placeholdersIn } from '../saved/placeholders.ts';

export interface SendChoice {
  /** Undefined: as the workspace has it. */
  pauseAi?: boolean;
  resolves?: boolean;
}

interface SendingOptions
  extends Pick<Draft, 'uploads' | 'isNote' | 'isNoteVisibleToAi' | 'replyToMessageId'> {
  session: InboxSession;
  area: RefObject<HTMLTextAreaElement | null>;
  text: string;
  pauseAi: boolean | null;
  /** Of a reply by e-mail. */
  mail: MailReply | null;
  /** False: its text is still being written. */
  isReady: boolean;
  mentionedUserIds(): readonly string[];
  onSent(): void;
}

export function useSending(options: SendingOptions) {
  const { session, area, text, uploads, isNote, isNoteVisibleToAi } = options;
  const [stopped, setStopped] = useState<SendChoice | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text is another question
  useEffect(() => setStopped(null), [text, isNote]);
  const unfilled: Placeholder[] = isNote ? [] : placeholdersIn(text);
  const canSend =
    options.isReady &&
    text.length <= limits.messageLength &&
    (text.trim() !== '' || uploads.length > 0) &&
    uploads.every((upload) => upload.error === null) &&
    !options.mail?.error;

  const sendAnyway = ({ pauseAi = options.pauseAi ?? undefined, resolves = false }: SendChoice = {}) => {
    const { sessionId, channelId } = session;
    send(
      { sessionId, channelId },
      {
        content: text.trim(),
        uploads,
        isNote,
        isNoteVisibleToAi,
        mentionedUserIds: options.mentionedUserIds(),
        replyToMessageId: options.replyToMessageId,
        mail: options.mail?.input ?? null,
        pauseAi: isNote ? false : (pauseAi ?? null),
        resolves: !isNote && resolves,
      },
    );
    setStopped(null);
    options.onSent();
    area.current?.focus();
  };
  const submit = (choice: SendChoice = {}) => {
    if (!canSend) return;
    const [first] = unfilled;
    if (!first) return sendAnyway(choice);
    setStopped(choice);
    // Selected, so that typing replaces it.
    area.current?.focus();
    area.current?.setSelectionRange(first.at, first.at + first.text.length);
  };
  const schedule = async (time: SendTime) => {
    if (!canSend) return;
    const { replyToMessageId, pauseAi } = options;
    const mail = options.mail?.input ?? null;
    const reply = { content: text.trim(), uploads, replyToMessageId, pauseAi: pauseAi ?? false, mail };
    if (await scheduleReply(session, reply, time)) options.onSent();
  };
  return {
    canSend,
    submit,
    schedule: (time: SendTime) => void schedule(time),
    /** What keeps the reply from being sent. */
    unfilled: stopped ? unfilled : [],
    sendAnyway: () => sendAnyway(stopped ?? {}),
  };
}
