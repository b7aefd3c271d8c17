/** The workspace's rules for signing in. */
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import type { AccountSecurity } from '../../../contract/sign-in/second-factors.ts';
import { api } from '../data/api.ts';
import { ApiError } from '../data/errors.ts';
import { SavedSwitch } from '../settings/parts/saved-fields.tsx';
import { Answer, Part } from '../settings/parts/section.tsx';
import { reload } from '../settings/settings-data.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { TextField } from '../ui/controls/text-field.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { accountSecurityQuery, addressProblem, readAddresses } from './factor-data.ts';

const save = async (body: object) => {
  await api('PATCH', '/account/security', { body });
  await reload(accountSecurityQuery.queryKey);
};

export function AccountRules() {
  const rules = useQuery(accountSecurityQuery);
  return (
    <Part title={t('security.account')} text={t('security.accountText')}>
      <Answer query={rules}>
        {(current) => (
          <>
            <SavedSwitch
              label={t('security.require')}
              hint={t('security.requireText')}
              checked={current.requireSecondFactor}
              onSave={(requireSecondFactor) => save({ requireSecondFactor })}
            />
            <AdminAddresses rules={current} />
          </>
        )}
      </Answer>
    </Part>
  );
}

function AdminAddresses({ rules }: { rules: AccountSecurity }) {
  const stored = rules.adminAddresses.join('\n');
  const [text, setText] = useState(stored);
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const [lockout, setLockout] = useState(false);
  useEffect(() => setText(stored), [stored]);
  const send = async (confirmLockout: boolean) => {
    setBusy(true);
    setError('');
    setLockout(false);
    try {
      await save({ adminAddresses: readAddresses(text), ...(confirmLockout && { confirmLockout }) });
      toast.done(t('security.saved'));
    } catch (failure) {
      if (failure instanceof ApiError && failure.status === 409) setLockout(true);
      else setError(addressProblem(failure));
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send(false);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label={t('security.adminAddresses')}
        hint={t('security.addressesHint', { address: rules.yourAddress })}
        error={error || undefined}
        lines={{ min: 2, max: 10 }}
        mono
        spellCheck={false}
        value={text}
        onChange={setText}
      />
      <Button type="submit" className="self-start" busy={busy} disabled={text === stored}>
        {t('security.save')}
      </Button>
      <Dialog
        open={lockout}
        onOpenChange={setLockout}
        title={t('security.lockout')}
        footer={
          <>
            <Button onClick={() => setLockout(false)}>{t('ui.cancel')}</Button>
            <Button tone="danger" onClick={() => void send(true)}>
              {t('security.saveAnyway')}
            </Button>
          </>
        }
      >
        <p>{t('security.lockoutText', { address: rules.yourAddress })}</p>
      </Dialog>
    </form>
  );
}
