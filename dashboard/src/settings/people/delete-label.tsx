/** Asks before a label is deleted, and says how many lose it. There is no undo: they would not get it back. */
import { useQuery } from '@tanstack/react-query';
import type { Label, LabelUsage } from '../../../../contract/labels.ts';
import { limits } from '../../../../contract/limits.ts';
import { RulesUsing } from '../../automations/rules-using.tsx';
import { api } from '../../data/api.ts';
import { keys } from '../../data/queries.ts';
import { usageQuery } from '../../labels/label-data.ts';
import { t, tn } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { ConfirmDelete } from '../parts/confirm-delete.tsx';
import { reload } from '../settings-data.ts';

export function DeleteLabel({ label, onClose }: { label: Label; onClose(): void }) {
  const { id, name } = label;
  const { data: usage } = useQuery(usageQuery(id));
  return (
    <ConfirmDelete
      title={t('labels.deleteTitle', { name })}
      disabled={!usage}
      onClose={onClose}
      onDelete={async () => {
        await api('DELETE', `/labels/${id}`);
        await reload(keys.labels);
        toast.done(t('labels.deleted', { name }));
      }}
    >
      <RulesUsing id={id} />
      <p aria-live="polite" className="text-muted">
        {usage ? usageText(usage) : t('labels.counting')}
      </p>
    </ConfirmDelete>
  );
}

function usageText({ sessions, records }: LabelUsage): string {
  if (sessions + records === 0) return t('labels.deleteUnused');
  const shown = (count: number, text: string) =>
    count >= limits.countedLabelled ? t('labels.more', { count: text }) : text;
  return t('labels.deleteText', {
    sessions: shown(sessions, tn('labels.inSessions', sessions)),
    records: shown(records, tn('labels.inCards', records)),
  });
}
