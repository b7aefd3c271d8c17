/** The parts of a chat message that came or went as mail: its subject above it, and below it what else the mail has. */
import { useQuery } from '@tanstack/react-query';
import { Mail } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import type { MailAddress, MessageMail } from '../../../../contract/messaging/mail.ts';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { describeError } from '../../data/errors.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Spinner } from '../../ui/controls/button.tsx';
import { mailContentQuery, mailOf, nameOf } from './mail-data.ts';
import { requestMail } from './mail-request.ts';

/** Only where the conversation turns to another subject. */
export function MailSubject({ subject }: { subject: string | null }) {
  if (subject === null) return null;
  return (
    <p className="flex max-w-full items-start gap-1.5 px-1 pt-1.5 text-md font-semibold wrap-anywhere">
      <Mail aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
      <span className="min-w-0">
        <span className="sr-only">{`${t('mail.subject')}: `}</span>
        {subject || t('mail.noSubject')}
      </span>
    </p>
  );
}

interface MailPartsProps {
  message: Message;
  sessionId: string;
  isCustomer: boolean;
}

export function MailParts({ message, sessionId, isCustomer }: MailPartsProps) {
  const mail = mailOf(message);
  const [shown, setShown] = useState<'quoted' | 'details' | null>(null);
  const id = useId();
  if (!mail) return null;
  const toggle = (part: 'quoted' | 'details') => ({
    'aria-expanded': shown === part,
    'aria-controls': id,
    onClick: () => setShown(shown === part ? null : part),
  });
  return (
    <>
      <Doubts mail={mail} />
      {mail.cc.length > 0 && shown !== 'details' && (
        <p className="max-w-full truncate px-1 text-sm text-muted" title={listOf(mail.cc)}>
          {`${t('mail.cc')}: ${listOf(mail.cc)}`}
        </p>
      )}
      <div className={cx('flex flex-wrap gap-x-3 px-1 pb-1 text-sm', !isCustomer && 'justify-end')}>
        {mail.hasQuoted && (
          <PartButton {...toggle('quoted')}>
            {shown === 'quoted' ? t('mail.hideQuoted') : t('mail.showQuoted')}
          </PartButton>
        )}
        {mail.hasHtml && (
          <PartButton onClick={() => requestMail({ kind: 'view', sessionId, message })}>
            {t('mail.showHtml')}
          </PartButton>
        )}
        <PartButton {...toggle('details')}>
          {shown === 'details' ? t('mail.hideDetails') : t('mail.showDetails')}
        </PartButton>
      </div>
      {shown && (
        <div id={id} className="max-w-full">
          {shown === 'quoted' ? (
            <QuotedText sessionId={sessionId} messageId={message.id} />
          ) : (
            <Details mail={mail} />
          )}
        </div>
      )}
    </>
  );
}

/** Why the assistant does not answer this mail. */
function Doubts({ mail: { from, replyTo, isOther, isForged } }: { mail: MessageMail }) {
  const lines = [
    isForged && t('mail.isForged'),
    isOther && from && t('mail.isOther', { from: nameOf(from) }),
    replyTo?.[0] && t('mail.otherReplyTo', { address: replyTo[0].address }),
  ].filter((line) => typeof line === 'string');
  return lines.map((line) => (
    <p key={line} className="max-w-full px-1 pb-1 text-sm text-muted wrap-anywhere">
      {line}
    </p>
  ));
}

interface PartButtonProps {
  onClick(): void;
  children: ReactNode;
  'aria-expanded'?: boolean;
  'aria-controls'?: string;
}

const PartButton = (props: PartButtonProps) => (
  <button
    type="button"
    {...props}
    className="min-h-6 rounded-control text-muted underline-offset-2 hover:text-ink hover:underline"
  />
);

const box =
  'mb-1.5 max-w-full rounded-control border-l-2 border-line-strong bg-sunken px-3 py-1.5 text-muted';

function QuotedText({ sessionId, messageId }: { sessionId: string; messageId: string }) {
  const { data, error } = useQuery(mailContentQuery(sessionId, messageId));
  if (error) return <p className={box}>{describeError(error).text}</p>;
  if (!data) {
    return (
      <p className={box}>
        <Spinner />
      </p>
    );
  }
  return (
    <blockquote
      // biome-ignore lint/a11y/noNoninteractiveTabindex: to be scrolled by keyboard
      tabIndex={0}
      aria-label={t('mail.quoted')}
      className={cx(box, 'max-h-72 overflow-y-auto text-sm whitespace-pre-wrap wrap-anywhere')}
    >
      {data.quotedText ?? t('mail.noQuoted')}
    </blockquote>
  );
}

function Details({ mail: { subject, from, to, cc } }: { mail: MessageMail }) {
  const rows: [string, string][] = [
    [t('mail.from'), from ? nameOf(from) : ''],
    [t('mail.to'), listOf(to)],
    [t('mail.cc'), listOf(cc)],
    [t('mail.subject'), subject],
  ];
  return (
    <dl className={cx(box, 'grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-sm')}>
      {rows
        .filter(([, value]) => value !== '')
        .map(([label, value]) => (
          <div key={label} className="contents">
            <dt>{label}</dt>
            <dd className="min-w-0 text-ink wrap-anywhere">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

const listOf = (addresses: readonly MailAddress[]) => addresses.map(nameOf).join(', ');
