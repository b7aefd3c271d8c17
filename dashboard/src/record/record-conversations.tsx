import { Link } from '@tanstack/react-router';
import { CirclePause, MessageSquare } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Session } from '../../../contract/messaging/sessions.ts';
import { customerName } from '../texts/customer-name.ts';
import { t, tn } from '../texts/texts.ts';
import { Badge } from '../ui/display/badge.tsx';
import { Time } from '../ui/display/time.tsx';

export function RecordConversations({
  conversations,
  action,
}: {
  conversations: readonly Session[];
  action: ReactNode;
}) {
  return (
    <section className="border-t border-line px-5 py-4">
      <div className="mb-2 flex items-center justify-between gap-2">
        <h3 className="font-medium">{t('record.conversations')}</h3>
        {action}
      </div>
      <ul className="flex flex-col gap-px">
        {conversations.map((session) => (
          <li key={session.sessionId}>
            <Link
              to="/inbox/$sessionId"
              params={{ sessionId: session.sessionId }}
              className="-mx-2 flex h-9 items-center gap-2 rounded-control px-2 hover:bg-hover"
            >
              <MessageSquare className="size-4 shrink-0 text-faint" />
              <span title={customerName(session)} className="min-w-0 flex-1 truncate">
                {customerName(session)}
              </span>
              {session.unread > 0 && <Badge hue="blue">{tn('board.unread', session.unread)}</Badge>}
              {session.needsAttention && <Badge hue="orange">{t('record.needsAttention')}</Badge>}
              {session.aiPaused && (
                <CirclePause aria-label={t('record.aiPaused')} className="size-3.5 text-faint" />
              )}
              <Time at={session.lastMessageAt} className="tabular text-sm text-faint" />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
