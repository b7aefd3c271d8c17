/** Above the text of a reply by e-mail: its subject and Cc, folded into one line until they are needed. */
import { ChevronRight, Quote } from 'lucide-react';
import { useId, useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import type { MailReply } from './use-mail-reply.ts';

export function MailFields({ reply }: { reply: MailReply }) {
  const { draft, change, defaultSubject, others, error } = reply;
  const [isOpen, setIsOpen] = useState(draft.cc !== '' || draft.subject !== null);
  const id = useId();
  const missing = others.filter((address) => !draft.cc.toLowerCase().includes(address));
  return (
    <div className="px-2 pt-1.5">
      <ReplyTo reply={reply} />
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
        className="flex min-h-6 max-w-full items-center gap-1 rounded-control px-1 text-sm text-muted hover:text-ink"
      >
        <ChevronRight
          aria-hidden
          className={cx('size-3.5 shrink-0 transition-transform', isOpen && 'rotate-90')}
        />
        <span className="truncate">
          {isOpen ? t('mail.subjectAndCc') : summaryOf(reply) || t('mail.subjectAndCc')}
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
          value={draft.cc}
          error={error}
          hint={t('mail.addressesHint')}
          spellCheck={false}
          onChange={(cc) => change({ cc })}
        />
        {missing.length > 0 && (
          <Button
            size="small"
            className="max-w-full self-start"
            onClick={() => change({ cc: [draft.cc.trim(), ...missing].filter(Boolean).join(', ') })}
          >
            <span className="truncate">{t('mail.addOthers', { addresses: missing.join(', ') })}</span>
          </Button>
        )}
      </div>
    </div>
  );
}

/** An address that is not the customer's gets a reply only if the operator chooses it. */
function ReplyTo({ reply: { draft, change, otherReplyTo } }: { reply: MailReply }) {
  if (draft.to !== null) {
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

const summaryOf = ({ draft, defaultSubject }: MailReply) =>
  [draft.subject?.trim() || defaultSubject, draft.cc.trim() && `${t('mail.cc')}: ${draft.cc.trim()}`]
    .filter(Boolean)
    .join(' · ');

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
