/** Beside the chat: the customer's card with its fields, the AI, and what else they have written. */

import { X } from 'lucide-react';
import { Suspense } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { lazyView } from '../../app/lazy-view.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { t, withTexts } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { useCopilotTasks } from '../copilot/copilot-data.ts';
import { CustomerCard } from './customer-card.tsx';
import { AboutSession, AiPart, LabelsPart, OtherConversations } from './session-parts.tsx';

const ContactPane = lazyView(
  withTexts('contacts', () => import('../../contacts/contact-pane.tsx')),
  'default',
);

const AskPart = lazyView(
  withTexts('copilot', () => import('../copilot/ask-part.tsx')),
  'default',
);

interface ContextPaneProps {
  session: InboxSession;
  width: number;
  /** There is no room beside the chat. */
  covers: boolean;
  onClose(): void;
}

export function ContextPane({ session, width, covers, onClose }: ContextPaneProps) {
  const { contactId } = session;
  const tasks = useCopilotTasks();
  useShortcut('escape', onClose, { label: t('ui.close'), group: 'inbox', enabled: covers });
  return (
    <aside
      aria-label={t('inbox.context')}
      style={covers ? undefined : { width }}
      className={cx(
        'flex shrink-0 flex-col bg-surface',
        covers &&
          'slide-in fixed inset-y-0 right-0 z-30 w-full border-l border-line shadow-float sm:w-[360px]',
      )}
    >
      <header className="flex h-12 shrink-0 items-center border-b border-line pr-2 pl-4">
        <h2 className="min-w-0 flex-1 truncate font-semibold">{t('inbox.context')}</h2>
        <IconButton label={t('inbox.context.hide')} tip={false} onClick={onClose}>
          <X className="size-4" />
        </IconButton>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: to be scrolled by keyboard */}
      <div tabIndex={0} className="min-h-0 flex-1 overflow-y-auto focus-visible:-outline-offset-2">
        {contactId && (
          <Suspense>
            <ContactPane contactId={contactId} />
          </Suspense>
        )}
        <CustomerCard session={session} />
        {tasks.includes('ask') && (
          <Suspense>
            <AskPart sessionId={session.sessionId} />
          </Suspense>
        )}
        <LabelsPart session={session} />
        <AiPart session={session} />
        <OtherConversations session={session} />
        <AboutSession session={session} />
      </div>
    </aside>
  );
}
