/** In a dialog that deletes something: the rules that refer to it. Loaded with its texts when it is shown. */
import { lazy, Suspense } from 'react';
import { useMay } from '../data/session.ts';
import { withTexts } from '../texts/texts.ts';

const RulesUsingList = lazy(withTexts('automation', () => import('./rules-using-list.tsx')));

export function RulesUsing({ id }: { id: string }) {
  const mayManage = useMay('automation.manage');
  if (!mayManage) return null;
  return (
    <Suspense fallback={null}>
      <RulesUsingList id={id} />
    </Suspense>
  );
}
