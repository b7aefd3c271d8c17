import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Ban, Eye, MessageSquareOff } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { lazyView } from '../../app/lazy-view.tsx';
import { useForgetGone, useRecent, useRemembered } from '../../app/remembered.ts';
import { useShortcut } from '../../app/shortcuts.tsx';
import { useMay } from '../../data/session.ts';
import { customerName } from '../../texts/customer-name.ts';
import { t, withTexts } from '../../texts/texts.ts';
import { bottomBar } from '../../ui/bottom-bar.ts';
import { Button } from '../../ui/controls/button.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/display/states.tsx';
import { Composer } from '../composer/composer.tsx';
import { useWriteModes } from '../composer/write-modes.ts';
import { useCopilotTasks } from '../copilot/copilot-data.ts';
import { ContextPane } from '../customer/context-pane.tsx';
import { setBlocked } from '../data/inbox-actions.ts';
import { sessionQuery } from '../data/session-data.ts';
import { MailDialogs } from '../mail/mail-dialogs.tsx';
import { Resizer } from '../resizer.tsx';
import { Chat } from './chat.tsx';
import { CollisionHint } from './collision-hint.tsx';
import { ConversationHeader } from './conversation-header.tsx';

const ConversationSummary = lazyView(
  withTexts('copilot', () => import('../copilot/conversation-summary.tsx')),
  'default',
);

const isWide = matchMedia('(min-width: 1100px)');

export function ConversationRoute() {
  const { sessionId } = useParams({ from: '/shell/inbox/$sessionId' });
  const navigate = useNavigate();
  const query = useQuery(sessionQuery(sessionId));
  const isGone = useForgetGone('session', sessionId, query.error);
  if (isGone) {
    return (
      <EmptyState
        icon={<MessageSquareOff className="size-4" />}
        title={t('inbox.gone.title')}
        text={t('inbox.gone.text')}
        action={<Button onClick={() => void navigate({ to: '/inbox' })}>{t('inbox.back')}</Button>}
      />
    );
  }
  if (query.data) return <Conversation key={sessionId} session={query.data} />;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <div role="status" aria-label={t('ui.loading')} className="flex flex-1 flex-col">
      <div className="flex h-12 items-center gap-3 border-b border-line px-4">
        <Skeleton className="size-6 rounded-full" />
        <Skeleton className="h-4 w-40" />
      </div>
    </div>
  );
}

function Conversation({ session }: { session: InboxSession }) {
  const [remembered, remember] = useRemembered('inbox-context', true);
  // Where it would cover the chat, it opens only on request.
  const [covers, setCovers] = useState(!isWide.matches);
  const [isCoverOpen, setIsCoverOpen] = useState(false);
  const [width, setWidth] = useRemembered('inbox-context-width', 320);
  useEffect(() => {
    const look = () => setCovers(!isWide.matches);
    isWide.addEventListener('change', look);
    return () => isWide.removeEventListener('change', look);
  }, []);
  useRecent('session', session.sessionId, customerName(session));
  const tasks = useCopilotTasks();
  const mayWrite = useWriteModes(session).length > 0;
  const isOpen = covers ? isCoverOpen : remembered;
  const setIsOpen = covers ? setIsCoverOpen : remember;
  useShortcut('i', () => setIsOpen(!isOpen), { label: t('inbox.keys.context'), group: 'inbox' });
  useEffect(() => {
    document.title = `${customerName(session)} · ${t('app.name')}`;
  }, [session]);
  return (
    <>
      <section aria-label={customerName(session)} className="flex min-w-0 flex-1 flex-col">
        <ConversationHeader session={session} isContextOpen={isOpen} onContext={setIsOpen} />
        {tasks.includes('summarize') && (
          <Suspense>
            <ConversationSummary session={session} />
          </Suspense>
        )}
        <Chat session={session} />
        {mayWrite ? (
          <Composer session={session} blockedBar={<BlockedBar session={session} />} />
        ) : (
          <ReadOnlyBar session={session} />
        )}
        {session.channelType === 'email' && <MailDialogs sessionId={session.sessionId} />}
      </section>
      {isOpen && !covers && (
        <Resizer
          label={t('inbox.resizeContext')}
          width={width}
          onChange={setWidth}
          min={280}
          max={520}
          pane="after"
        />
      )}
      {isOpen && (
        <ContextPane session={session} width={width} covers={covers} onClose={() => setIsOpen(false)} />
      )}
    </>
  );
}

/** In place of the composer, for people who may not write here. */
function ReadOnlyBar({ session }: { session: InboxSession }) {
  return (
    <div ref={bottomBar} className="shrink-0 px-3 pb-3 md:px-4">
      {session.blocked && <BlockedBar session={session} />}
      <CollisionHint sessionId={session.sessionId} />
      <p className="mx-auto flex max-w-3xl items-center gap-2 rounded-panel border border-line bg-sunken px-3 py-2 text-muted">
        <Eye aria-hidden className="size-4 shrink-0" />
        {t('inbox.readOnly')}
      </p>
    </div>
  );
}

function BlockedBar({ session }: { session: InboxSession }) {
  const mayUnblock = useMay('contacts.block');
  return (
    <div className="mx-auto mb-2 flex max-w-3xl items-center gap-2 rounded-panel bg-danger-soft px-3 py-1.5 text-danger">
      <Ban aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 flex-1">{t('inbox.blocked.text')}</p>
      {mayUnblock && (
        <Button size="small" onClick={() => setBlocked(session, false)}>
          {t('inbox.blocked.action')}
        </Button>
      )}
    </div>
  );
}
