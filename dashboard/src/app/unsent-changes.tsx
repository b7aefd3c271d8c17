/** Changes of an earlier visit that are too old to be sent without asking. */
import { type Change, unsentChanges } from '../data/store/changes.ts';
import { dateTime } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';

export default function UnsentChanges({ changes }: { changes: readonly Change[] }) {
  return (
    <Dialog
      open
      once
      onOpenChange={unsentChanges.later}
      title={t('unsent.title')}
      description={t('unsent.text')}
      footer={
        <>
          <Button onClick={unsentChanges.discard}>{t('unsent.discard')}</Button>
          <Button tone="primary" onClick={unsentChanges.send}>
            {t('unsent.send')}
          </Button>
        </>
      }
    >
      <ul className="flex flex-col gap-1.5">
        {changes.map(({ id, failed, at }) => (
          <li key={id} className="flex justify-between gap-4">
            <span className="min-w-0 truncate" title={failed}>
              {failed}
            </span>
            <time className="shrink-0 text-muted">{dateTime(at)}</time>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
