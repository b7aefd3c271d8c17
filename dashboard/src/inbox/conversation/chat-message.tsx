import { Bot, Smartphone, Workflow } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Message, MessageAttachment } from '../../../../contract/messaging/messages.ts';
import { avatarId } from '../../texts/customer-name.ts';
import { clockTime, fullDate } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Avatar } from '../../ui/display/avatar.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { Markdown } from '../../ui/display/markdown.tsx';
import { Tooltip } from '../../ui/overlays/tooltip.tsx';
import { Translation } from '../copilot/copilot-parts.tsx';
import { MailParts, MailSubject } from '../mail/mail-parts.tsx';
import { Citations } from './citations.tsx';
import { HeldReply } from './held-reply.tsx';
import {
  DeletedMark,
  EditedMark,
  FailureLine,
  isDeleted,
  ReferralMark,
  UnsupportedMark,
} from './marks/message-marks.tsx';
import { QuotedMessage } from './marks/quoted-message.tsx';
import { useSpeaker } from './marks/speaker.ts';
import { SystemMessage } from './marks/system-message.tsx';
import { Attachments } from './media/attachments.tsx';
import type { ShownPicture } from './media/lightbox.tsx';
import { MessageActions } from './message-actions.tsx';
import { NoteMessage } from './note-message.tsx';
import { Receipt } from './receipt.tsx';
import { WhyAnswer } from './why/why-answer.tsx';

export interface ChatMessageProps {
  message: Message;
  startsGroup: boolean;
  endsGroup: boolean;
  isTabStop: boolean;
  subject: string | null;
  session: InboxSession;
  onPicture(picture: ShownPicture): void;
}

export const ChatMessage = memo(function ChatMessage(props: ChatMessageProps) {
  const { message, session } = props;
  if (message.role === 'system') return <SystemMessage message={message} sessionId={session.sessionId} />;
  if (message.isNote) return <NoteMessage note={message} session={session} onPicture={props.onPicture} />;
  if (message.held) return <HeldReply message={message} session={session} />;
  return <SaidMessage {...props} />;
});

/** Customer left, team right. The first message of a group shows the author; the AI has an icon and a badge. */
function SaidMessage(props: ChatMessageProps) {
  const { message, startsGroup, endsGroup, isTabStop, subject, session, onPicture } = props;
  const isCustomer = message.role === 'user' && !message.isEcho;
  const name = useSpeaker(message, session);
  const files = message.attachments as MessageAttachment[];
  const { replyToMessageId } = message;
  const hasText = message.content.trim() !== '';
  const attachments = files.length > 0 && (
    <Attachments files={files} align={isCustomer ? 'start' : 'end'} onPicture={onPicture} />
  );
  return (
    <article
      data-message={message.id}
      aria-label={t('inbox.role.saysAt', { name, time: clockTime(message.timestamp) })}
      className={cx(
        'group/message flex gap-2',
        isCustomer ? 'pr-10 sm:pr-16' : 'flex-row-reverse pl-10 sm:pl-16',
        startsGroup ? 'mt-3' : 'mt-0.5',
      )}
    >
      <div className="w-6 shrink-0">
        {startsGroup && <Face message={message} session={session} name={name} />}
      </div>
      <div className={cx('flex min-w-0 flex-col gap-0.5', isCustomer ? 'items-start' : 'items-end')}>
        {startsGroup && (
          <div className={cx('flex items-center gap-1.5 px-1 text-sm', !isCustomer && 'flex-row-reverse')}>
            <span className="font-medium">{name}</span>
            {message.role === 'assistant' && <Badge hue="purple">{t('inbox.role.ai')}</Badge>}
            {message.isEcho && <span className="text-faint">{t('inbox.role.echo')}</span>}
            {message.author && <Badge hue="blue">{t('inbox.role.rule')}</Badge>}
          </div>
        )}
        <MailSubject subject={subject} />
        {replyToMessageId && <QuotedMessage session={session} messageId={replyToMessageId} />}
        <DeletedMark message={message} />
        <UnsupportedMark message={message} />
        <ReferralMark message={message} />
        {hasText && attachments}
        {/* Without a text the menu is beside the files: a line of its own would look empty. */}
        <div className={cx('flex max-w-full items-center gap-1', !isCustomer && 'flex-row-reverse')}>
          {hasText ? (
            <Bubble
              from={isCustomer ? 'customer' : message.role === 'assistant' ? 'ai' : 'team'}
              endsGroup={endsGroup}
              isFaded={isDeleted(message)}
            >
              <Markdown text={message.content} labels={!isCustomer} />
            </Bubble>
          ) : (
            attachments
          )}
          <MessageActions
            message={message}
            sessionId={session.sessionId}
            channelType={session.channelType}
            isTabStop={isTabStop}
          />
        </div>
        <Translation sessionId={session.sessionId} message={message} />
        <Citations citations={message.citations} />
        {message.role === 'assistant' && <WhyAnswer message={message} sessionId={session.sessionId} />}
        <MailParts message={message} sessionId={session.sessionId} isCustomer={isCustomer} />
        {message.reactions.length > 0 && <Reactions reactions={message.reactions} />}
        <FailureLine message={message} session={session} />
        <div
          className={cx(
            'flex h-4 items-center gap-1 px-1 text-xs text-faint',
            !endsGroup && 'hidden group-hover/message:flex',
          )}
        >
          <Tooltip text={fullDate(message.timestamp)}>
            <time className="tabular">{clockTime(message.timestamp)}</time>
          </Tooltip>
          <EditedMark message={message} />
          {!isCustomer && <Receipt message={message} />}
        </div>
      </div>
    </article>
  );
}

