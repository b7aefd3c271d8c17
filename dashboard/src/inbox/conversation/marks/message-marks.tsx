/** What happened to a message after it was written: edited, deleted, not delivered. */
import { CircleAlert, Megaphone, Paperclip, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { InboxSession } from '../../../../../contract/dashboard.ts';
import type { Message } from '../../../../../contract/messaging/messages.ts';
import { useMay } from '../../../data/session.ts';
import { fullDate } from '../../../texts/format.ts';
import { t } from '../../../texts/texts.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Tooltip } from '../../../ui/overlays/tooltip.tsx';
import { reasonInWords } from '../../data/reasons.ts';
import { canSendAgain, sendAgain } from '../../data/send-again.ts';

export const isDeleted = ({ deletedAt }: Message) => deletedAt !== null;

/** Beside the time. */
export function EditedMark({ message: { editedAt } }: { message: Message }) {
  if (editedAt === null) return null;
  return (
    <Tooltip text={t('inbox.edited.at', { time: fullDate(editedAt) })}>
      <span>{t('inbox.edited')}</span>
    </Tooltip>
  );
}

/** Deleted here: the text is gone. A customer's deletion keeps it for the operators. */
export const isGone = ({ deletedAt, content, attachments }: Message) =>
  deletedAt !== null && content === '' && attachments.length === 0;

/** Above the text, which operators still see. */
export function DeletedMark({ message }: { message: Message }) {
  if (!isDeleted(message)) return null;
  return (
    <Tooltip text={fullDate(message.deletedAt ?? 0)}>
      <span className="flex items-center gap-1 px-1 text-sm text-muted">
        <Trash2 aria-hidden className="size-3" />{' '}
        {isGone(message) ? t('inbox.deletedHere') : t('inbox.deleted')}
      </span>
    </Tooltip>
  );
}

/** A location, a contact, a poll: the text describes it. */
export function UnsupportedMark({ message: { data } }: { message: Message }) {
  if (!data?.providerPayload) return null;
  return (
    <span className="flex items-center gap-1 px-1 text-sm text-muted">
      <Paperclip aria-hidden className="size-3" /> {t('inbox.unsupported')}
    </span>
  );
}

/** The advertisement, link or code that led the customer here. */
export function ReferralMark({ message: { data } }: { message: Message }) {
  const { source, ref, adId } = (data?.referral ?? {}) as { [name: string]: string | null | undefined };
  const parts = [source, ref, adId].filter(Boolean);
  if (parts.length === 0) return null;
  return (
    <span className="flex items-center gap-1 px-1 text-sm text-muted">
      <Megaphone aria-hidden className="size-3" /> {t('inbox.referral', { source: parts.join(' · ') })}
    </span>
  );
}

/** Below the message, in words, with the way to send it again. */
export function FailureLine({ message, session }: { message: Message; session: InboxSession }) {
  const [state, setState] = useState<'failed' | 'sending' | 'sent'>('failed');
  const { status, statusReason } = message;
  const mayReply = useMay('conversations.reply');
  if (status !== 'failed') return null;
  const again = async () => {
    setState('sending');
    setState((await sendAgain(session, message)) ? 'sent' : 'failed');
  };
  return (
    <div className="flex max-w-full flex-wrap items-center justify-end gap-1 px-1 text-sm">
      {statusReason && (
        <p className="flex min-w-0 items-start gap-1 text-pretty text-danger wrap-anywhere">
          <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          {t('inbox.status.because', { reason: reasonInWords(statusReason) })}
        </p>
      )}
      {state !== 'sent' && mayReply && canSendAgain(message) && (
        <Button size="small" busy={state === 'sending'} onClick={() => void again()}>
          {t('inbox.sendAgain')}
        </Button>
      )}
    </div>
  );
}
