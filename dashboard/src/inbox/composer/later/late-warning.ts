import type { InboxSession } from '../../../../../contract/dashboard.ts';
import { dayAndTime } from '../../../texts/format.ts';
import { t } from '../../../texts/texts.ts';
import { useHasTemplates } from '../window/use-templates.tsx';
import { closesAtOf } from '../window/use-window.ts';

/** What to say of a free text at that time; null: nothing, the reply window is open until then or has no end. */
export function useLateWarning(session: InboxSession): (sendAt: number) => string | null {
  const closesAt = closesAtOf(session);
  const hasTemplates = useHasTemplates(session);
  return (sendAt) => {
    if (closesAt === null || sendAt <= closesAt) return null;
    const closes = t('later.afterWindow', { time: dayAndTime(closesAt) });
    return hasTemplates ? `${closes} ${t('later.useTemplate')}` : closes;
  };
}
