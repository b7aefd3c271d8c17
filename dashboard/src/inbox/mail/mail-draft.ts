/** Recipient, Cc and subject of the next reply of a conversation, kept with its text (composer/use-drafts.ts). */
import type { MailInput } from '../../../../contract/messaging/mail.ts';

export interface MailDraft {
  /** As written; null: everybody who got the answered mail. */
  cc: string | null;
  /** Null: as the thread has it. */
  subject: string | null;
  /** As written; null: the customer, or who wrote the last mail. */
  to: string | null;
}

export const noMailDraft: MailDraft = { cc: null, subject: null, to: null };

export const isMailDraftEmpty = ({ cc, subject, to }: MailDraft) =>
  cc === null && subject === null && to === null;

/** As it was stored, by this version or an older one. */
export function readMailDraft(stored: unknown): MailDraft {
  const { cc, subject, to } = (stored ?? {}) as { [name: string]: unknown };
  return {
    cc: typeof cc === 'string' ? cc : null,
    subject: typeof subject === 'string' ? subject : null,
    to: typeof to === 'string' ? to : null,
  };
}

/** What was to be sent, to be written again. */
export const mailDraftOf = (mail: MailInput | null | undefined): MailDraft | null =>
  mail
    ? {
        cc: mail.cc?.join(', ') ?? '',
        subject: mail.subject ?? null,
        to: mail.to === undefined ? null : [mail.to].flat().join(', '),
      }
    : null;
