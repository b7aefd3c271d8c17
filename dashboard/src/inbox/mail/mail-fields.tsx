/** Above the text of a reply by e-mail: who gets it; its subject and Cc, folded into one line until they are needed. */
import { ChevronRight, Quote, X } from 'lucide-react';
import { useId, useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import { t, tn } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import type { MailReply } from './use-mail-reply.ts';

export function MailFields({ reply }: { reply: MailReply }) {
  const { draft, change, cc, defaultSubject, error } = reply;
  const [isWanted, setIsWanted] = useState(draft.subject !== null);
  const isOpen = isWanted || error !== '';
  const id = useId();
  return (
    <div className="px-2 pt-1.5">
      <ReplyTo reply={reply} />
      <RecipientsLine reply={reply} />
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsWanted(!isOpen)}
        className="flex min-h-6 max-w-full items-center gap-1 rounded-control px-1 text-sm text-muted hover:text-ink"
      >
        <ChevronRight
          aria-hidden
          className={cx('size-3.5 shrink-0 transition-transform', isOpen && 'rotate-90')}
        />
        <span className="truncate">
          {isOpen
            ? t('mail.subjectAndCc')
            : draft.subject?.trim() || defaultSubject || t('mail.subjectAndCc')}
        </span>
      </button>
      <div id={id} hidden={!isOpen} className="flex flex-col gap-2 px-1 pt-1">
        <TextField
          label={t('mail.subject')}
          value={draft.subject ?? ''}
          placeholder={defaultSubject}
          maxLength={limits.mailSubjectLength}
          onChange={(subject) => change({ subject: subject === '' ? null : subject })}
        />
        <TextField
          label={t('mail.cc')}
          value={cc}
          error={error}
          hint={t('mail.addressesHint')}
          spellCheck={false}
          onChange={(written) => change({ cc: written })}
        />
      </div>
    </div>
  );
}

/** Who gets the reply. Everybody but the last recipient of To can be taken out. */
function RecipientsLine({ reply }: { reply: MailReply }) {
  const { change, cc: written, draft, leftOut, missing, recipients } = reply;
  const { to, cc } = recipients;
  const without = (list: readonly string[], address: string) =>
    list.filter((one) => one !== address).join(', ');
  const addAll = () =>
    change({ cc: [...(written.trim() === '' ? [] : [written.trim()]), ...missing].join(', ') });
  return (
    <fieldset
      aria-label={t('mail.recipients')}
      className="flex max-h-28 flex-wrap items-center gap-x-2 gap-y-1 overflow-y-auto px-1 pb-1 text-sm"
    >
      <AddressList
        label={t('mail.to')}
        addresses={to}
        onRemove={to.length > 1 ? (address) => change({ to: without(to, address) }) : undefined}
      />
      <AddressList
        label={t('mail.cc')}
        addresses={cc}
        onRemove={(address) => change({ cc: without(cc, address) })}
      />
      {(cc.length > 0 || to.length > 1) && (
        <Button size="small" onClick={() => change({ to: to.length > 1 ? to[0]! : draft.to, cc: '' })}>
          {t('mail.senderOnly')}
        </Button>
      )}
      {missing.length > 0 && (
        <Button size="small" title={missing.join(', ')} onClick={addAll}>
          {t('mail.replyToAll')}
        </Button>
      )}
      {leftOut > 0 && (
        <p className="basis-full text-muted">
          {tn('mail.leftOut', leftOut, { max: String(limits.mailRecipients) })}
        </p>
      )}
    </fieldset>
  );
}

interface AddressListProps {
  label: string;
  addresses: readonly string[];
  onRemove?(address: string): void;
}

function AddressList({ label, addresses, onRemove }: AddressListProps) {
  if (addresses.length === 0) return null;
  return (
    <>
      <span className="text-muted">{label}</span>
      {addresses.map((address) => (
        <span
          key={address}
          className="flex min-h-6 max-w-full items-center gap-1 rounded-control bg-sunken px-1.5"
        >
          <span className="truncate">{address}</span>
          {onRemove && (
            <button
              type="button"
              aria-label={t('mail.removeAddress', { address })}
              onClick={() => onRemove(address)}
              className="flex size-6 shrink-0 items-center justify-center rounded-control text-faint hover:bg-hover hover:text-ink"
            >
              <X aria-hidden className="size-3.5" />
            </button>
          )}
        </span>
      ))}
    </>
  );
}

/** An address that is not the customer's gets a reply only if the operator chooses it. */
function ReplyTo({ reply: { draft, change, otherReplyTo } }: { reply: MailReply }) {
  if (draft.to !== null && draft.to === otherReplyTo) {
    return (
      <p className="flex flex-wrap items-center gap-2 px-1 text-sm">
        <span className="min-w-0 wrap-anywhere">{t('mail.goesTo', { address: draft.to })}</span>
        <Button size="small" onClick={() => change({ to: null })}>
          {t('mail.toCustomer')}
        </Button>
      </p>
    );
  }
  if (otherReplyTo === null) return null;
  return (
    <p className="flex flex-wrap items-center gap-2 px-1 text-sm text-muted">
      <span className="min-w-0 wrap-anywhere">{t('mail.otherReplyTo', { address: otherReplyTo })}</span>
      <Button size="small" className="max-w-full" onClick={() => change({ to: otherReplyTo })}>
        <span className="truncate">{t('mail.chooseReplyTo', { address: otherReplyTo })}</span>
      </Button>
    </p>
  );
}

/** Below the text: what the service adds to it. */
export function MailEnd({ reply: { signature, quotesLast } }: { reply: MailReply }) {
  if (!signature && !quotesLast) return null;
  return (
    <div className="mx-3 mb-2 flex flex-col gap-1 border-t border-line pt-2 text-sm text-muted">
      {signature && (
        <p
          role="note"
          aria-label={t('mail.signature')}
          title={t('mail.signature')}
          className="line-clamp-3 whitespace-pre-line wrap-anywhere"
        >
          {signature}
        </p>
      )}
      {quotesLast && (
        <p className="flex items-center gap-1.5">
          <Quote aria-hidden className="size-3 shrink-0" />
          {t('mail.quotesBelow')}
        </p>
      )}
    </div>
  );
}
