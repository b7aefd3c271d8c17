/** Where an API token can be used from. */
import { useState } from 'react';
import type { ApiToken } from '../../../contract/accounts.ts';
import { api } from '../data/api.ts';
import { ExplainedError } from '../data/errors.ts';
import { FormDialog } from '../settings/parts/form-dialog.tsx';
import { reload, settingsKeys } from '../settings/settings-data.ts';
import { t } from '../texts/texts.ts';
import { TextField } from '../ui/controls/text-field.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { addressProblem, readAddresses } from './factor-data.ts';

export function AddressesField({ value, onChange }: { value: string; onChange(value: string): void }) {
  return (
    <TextField
      label={t('security.tokenAddresses')}
      hint={t('security.tokenAddressesHint')}
      lines={{ min: 2, max: 8 }}
      mono
      spellCheck={false}
      value={value}
      onChange={onChange}
    />
  );
}

export function TokenAddresses({ token, onClose }: { token: ApiToken; onClose(): void }) {
  const [text, setText] = useState(token.allowedAddresses.join('\n'));
  const submit = async () => {
    const body = { allowedAddresses: readAddresses(text) };
    try {
      await api('PATCH', `/api-tokens/${token.id}`, { body });
    } catch (failure) {
      throw new ExplainedError(addressProblem(failure));
    }
    await reload(settingsKeys.tokens);
    toast.done(t('security.tokenSaved'));
  };
  return (
    <FormDialog
      title={t('security.tokenAddressesOf', { name: token.name })}
      action={t('security.save')}
      ready
      onSubmit={submit}
      onClose={onClose}
    >
      <AddressesField value={text} onChange={setText} />
    </FormDialog>
  );
}
