import { SquarePen } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useShortcut } from '../../app/shortcuts.tsx';
import { useMay } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { IconButton } from '../../ui/controls/button.tsx';

const NewConversation = lazy(() => import('./new-conversation.tsx'));

/** In the inbox's header. */
export function StartButton() {
  const [isOpen, setIsOpen] = useState(false);
  const enabled = useMay('conversations.reply');
  useShortcut('c', () => setIsOpen(true), { label: t('composer.start'), group: 'inbox', enabled });
  if (!enabled) return null;
  return (
    <>
      <IconButton label={t('composer.start')} shortcut="c" onClick={() => setIsOpen(true)}>
        <SquarePen className="size-4" />
      </IconButton>
      {isOpen && (
        <Suspense>
          <NewConversation onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
