import { Link } from '@tanstack/react-router';
import { Ban, CirclePause, Hand, Pencil } from 'lucide-react';
import { type FocusEvent, type KeyboardEvent, type MouseEvent, memo, type ReactNode } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { toPlainText } from '../../../../contract/markdown/markdown.ts';
import { useCollision } from '../../data/collisions.ts';
import LabelChips from '../../labels/label-chips.tsx';
import { avatarId, customerName } from '../../texts/customer-name.ts';
import { t, tn } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Avatar } from '../../ui/display/avatar.tsx';
import { ChannelIcon } from '../../ui/display/channel-icon.tsx';
import { Time } from '../../ui/display/time.tsx';
import { Tooltip } from '../../ui/overlays/tooltip.tsx';
import { useHasDraft } from '../composer/draft-storage.ts';
import { SelectBox } from '../lifecycle/select-box.tsx';
import { selection, useIsSelected } from '../lifecycle/selection.ts';
import { statusIcons, statusText } from '../lifecycle/status-note.tsx';
import { collisionWords, RowPeople } from './row-people.tsx';
import { SlaCountdown, slaWords } from './sla-countdown.tsx';

/** What the last message was, in one line. */
function preview({ lastMessage }: InboxSession): string {
  if (!lastMessage) return t('inbox.preview.none');
  const { role, text, fileType } = lastMessage;
  const who =
    role === 'assistant'
      ? `${t('inbox.preview.ai')}: `
      : role === 'operator'
        ? `${t('inbox.preview.team')}: `
        : '';
  const kind = fileType?.split('/')[0];
  const file =
    fileType === null
      ? ''
      : kind === 'image'
        ? t('inbox.preview.picture')
        : kind === 'audio'
          ? t('inbox.preview.audio')
          : kind === 'video'
            ? t('inbox.preview.video')
            : t('inbox.preview.file');
  // One without anything was deleted.
  const gone = text === '' && fileType === null ? t('inbox.deletedHere') : '';
  return who + (toPlainText(text) || file || gone);
}

export interface SessionRowProps {
  session: InboxSession;
  isOpen: boolean;
  /** The list is one tab stop; arrows move inside it. */
  isTabStop: boolean;
  /** Null: nobody owns it. */
  owner: { id: string; name: string } | null;
  onFocus(event: FocusEvent<HTMLElement>): void;
  onKeyDown(event: KeyboardEvent<HTMLElement>): void;
  channelName: string;
  agentName: string;
}

export const SessionRow = memo(function SessionRow({
  session,
  isOpen,
  isTabStop,
  owner,
  onFocus,
  onKeyDown,
  channelName,
  agentName,
}: SessionRowProps) {
  const { sessionId, unread, needsAttention, aiPaused, blocked } = session;
  const name = customerName(session);
  const isSelected = useIsSelected(sessionId);
  const collision = useCollision(sessionId);
  const hasDraft = useHasDraft(sessionId);
  const marks = [
    isSelected && t('lifecycle.mark.selected'),
    statusText(session),
    slaWords(session),
    unread > 0 && tn('inbox.mark.unread', unread),
    needsAttention && t('inbox.mark.attention'),
    aiPaused && t('inbox.mark.paused'),
    blocked && t('inbox.mark.blocked'),
    owner && t('inbox.owner.is', { name: owner.name }),
    collisionWords(collision),
    hasDraft && t('composer.draft'),
  ].filter(Boolean);
  return (
    <div className="group relative">
      <Link
        to="/inbox/$sessionId"
        params={{ sessionId }}
        data-session={sessionId}
        tabIndex={isTabStop ? 0 : -1}
        onFocus={onFocus}
        onKeyDown={onKeyDown}
        onClick={selectRange}
        aria-current={isOpen ? 'page' : undefined}
        className={cx(
          'relative flex h-[76px] gap-2.5 border-b border-line px-3 py-2.5 transition-colors focus-visible:-outline-offset-2',
          isOpen || isSelected ? 'bg-accent-soft' : 'hover:bg-hover',
        )}
      >
        {isOpen && <span aria-hidden className="absolute inset-y-0 left-0 w-0.5 bg-accent" />}
        <span aria-hidden className="mt-0.5 flex">
          <Avatar id={avatarId(session)} name={name} size="large" tip={false} />
        </span>
        <div className="flex min-w-0 flex-1 flex-col">
          <div className="flex items-center gap-2">
            <span
              title={name}
              className={cx('min-w-0 flex-1 truncate', unread > 0 ? 'font-semibold' : 'font-medium')}
            >
              {name}
              {/* Announced right after the name, shown as marks. */}
              <span className="sr-only">{marks.join(', ')}</span>
            </span>
            <SlaCountdown session={session} />
            <Time
              at={session.lastMessageAt}
              className={cx('tabular text-sm', unread > 0 ? 'text-accent-ink' : 'text-faint')}
            />
          </div>
          <div className="flex items-center gap-2">
            <span className={cx('min-w-0 flex-1 truncate', unread > 0 ? 'text-ink' : 'text-muted')}>
              {preview(session)}
            </span>
            {unread > 0 && (
              <span
                aria-hidden
                className="tabular flex h-4 min-w-4 shrink-0 items-center justify-center rounded-full bg-accent px-1 text-xs font-semibold text-on-accent"
              >
                {unread > 99 ? '99+' : unread}
              </span>
            )}
          </div>
          <div className="flex items-center gap-1.5 text-sm text-faint">
            <ChannelIcon type={session.channelType} className="size-3 shrink-0" />
            <span title={`${channelName} · ${agentName}`} className="min-w-0 truncate">
              {channelName} · {agentName}
            </span>
            {session.labelIds.length > 0 ? (
              <span className="flex min-w-0 flex-1 basis-1/2 gap-1">
                <LabelChips ids={session.labelIds} most={2} />
              </span>
            ) : (
              <span className="flex-1" />
            )}
            {hasDraft && (
              <Mark tip={t('composer.draft')} className="text-accent-ink">
                <Pencil className="size-3.5" />
              </Mark>
            )}
            <StatusMark session={session} />
            {needsAttention && (
              <Mark tip={t('inbox.mark.attention')} className="text-warning">
                <Hand className="size-3.5" />
              </Mark>
            )}
            {aiPaused && (
              <Mark tip={t('inbox.mark.paused')} className="text-muted">
                <CirclePause className="size-3.5" />
              </Mark>
            )}
            {blocked && (
              <Mark tip={t('inbox.mark.blocked')} className="text-danger">
                <Ban className="size-3.5" />
              </Mark>
            )}
            <RowPeople collision={collision} owner={owner} />
          </div>
        </div>
      </Link>
      <SelectBox sessionId={sessionId} name={name} />
    </div>
  );
});

/** With Shift a click selects up to this row; the browser would open a window. */
function selectRange(event: MouseEvent<HTMLElement>): void {
  const { session } = event.currentTarget.dataset;
  if (!event.shiftKey || !session) return;
  event.preventDefault();
  selection.extendTo(session);
}

function StatusMark({ session }: { session: InboxSession }) {
  if (session.status === 'open') return null;
  const Icon = statusIcons[session.status];
  return (
    <Mark tip={statusText(session)!} className="text-muted">
      <Icon className="size-3.5" />
    </Mark>
  );
}

const Mark = ({ tip, className, children }: { tip: string; className: string; children: ReactNode }) => (
  <Tooltip text={tip}>
    <span aria-hidden className={cx('flex shrink-0', className)}>
      {children}
    </span>
  </Tooltip>
);
