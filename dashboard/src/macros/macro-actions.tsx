/** Where a macro is started from: the key, the menu of a conversation, and the dialog that all of them open. */
import { Zap } from 'lucide-react';
import { lazy, Suspense } from 'react';
import type { InboxSession } from '../../../contract/dashboard.ts';
import { t, withTexts } from '../texts/texts.ts';
import { MenuItem } from '../ui/overlays/menu.tsx';
import { macroRequest, useMacroRequest } from './macro-request.ts';

const MacroDialog = lazy(withTexts('macros', () => import('./run/macro-dialog.tsx')));

export function MacroItem({ session }: { session: InboxSession }) {
  return (
    <MenuItem icon={<Zap className="size-4" />} shortcut="m" onSelect={() => macroRequest.begin([session])}>
      {t('lifecycle.macro')}
    </MenuItem>
  );
}

/** Mounted once with the inbox. */
export function MacroDialogs() {
  const request = useMacroRequest();
  return <Suspense>{request && <MacroDialog {...request} onClose={macroRequest.end} />}</Suspense>;
}
