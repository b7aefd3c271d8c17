/** In the menu of a conversation or a card: why rules did or did not run for it. */
import { Workflow } from 'lucide-react';
import { lazy } from 'react';
import { t, withTexts } from '../texts/texts.ts';
import { MenuItem } from '../ui/overlays/menu.tsx';

export const VerdictsDialog = lazy(
  withTexts(
    'macros',
    withTexts('automation', () => import('./verdicts-dialog.tsx')),
  ),
);

export const VerdictsItem = ({ onSelect }: { onSelect(): void }) => (
  <MenuItem icon={<Workflow className="size-4" />} onSelect={onSelect}>
    {t('record.rules')}
  </MenuItem>
);
