/** Send, and beside it the other ways to send: with or without the AI, as the last message for now, or later. */
import { Bot, CalendarClock, CheckCheck, ChevronDown, Hand, SendHorizontal } from 'lucide-react';
import { useState } from 'react';
import type { InboxSession } from '../../../../../contract/dashboard.ts';
import { t } from '../../../texts/texts.ts';
import { Button, IconButton } from '../../../ui/controls/button.tsx';
import { Menu, MenuItem, MenuLine } from '../../../ui/overlays/menu.tsx';
import { useLateWarning } from '../later/late-warning.ts';
import { LaterDialog } from '../later/later-dialog.tsx';
import type { SendTime } from '../later/scheduled-data.ts';
import type { TakeOver } from './take-over.tsx';
import type { SendChoice } from './use-sending.ts';

export interface SendButtonProps {
  session: InboxSession;
  canSend: boolean;
  takeOver: TakeOver;
  onSend(choice?: SendChoice): void;
  onSchedule(time: SendTime): void;
}

export function SendButton(props: SendButtonProps) {
  const { session, canSend, takeOver, onSend, onSchedule } = props;
  const warningOf = useLateWarning(session);
  const [isLater, setIsLater] = useState(false);
  return (
    <span className="flex">
      <Button
        tone="primary"
        disabled={!canSend}
        onClick={() => onSend()}
        icon={<SendHorizontal className="size-3.5" />}
        className="rounded-r-none"
      >
        {t('inbox.compose.send')}
      </Button>
      <Menu
        align="end"
        side="top"
        trigger={
          <IconButton
            tone="primary"
            tip={false}
            label={t('composer.send.more')}
            disabled={!canSend}
            className="w-6! rounded-l-none border-l border-l-on-accent/30!"
          >
            <ChevronDown className="size-3.5" />
          </IconButton>
        }
      >
        {!takeOver.isDecided && <TakeOverItems byDefault={takeOver.byDefault} onSend={onSend} />}
        <MenuItem
          icon={<CheckCheck className="size-4" />}
          shortcut="mod+shift+enter"
          onSelect={() => onSend({ resolves: true })}
        >
          {t('composer.send.resolve')}
        </MenuItem>
        <MenuItem icon={<CalendarClock className="size-4" />} onSelect={() => setIsLater(true)}>
          {t('later.menu')}
        </MenuItem>
      </Menu>
      {isLater && (
        <LaterDialog
          warningOf={warningOf}
          onClose={() => setIsLater(false)}
          onChoose={(time) => {
            setIsLater(false);
            onSchedule(time);
          }}
        />
      )}
    </span>
  );
}

/** The workspace's default has the key of Send, the other one a key of its own. */
function TakeOverItems({
  byDefault,
  onSend,
}: { byDefault: boolean | null } & Pick<SendButtonProps, 'onSend'>) {
  const keyOf = (pauseAi: boolean) => (byDefault === pauseAi ? 'enter' : 'alt+enter');
  return (
    <>
      <MenuItem
        icon={<Hand className="size-4" />}
        shortcut={keyOf(true)}
        onSelect={() => onSend({ pauseAi: true })}
      >
        {t('composer.send.takeOver')}
      </MenuItem>
      <MenuItem
        icon={<Bot className="size-4" />}
        shortcut={keyOf(false)}
        onSelect={() => onSend({ pauseAi: false })}
      >
        {t('composer.send.keepAi')}
      </MenuItem>
      <MenuLine />
    </>
  );
}
