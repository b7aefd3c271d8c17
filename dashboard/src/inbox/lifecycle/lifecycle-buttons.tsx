/** Resolve, snooze and reopen in the header of a conversation. The keys are in triage-keys.ts. */
import { AlarmClock, Check, RotateCcw, Tag } from 'lucide-react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { t } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { MenuItem } from '../../ui/overlays/menu.tsx';
import { labelling, snoozing } from './session-requests.ts';
import { useTriage } from './use-triage.ts';

export function LifecycleButtons({ session }: { session: InboxSession }) {
  const act = useTriage();
  const isOpen = session.status === 'open';
  return (
    <>
      {isOpen && (
        <IconButton
          label={t('lifecycle.snooze')}
          shortcut="h"
          className="@max-3xl:hidden"
          onClick={() => snoozing.begin([session])}
        >
          <AlarmClock className="size-4" />
        </IconButton>
      )}
      {isOpen ? (
        <Button
          title={t('lifecycle.resolve.hint')}
          icon={<Check className="size-3.5" />}
          onClick={() => act('resolve', [session])}
        >
          <span className="@max-3xl:sr-only">{t('lifecycle.resolve')}</span>
        </Button>
      ) : (
        <Button
          title={t('lifecycle.reopen')}
          icon={<RotateCcw className="size-3.5" />}
          onClick={() => act('reopen', [session])}
        >
          <span className="@max-3xl:sr-only">{t('lifecycle.reopen')}</span>
        </Button>
      )}
    </>
  );
}

/** Also in the menu: a narrow header has no room for the button. */
export function SnoozeItem({ session }: { session: InboxSession }) {
  return (
    <MenuItem
      icon={<AlarmClock className="size-4" />}
      shortcut="h"
      onSelect={() => snoozing.begin([session])}
    >
      {t('lifecycle.snooze.menu')}
    </MenuItem>
  );
}

export function LabelItem({ session }: { session: InboxSession }) {
  return (
    <MenuItem icon={<Tag className="size-4" />} shortcut="l" onSelect={() => labelling.begin([session])}>
      {t('lifecycle.label')}
    </MenuItem>
  );
}
