/** Which business hours something has, saved at once, with a way to change them. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { SavedSelect } from '../parts/saved-fields.tsx';
import { useHours } from './hours-data.ts';

const noneOfItsOwn = 'none';

export function SavedHours({
  hint,
  none,
  hoursId,
  onSave,
}: {
  hint?: ReactNode;
  none: string;
  hoursId: string | null;
  onSave(hoursId: string | null): Promise<unknown>;
}) {
  const hours = useHours();
  const mayManage = useMay('automation.manage');
  return (
    <>
      <SavedSelect
        label={t('settings.hours')}
        hint={hint}
        value={hoursId ?? noneOfItsOwn}
        options={[
          { value: noneOfItsOwn, label: none },
          ...hours.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onSave={(value) => onSave(value === noneOfItsOwn ? null : value)}
      />
      {mayManage && (
        <Link
          to="/settings/$section"
          params={{ section: 'business-hours' }}
          className="w-fit text-accent-ink underline-offset-2 hover:underline"
        >
          {t('settings.editHours')}
        </Link>
      )}
    </>
  );
}
