import { Link } from '@tanstack/react-router';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { customerName } from '../../texts/customer-name.ts';
import { cx } from '../../ui/class-names.ts';
import { Avatar } from '../../ui/display/avatar.tsx';
import { ChannelIcon } from '../../ui/display/channel-icon.tsx';
import { Time } from '../../ui/display/time.tsx';

/** A conversation in search results, in two lines. */
export function PersonRow({
  session,
  isOpen,
  isTabStop,
}: {
  session: InboxSession;
  isOpen: boolean;
  isTabStop: boolean;
}) {
  const name = customerName(session);
  const identifier = session.externalUserId ?? session.sessionId;
  return (
    <Link
      to="/inbox/$sessionId"
      params={{ sessionId: session.sessionId }}
      data-result={session.sessionId}
      data-session={session.sessionId}
      tabIndex={isTabStop ? 0 : -1}
      aria-current={isOpen ? 'page' : undefined}
      className={cx(
        'flex items-center gap-2.5 border-b border-line px-3 py-2 transition-colors focus-visible:-outline-offset-2',
        isOpen ? 'bg-accent-soft' : 'hover:bg-hover',
      )}
    >
      <span aria-hidden className="flex">
        <Avatar id={identifier} name={name} size="medium" tip={false} />
      </span>
      <span className="flex min-w-0 flex-1 flex-col">
        <span title={name} className="truncate font-medium">
          {name}
        </span>
        <span className="flex items-center gap-1.5 text-sm text-muted">
          <ChannelIcon type={session.channelType} className="size-3 shrink-0" />
          <span className="truncate">{identifier}</span>
        </span>
      </span>
      <Time at={session.lastMessageAt} className="tabular shrink-0 text-sm text-faint" />
    </Link>
  );
}
