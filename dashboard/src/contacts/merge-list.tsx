/** Merges of the last weeks. The latest can be undone; one before it after that. */
import { Merge, Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { ContactDetails, MergeDone } from '../../../contract/contacts.ts';
import { useMay } from '../data/session.ts';
import { dayAndTime } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { undoMerge } from './contact-actions.ts';
import { ContactPart, rowClass, rowsClass } from './contact-part.tsx';
import { shownIdentifier } from './contact-words.tsx';

export function MergeList({ contact: { merges } }: { contact: ContactDetails }) {
  if (merges.length === 0) return null;
  return (
    <ContactPart title={t('contacts.merges')}>
      <ul aria-label={t('contacts.merges')} className={rowsClass}>
        {merges.map((merge, index) => (
          <MergeRow key={merge.mergeId} merge={merge} isLatest={index === 0} />
        ))}
      </ul>
    </ContactPart>
  );
}

function MergeRow({ merge, isLatest }: { merge: MergeDone; isLatest: boolean }) {
  const mayUndo = useMay('contacts.edit');
  const [busy, setBusy] = useState(false);
  const values = merge.identifiers.map(shownIdentifier);
  const undo = async () => {
    setBusy(true);
    await undoMerge(merge.mergeId);
    setBusy(false);
  };
  return (
    <li className={rowClass}>
      <Merge aria-hidden className="size-4 shrink-0 text-faint" />
      <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2 py-1.5">
        <span className="min-w-0 truncate font-medium">
          {merge.name ?? values[0] ?? t('contacts.contact')}
        </span>
        <span className="min-w-0 text-sm text-muted wrap-anywhere">
          {[...(merge.name === null ? values.slice(1) : values), dayAndTime(merge.at)].join(' · ')}
        </span>
      </span>
      {!mayUndo ? null : isLatest ? (
        <Button size="small" busy={busy} icon={<Undo2 className="size-3.5" />} onClick={() => void undo()}>
          {t('contacts.merges.undo')}
        </Button>
      ) : (
        <span className="text-sm text-muted">{t('contacts.merges.laterFirst')}</span>
      )}
    </li>
  );
}
