import { useState } from 'react';
import type { ApiToken } from '../../../../contract/accounts.ts';
import { api } from '../../data/api.ts';
import { useUsers } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { reload, settingsKeys } from '../settings-data.ts';

export function TransferToken({ token, onClose }: { token: ApiToken; onClose(): void }) {
  // An operator's token would lose the scope `manage`.
  const heirs = useUsers().filter((user) => user.role === 'admin' && user.id !== token.createdBy.id);
  const [userId, setUserId] = useState('');
  const submit = async () => {
    await api('POST', `/api-tokens/${token.id}/transfer`, { body: { userId } });
    await reload(settingsKeys.tokens);
    const name = heirs.find((user) => user.id === userId)?.name ?? '';
    toast.done(t('tokens.transferred', { token: token.name, name }));
  };
  return (
    <FormDialog
      title={t('tokens.transferTitle', { name: token.name })}
      description={t('tokens.transferText', { name: token.createdBy.name })}
      action={t('tokens.transfer')}
      ready={userId !== ''}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('tokens.newOwner')} hint={heirs.length === 0 ? t('tokens.noHeir') : undefined}>
        {(ids) => (
          <Select
            {...ids}
            value={userId}
            disabled={heirs.length === 0}
            onChange={setUserId}
            options={heirs.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )}
      </Field>
    </FormDialog>
  );
}
