import { useState } from 'react';
import type { User } from '../../../../contract/accounts.ts';
import { limits } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { keys } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { TextField } from '../../ui/controls/text-field.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { reload } from '../settings-data.ts';

const { min, max } = limits.capacity;

/** How many open conversations a person gets automatically. */
export function SetCapacity({ user, onClose }: { user: User; onClose(): void }) {
  const [text, setText] = useState(String(user.capacity));
  const capacity = Number(text);
  const isValid = text.trim() !== '' && Number.isInteger(capacity) && capacity >= min && capacity <= max;
  const submit = async () => {
    await api('PATCH', `/users/${user.id}`, { body: { capacity } });
    await reload(keys.users);
    toast.done(t('users.capacitySet', { name: user.name }));
  };
  return (
    <FormDialog
      title={t('users.capacityOf', { name: user.name })}
      description={t('users.capacityText')}
      action={t('ui.save')}
      ready={isValid}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t('users.capacity')}
        hint={t('users.capacityHint', { min, max })}
        type="number"
        min={min}
        max={max}
        step={1}
        autoFocus
        value={text}
        onChange={setText}
      />
    </FormDialog>
  );
}
