import { Link } from '@tanstack/react-router';
import { Bot, StickyNote } from 'lucide-react';
import type { FoundMessage } from '../../../../contract/messaging/message-search.ts';
import { useSignedIn } from '../../data/session.ts';
import { customerName } from '../../texts/customer-name.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { ChannelIcon } from '../../ui/display/channel-icon.tsx';
import { Time } from '../../ui/display/time.tsx';
import { Excerpt } from './excerpt.tsx';

/** Who wrote a message, as a list shows it. */
function authorName({ author, ...hit }: FoundMessage, userId: string): string {
  if (author.kind === 'customer') return customerName(hit);
  if (author.kind === 'system') return t('inbox.hits.system');
  if (author.id === userId) return t('inbox.role.you');
  return author.name ?? (author.kind === 'ai' ? t('inbox.ai.formerAgent') : '');
}

export function MessageHit({
  hit,
  q,
  isOpen,
  isTabStop,
}: {
  hit: FoundMessage;
  q: string;
  isOpen: boolean;
  isTabStop: boolean;
}) {
  const { user } = useSignedIn();
  const name = customerName(hit);
  const author = authorName(hit, user.id);
  const { excerpt, ranges } = hit.match ?? { excerpt: hit.content, ranges: [] };
  return (
    <Link
      to="/inbox/$sessionId"
      params={{ sessionId: hit.sessionId }}
      search={{ message: hit.id, q }}
      data-result={hit.id}
      data-session={hit.sessionId}
      tabIndex={isTabStop ? 0 : -1}
      aria-current={isOpen ? 'true' : undefined}
      className={cx(
        'relative flex flex-col gap-0.5 border-b border-line px-3 py-2 transition-colors focus-visible:-outline-offset-2',
        isOpen ? 'bg-accent-soft' : 'hover:bg-hover',
      )}
    >
      {isOpen && <span aria-hidden className="absolute inset-y-0 left-0 w-0.5 bg-accent" />}
      <span className="flex items-center gap-1.5">
        <span className="sr-only">{t('inbox.hits.message')}</span>
        <ChannelIcon type={hit.channelType} className="size-3 shrink-0 text-faint" />
        <span title={name} className="min-w-0 flex-1 truncate font-medium">
          {name}
        </span>
        <Time at={hit.createdAt} className="tabular shrink-0 text-sm text-faint" />
      </span>
      <span className={cx('line-clamp-2 break-words', isOpen ? 'text-ink' : 'text-muted')}>
        {hit.author.kind !== 'customer' && (
          <span className="mr-1 inline-flex items-center gap-1 align-bottom text-sm text-faint">
            {hit.author.kind === 'ai' && <Bot aria-hidden className="size-3" />}
            {hit.isNote && <StickyNote aria-hidden className="size-3" />}
            {hit.isNote ? t('inbox.hits.noteBy', { name: author }) : t('inbox.hits.by', { name: author })}
          </span>
        )}
        <Excerpt text={excerpt} ranges={ranges} />
        {hit.match && hit.match.typos > 0 && (
          <span className="ml-1 text-sm text-faint">{t('inbox.hits.similar')}</span>
        )}
      </span>
    </Link>
  );
}