function Face({ message, session, name }: { message: Message; session: InboxSession; name: string }) {
  if (message.role === 'assistant' || message.isEcho || message.author) {
    const Icon = message.isEcho ? Smartphone : message.author ? Workflow : Bot;
    return (
      <span className="flex size-6 items-center justify-center rounded-control border border-line-strong bg-surface text-muted">
        <Icon aria-hidden className="size-3.5" />
      </span>
    );
  }
  const id = message.operator?.id ?? avatarId(session);
  const shown = message.role === 'operator' ? (message.operator?.name ?? name) : name;
  return <Avatar id={id} name={shown} size="medium" tip={false} />;
}

const looks = {
  customer: 'bg-sunken text-ink dark:bg-raised',
  ai: 'border border-line-strong bg-surface text-ink',
  team: 'bg-accent text-on-accent',
};

export function Bubble({
  from,
  endsGroup = true,
  isFaded = false,
  children,
}: {
  from: keyof typeof looks;
  endsGroup?: boolean;
  /** The customer deleted it. */
  isFaded?: boolean;
  children: ReactNode;
}) {
  return (
    <div
      data-from={from}
      className={cx(
        'max-w-full min-w-0 rounded-xl px-3 py-1.5',
        looks[from],
        isFaded && 'line-through decoration-1 opacity-70',
        endsGroup && (from === 'customer' ? 'rounded-bl-sm' : 'rounded-br-sm'),
      )}
    >
      {children}
    </div>
  );
}

function Reactions({ reactions }: { reactions: string[] }) {
  const counts = new Map<string, number>();
  for (const emoji of reactions) counts.set(emoji, (counts.get(emoji) ?? 0) + 1);
  return (
    <div
      role="img"
      aria-label={t('inbox.reactions', { list: reactions.join(' ') })}
      className="z-10 -mt-2 flex gap-1 px-2"
    >
      {[...counts].map(([emoji, count]) => (
        <span
          key={emoji}
          className="flex h-5 max-w-24 items-center gap-1 truncate rounded-full border border-line bg-surface px-1.5 text-sm"
        >
          {emoji}
          {count > 1 && <span className="tabular text-xs text-muted">{count}</span>}
        </span>
      ))}
    </div>
  );
}
