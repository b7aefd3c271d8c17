/** The button and the dialog of templates, on channels that have them. */
import { Megaphone } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { InboxSession } from '../../../../../contract/dashboard.ts';
import { useChannels } from '../../../data/queries.ts';
import { connectorOf } from '../../../settings/channels/connect/connector-data.ts';
import { t } from '../../../texts/texts.ts';
import { IconButton } from '../../../ui/controls/button.tsx';
import { hasTemplates } from './template-data.ts';

const TemplateDialog = lazy(() => import('./template-dialog.tsx'));

export interface Templates {
  open(): void;
  button: ReactNode;
  dialog: ReactNode;
}

/** Whether the customer can be sent one. */
export function useHasTemplates({ channelId, blocked }: InboxSession): boolean {
  const channel = useChannels().find(({ id }) => id === channelId);
  const connector = channel && connectorOf(channel);
  return connector ? hasTemplates(connector.kind) && !blocked : false;
}

/** Null: the channel has none. */
export function useTemplates(session: InboxSession): Templates | null {
  const [isOpen, setIsOpen] = useState(false);
  if (!useHasTemplates(session)) return null;
  const open = () => setIsOpen(true);
  return {
    open,
    button: (
      <IconButton label={t('template.button')} onClick={open}>
        <Megaphone className="size-4" />
      </IconButton>
    ),
    dialog: isOpen && (
      <Suspense fallback={null}>
        <TemplateDialog session={session} onClose={() => setIsOpen(false)} />
      </Suspense>
    ),
  };
}
