/** Changes of an earlier visit: they are sent, unless they are too old to be sent without asking. */
import { useSyncExternalStore } from 'react';
import { currentPerson } from '../data/session.ts';
import type { Change } from '../data/store/changes.ts';
import * as resume from '../data/store/resume.ts';
import { dateTime } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';

async function resumeMessage(change: Change): Promise<void> {
  const person = currentPerson();
  const outbox = await import('../inbox/data/outbox.ts');
  if (currentPerson() === person) outbox.resumeMessage(change);
}

export const resumeChanges = () => resume.resumeChanges(resumeMessage);

const { unsentChanges } = resume;

export function UnsentChanges() {
  const changes = useSyncExternalStore(unsentChanges.subscribe, unsentChanges.get);
  if (changes.length === 0) return null;
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
          <Button tone="primary" onClick={() => unsentChanges.send(resumeMessage)}>
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
