/** Who is talked to, and who answers now: the agent, a person, or nobody yet. */

import { useNavigate } from '@tanstack/react-router';
import { ArrowLeft, Bot, Hand, PanelRight } from 'lucide-react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { useShortcut } from '../../app/shortcuts.tsx';
import { useAgents } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { avatarId, customerName } from '../../texts/customer-name.ts';
import { t } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Avatar } from '../../ui/display/avatar.tsx';
import { claim, setAiPaused } from '../data/inbox-actions.ts';
import { LifecycleButtons } from '../lifecycle/lifecycle-buttons.tsx';
import { StatusNote } from '../lifecycle/status-note.tsx';
import { SlaCountdown, slaWords } from '../list/sla-countdown.tsx';
import { AiState } from './ai-state.tsx';
import { useShownToColleagues } from './collision-hint.tsx';
import { ConversationMenu } from './conversation-menu.tsx';
import { OwnerPicker } from './owner-picker.tsx';

interface HeaderProps {
  session: InboxSession;
  isContextOpen: boolean;
  onContext(open: boolean): void;
}

export function ConversationHeader({ session, isContextOpen, onContext }: HeaderProps) {
  const navigate = useNavigate();
  const agents = useAgents();
  const mayReply = useMay('conversations.reply');
  const { aiPaused, needsAttention, blocked } = session;
  const agent = agents.find(({ id }) => id === session.agentId)?.name ?? t('inbox.ai.formerAgent');
  const name = customerName(session);
  // Waiting for a person: taking over is the main action, handing back the second one.
  const isWaiting = aiPaused && needsAttention;
  const takeOver = () => (isWaiting ? void claim(session) : setAiPaused(session, true, agent));
  const handBack = () => setAiPaused(session, false, agent);
  // A blocked contact gets no replies, so there is nothing to take over.
  const offersTakeOver = !blocked && (!aiPaused || isWaiting);
  useShownToColleagues(session.sessionId);
  useShortcut('p', offersTakeOver ? takeOver : handBack, {
    label: offersTakeOver ? t('inbox.ai.takeOver') : t('inbox.ai.handBack'),
    group: 'inbox',
    enabled: !blocked && mayReply,
    isChange: true,
  });
  return (
    <header className="@container flex h-12 shrink-0 items-center gap-1 border-b border-line bg-surface px-2 sm:gap-1.5 md:pl-4">
      <IconButton
        label={t('inbox.back')}
        tip={false}
        className="md:hidden"
        onClick={() => void navigate({ to: '/inbox' })}
      >
        <ArrowLeft className="size-4" />
      </IconButton>
      <Avatar id={avatarId(session)} name={name} size="medium" tip={false} />
      <div className="flex min-w-0 flex-1 flex-col leading-4 @sm:min-w-36">
        <div className="flex min-w-0 items-center gap-1.5">
          <h2 title={name} className="truncate font-semibold">
            {name}
          </h2>
          <SlaCountdown session={session} />
          <span className="sr-only">{slaWords(session)}</span>
        </div>
        {session.status === 'open' ? (
          <AiState session={session} agent={agent} />
        ) : (
          <StatusNote session={session} />
        )}
      </div>
      <OwnerPicker session={session} />
      {/* One of the two: the customer's name needs the place. The menu has the other one. */}
      {aiPaused && !offersTakeOver && mayReply && (
        <Button
          title={t('inbox.ai.handBack')}
          className="max-sm:hidden"
          icon={<Bot className="size-3.5" />}
          onClick={handBack}
        >
          <span className="@max-lg:sr-only">{t('inbox.ai.handBack')}</span>
        </Button>
      )}
      {offersTakeOver && mayReply && (
        <Button
          tone={needsAttention ? 'primary' : 'plain'}
          title={t('inbox.ai.takeOver')}
          icon={<Hand className="size-3.5" />}
          onClick={takeOver}
        >
          <span className="@max-lg:sr-only">{t('inbox.ai.takeOver')}</span>
        </Button>
      )}
      {mayReply && <LifecycleButtons session={session} />}
      <ConversationMenu
        session={session}
        isContextOpen={isContextOpen}
        onContext={onContext}
        isWaiting={isWaiting}
        onHandBack={handBack}
      />
      <IconButton
        label={isContextOpen ? t('inbox.context.hide') : t('inbox.context.show')}
        shortcut="i"
        aria-expanded={isContextOpen}
        className="max-sm:hidden"
        onClick={() => onContext(!isContextOpen)}
      >
        <PanelRight className="size-4" />
      </IconButton>
    </header>
  );
}
