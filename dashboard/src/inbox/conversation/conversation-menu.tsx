/** The menu in the header of a conversation, with the dialogs that it opens. */
import { ArrowRightLeft, Ban, Bot, Hand, MoreHorizontal, PanelRight, Pencil, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { useShortcut } from '../../app/shortcuts.tsx';
import { VerdictsDialog, VerdictsItem } from '../../automations/verdicts-item.tsx';
import { useMay } from '../../data/session.ts';
import { MacroItem } from '../../macros/macro-actions.tsx';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/overlays/menu.tsx';
import { TranslateAll } from '../copilot/copilot-parts.tsx';
import { BlockDialog } from '../customer/block-dialog.tsx';
import { DeleteDialog } from '../customer/delete-dialog.tsx';
import { RenameDialog } from '../customer/rename-dialog.tsx';
import { TranscriptItem } from '../customer/transcript-item.tsx';
import { TransferDialog } from '../customer/transfer-dialog.tsx';
import { changeSession, setBlocked } from '../data/inbox-actions.ts';
import { LabelItem, SnoozeItem } from '../lifecycle/lifecycle-buttons.tsx';

const TranscriptDialog = lazy(() => import('../customer/transcript-dialog.tsx'));

interface ConversationMenuProps {
  session: InboxSession;
  isContextOpen: boolean;
  onContext(open: boolean): void;
  /** Handing back has no button beside that for taking over. */
  isWaiting: boolean;
  onHandBack(): void;
}

type Opened = 'transfer' | 'block' | 'rename' | 'transcript' | 'rules' | 'delete';

export function ConversationMenu({
  session,
  isContextOpen,
  onContext,
  isWaiting,
  onHandBack,
}: ConversationMenuProps) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const mayReply = useMay('conversations.reply');
  const mayBlock = useMay('contacts.block');
  const mayDelete = useMay('privacy.manage');
  const { aiPaused, blocked } = session;
  useShortcut('t', () => setOpened('transfer'), {
    label: t('inbox.keys.transfer'),
    group: 'inbox',
    enabled: mayReply,
  });
  return (
    <>
      <Menu
        align="end"
        trigger={
          // On a large screen the menu may be empty for people who only read; the pane has a button of its own.
          <IconButton
            label={t('ui.more')}
            tip={false}
            className={cx(!mayReply && !mayBlock && !mayDelete && 'sm:hidden')}
          >
            <MoreHorizontal className="size-4" />
          </IconButton>
        }
      >
        {mayReply && (
          <>
            <SnoozeItem session={session} />
            <LabelItem session={session} />
            <MacroItem session={session} />
          </>
        )}
        {aiPaused && mayReply && (
          <div className={cx(!isWaiting && 'sm:hidden')}>
            <MenuItem icon={<Bot className="size-4" />} onSelect={onHandBack}>
              {t('inbox.ai.handBack')}
            </MenuItem>
          </div>
        )}
        {/* A phone has no room for this button. */}
        <div className="sm:hidden">
          <MenuItem
            icon={<PanelRight className="size-4" />}
            shortcut="i"
            onSelect={() => onContext(!isContextOpen)}
          >
            {isContextOpen ? t('inbox.context.hide') : t('inbox.context.show')}
          </MenuItem>
        </div>
        <TranslateAll sessionId={session.sessionId} />
        {mayReply && <ReplyItems session={session} onOpen={setOpened} />}
        {mayReply && <VerdictsItem onSelect={() => setOpened('rules')} />}
        {mayReply && (mayBlock || mayDelete) && <MenuLine />}
        {mayBlock && (
          <MenuItem
            danger={!blocked}
            icon={<Ban className={cx('size-4', !blocked && 'text-danger')} />}
            onSelect={() => (blocked ? setBlocked(session, false) : setOpened('block'))}
          >
            {blocked ? t('inbox.unblock') : t('inbox.block')}
          </MenuItem>
        )}
        {mayDelete && (
          <MenuItem
            danger
            icon={<Trash2 className="size-4 text-danger" />}
            onSelect={() => setOpened('delete')}
          >
            {t('inbox.conversation.delete')}
          </MenuItem>
        )}
      </Menu>
      <Dialogs session={session} opened={opened} onClose={() => setOpened(null)} />
    </>
  );
}

/** Those that change the conversation. */
function ReplyItems({ session, onOpen }: { session: InboxSession; onOpen(what: Opened): void }) {
  const { needsAttention } = session;
  return (
    <>
      <MenuItem icon={<ArrowRightLeft className="size-4" />} shortcut="t" onSelect={() => onOpen('transfer')}>
        {t('inbox.transfer')}
      </MenuItem>
      <MenuItem icon={<Pencil className="size-4" />} onSelect={() => onOpen('rename')}>
        {t('inbox.rename')}
      </MenuItem>
      <TranscriptItem onSelect={() => onOpen('transcript')} />
      <MenuItem
        icon={<Hand className="size-4" />}
        onSelect={() => changeSession(session, { needsAttention: !needsAttention }, t('inbox.markFailed'))}
      >
        {needsAttention ? t('inbox.markDone') : t('inbox.markUnread')}
      </MenuItem>
    </>
  );
}

interface DialogsProps {
  session: InboxSession;
  opened: Opened | null;
  onClose(): void;
}

function Dialogs({ session, opened, onClose }: DialogsProps) {
  return (
    <>
      {opened === 'transfer' && <TransferDialog session={session} onClose={onClose} />}
      {opened === 'block' && <BlockDialog session={session} onClose={onClose} />}
      {opened === 'rules' && (
        <Suspense>
          <VerdictsDialog place={{ kind: 'session', id: session.sessionId }} onClose={onClose} />
        </Suspense>
      )}
      {opened === 'delete' && <DeleteDialog session={session} onClose={onClose} />}
      {opened === 'rename' && <RenameDialog session={session} onClose={onClose} />}
      {opened === 'transcript' && (
        <Suspense>
          <TranscriptDialog session={session} onClose={onClose} />
        </Suspense>
      )}
    </>
  );
}
