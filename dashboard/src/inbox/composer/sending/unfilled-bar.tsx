import { Braces } from 'lucide-react';
import { t, tn } from '../../../texts/texts.ts';
import { Button } from '../../../ui/controls/button.tsx';
import type { Placeholder } from '../saved/placeholders.ts';

/** Why a reply was not sent, and the way to send it nevertheless. */
export function UnfilledBar({ unfilled, onSend }: { unfilled: readonly Placeholder[]; onSend(): void }) {
  const names = [...new Set(unfilled.map(({ text }) => text))];
  return (
    <div
      role="alert"
      className="mx-2 mb-2 flex flex-wrap items-center gap-x-2 gap-y-1 rounded-control bg-warning-soft px-2.5 py-1.5 text-sm text-warning"
    >
      <Braces aria-hidden className="size-3.5 shrink-0" />
      <span className="min-w-0 flex-1 basis-48 break-words">
        {tn('composer.unfilled', names.length, { names: names.join(', ') })}
      </span>
      <Button size="small" onClick={onSend}>
        {t('composer.unfilled.send')}
      </Button>
    </div>
  );
}
