import { SlidersHorizontal } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { t } from '../../texts/texts.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Popover } from '../../ui/overlays/popover.tsx';
import type { DisplayOptionsProps } from '../data/layout-props.ts';

const load = () => import('./display-form.tsx');
const DisplayForm = lazy(load);

/** What a card shows, and what the columns add up. */
export function DisplayOptions(props: DisplayOptionsProps) {
  return (
    <Popover
      align="end"
      label={t('board.display')}
      className="w-64"
      trigger={
        <IconButton label={t('board.display')} onPointerEnter={load}>
          <SlidersHorizontal className="size-4" />
        </IconButton>
      }
    >
      <Suspense fallback={<div className="h-64" />}>
        <DisplayForm {...props} />
      </Suspense>
    </Popover>
  );
}
