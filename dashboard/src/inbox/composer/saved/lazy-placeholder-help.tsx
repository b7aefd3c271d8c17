/** The help with its texts, for dialogs of several views. */
import { lazy, Suspense } from 'react';
import { withTexts } from '../../../texts/texts.ts';
import type { PlaceholderHelpProps } from './placeholder-help.tsx';

const Help = lazy(withTexts('placeholders', () => import('./placeholder-help.tsx')));

export function PlaceholderHelp(props: PlaceholderHelpProps) {
  return (
    <Suspense fallback={<div className="-mt-2 h-6" />}>
      <Help {...props} />
    </Suspense>
  );
}
