/** The message that another one quotes, above it. A click leads there. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Reply } from 'lucide-react';
import type { InboxSession } from '../../../../../contract/dashboard.ts';
import type { Message } from '../../../../../contract/messaging/messages.ts';
import { t } from '../../../texts/texts.ts';
import { quotedQuery } from '../../data/message-data.ts';
import { excerptOf, useSpeaker } from './speaker.ts';

export function QuotedMessage({ session, messageId }: { session: InboxSession; messageId: string }) {
  const { sessionId } = session;
  const { data: message } = useQuery(quotedQuery(sessionId, messageId));
  return (
    <Link
      to="/inbox/$sessionId"
      params={{ sessionId }}
      search={{ message: messageId }}
      title={t('inbox.quote.open')}
      className="flex max-w-full items-center gap-1.5 rounded-control border-l-2 border-line-strong bg-sunken py-0.5 pr-2 pl-2 text-sm text-muted hover:text-ink"
    >
      <Reply aria-hidden className="size-3 shrink-0" />
      <span className="sr-only">{`${t('inbox.quote.open')} `}</span>
      {message ? <Excerpt session={session} message={message} /> : t('inbox.quote.earlier')}
    </Link>
  );
}

function Excerpt({ session, message }: { session: InboxSession; message: Message }) {
  const name = useSpeaker(message, session);
  return (
    <span className="min-w-0 truncate">
      <span className="font-medium">{name}</span> {excerptOf(message)}
    </span>
  );
}
