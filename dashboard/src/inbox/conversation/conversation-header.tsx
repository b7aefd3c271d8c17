/** Who is talked to, and who answers now: the agent, a person, or nobody yet. */

import { useNavigate } from '@tanstack/react-router';
import {
  ArrowLeft,
  ArrowRightLeft,
  Ban,
  Bot,
  Hand,
  MoreHorizontal,
  PanelRight,
  Pencil,
  Trash2,
} from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { useShortcut } from '../../app/shortcuts.tsx';
import { useAgents } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { MacroItem } from '../../macros/macro-actions.tsx';
import { avatarId, customerName } from '../../texts/customer-name.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Avatar } from '../../ui/display/avatar.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/overlays/menu.tsx';
import { BlockDialog } from '../customer/block-dialog.tsx';
import { DeleteDialog } from '../customer/delete-dialog.tsx';
import { RenameDialog } from '../customer/rename-dialog.tsx';
import { TranscriptItem } from '../customer/transcript-item.tsx';
import { TransferDialog } from '../customer/transfer-dialog.tsx';
import { changeSession, claim, setAiPaused, setBlocked } from '../data/inbox-actions.ts';
import { LabelItem, LifecycleButtons, SnoozeItem } from '../lifecycle/lifecycle-buttons.tsx';
import { StatusNote } from '../lifecycle/status-note.tsx';
import { AiState } from './ai-state.tsx';
import { Colleagues } from './collision-hint.tsx';
import { OwnerPicker } from './owner-picker.tsx';

const TranscriptDialog = lazy(() => import('../customer/transcript-dialog.tsx'));

interface HeaderProps {
  session: InboxSession;
  isContextOpen: boolean;
  onContext(open: boolean): void;
}

export function ConversationHeader({ session, isContextOpen, onContext }: HeaderProps) {
  const navigate = useNavigate();
  const agents = useAgents();
  const [opened, setOpened] = useState<'transfer' | 'block' | 'rename' | 'transcript' | 'delete' | null>(
    null,
  );
  const may = useMay('privacy.manage');
  const { aiPaused, needsAttention, blocked } = session;
  const agent = agents.find(({ id }) => id === session.agentId)?.name ?? t('inbox.ai.formerAgent');
  const name = customerName(session);
  // Waiting for a person: taking over is the main action, handing back the second one.
  const isWaiting = aiPaused && needsAttention;
  const takeOver = () => (isWaiting ? claim(session) : setAiPaused(session, true, agent));
  const handBack = () => setAiPaused(session, false, agent);
  // A blocked contact gets no replies, so there is nothing to take over.
  const offersTakeOver = !blocked && (!aiPaused || isWaiting);
  useShortcut('p', offersTakeOver ? takeOver : handBack, {
    label: offersTakeOver ? t('inbox.ai.takeOver') : t('inbox.ai.handBack'),
    group: 'inbox',
    enabled: !blocked,
  });
  useShortcut('t', () => setOpened('transfer'), { label: t('inbox.keys.transfer'), group: 'inbox' });
  const close = () => setOpened(null);
  return (
    <header className="@container flex h-12 shrink-0 items-center gap-1 border-b border-line bg-surface px-2 sm:gap-2 md:pl-4">
      <IconButton
        label={t('inbox.back')}
        tip={false}
        className="md:hidden"
        onClick={() => void navigate({ to: '/inbox' })}
      >
        <ArrowLeft className="size-4" />
      </IconButton>
      <Avatar id={avatarId(session)} name={name} size="medium" tip={false} />
      <div className="flex min-w-0 flex-1 flex-col leading-4">
        <h2 title={name} className="truncate font-semibold">
          {name}
        </h2>
        {session.status === 'open' ? (
          <AiState session={session} agent={agent} />
        ) : (
          <StatusNote session={session} />
        )}
      </div>
      <Colleagues sessionId={session.sessionId} />
      <OwnerPicker session={session} />
      {aiPaused && (
        <Button
          tone={isWaiting ? 'quiet' : 'plain'}
          title={t('inbox.ai.handBack')}
          className="max-sm:hidden"
          icon={<Bot className="size-3.5" />}
          onClick={handBack}
        >
          {/* Beside the other button there is no room for both names and the customer's. */}
          <span className={cx(isWaiting && '@max-2xl:sr-only')}>{t('inbox.ai.handBack')}</span>
        </Button>
      )}
      {offersTakeOver && (
        <Button
          tone={needsAttention ? 'primary' : 'plain'}
          icon={<Hand className="size-3.5" />}
          onClick={takeOver}
        >
          <span className="max-sm:sr-only">{t('inbox.ai.takeOver')}</span>
        </Button>
      )}
      <LifecycleButtons session={session} />
      <Menu
        align="end"
        trigger={
          <IconButton label={t('ui.more')} tip={false}>
            <MoreHorizontal className="size-4" />
          </IconButton>
        }
      >
        <SnoozeItem session={session} />
        <LabelItem session={session} />
        <MacroItem session={session} />
        {/* A phone has no room for these buttons. */}
        <div className="sm:hidden">
          {aiPaused && (
            <MenuItem icon={<Bot className="size-4" />} onSelect={handBack}>
              {t('inbox.ai.handBack')}
            </MenuItem>
          )}
          <MenuItem
            icon={<PanelRight className="size-4" />}
            shortcut="i"
            onSelect={() => onContext(!isContextOpen)}
          >
            {isContextOpen ? t('inbox.context.hide') : t('inbox.context.show')}
          </MenuItem>
        </div>
        <MenuItem
          icon={<ArrowRightLeft className="size-4" />}
          shortcut="t"
          onSelect={() => setOpened('transfer')}
        >
          {t('inbox.transfer')}
        </MenuItem>
        <MenuItem icon={<Pencil className="size-4" />} onSelect={() => setOpened('rename')}>
          {t('inbox.rename')}
        </MenuItem>
        <TranscriptItem onSelect={() => setOpened('transcript')} />
        <MenuItem
          icon={<Hand className="size-4" />}
          onSelect={() => changeSession(session, { needsAttention: !needsAttention }, t('inbox.markFailed'))}
        >
          {needsAttention ? t('inbox.markDone') : t('inbox.markUnread')}
        </MenuItem>
        <MenuLine />
        <MenuItem
          danger={!blocked}
          icon={<Ban className={cx('size-4', !blocked && 'text-danger')} />}
          onSelect={() => (blocked ? setBlocked(session, false) : setOpened('block'))}
        >
          {blocked ? t('inbox.unblock') : t('inbox.block')}
        </MenuItem>
        {may && (
          <MenuItem
            danger
            icon={<Trash2 className="size-4 text-danger" />}
            onSelect={() => setOpened('delete')}
          >
            {t('inbox.conversation.delete')}
          </MenuItem>
        )}
      </Menu>
      <IconButton
        label={isContextOpen ? t('inbox.context.hide') : t('inbox.context.show')}
        shortcut="i"
        aria-expanded={isContextOpen}
        className="max-sm:hidden"
        onClick={() => onContext(!isContextOpen)}
      >
        <PanelRight className="size-4" />
      </IconButton>
      {opened === 'transfer' && <TransferDialog session={session} onClose={close} />}
      {opened === 'block' && <BlockDialog session={session} onClose={close} />}
      {opened === 'delete' && <DeleteDialog session={session} onClose={close} />}
      {opened === 'rename' && <RenameDialog session={session} onClose={close} />}
      {opened === 'transcript' && (
        <Suspense>
          <TranscriptDialog session={session} onClose={close} />
        </Suspense>
      )}
    </header>
  );
}
