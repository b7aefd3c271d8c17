/** Suspending, resuming and deleting another account. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ListedAccount } from '../../../../contract/accounts.ts';
import { api } from '../../data/api.ts';
import { fullDate } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { Danger } from '../parts/danger.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Part } from '../parts/section.tsx';
import { reload, settingsKeys } from '../settings-data.ts';

export function AccountAccess({ account }: { account: ListedAccount }) {
  const navigate = useNavigate();
  const { id, name, suspendedAt, deletingSince } = account;
  if (deletingSince !== null) {
    return <p className="rounded-panel border border-line p-4 text-muted">{t('accounts.deletingText')}</p>;
  }
  return (
    <>
      <Part title={t('accounts.access')} text={t('accounts.suspend.text')}>
        {suspendedAt === null ? <Suspend account={account} /> : <Resume account={account} />}
      </Part>
      <Danger
        title={t('accounts.delete')}
        text={t('accounts.delete.text')}
        name={name}
        consequence={t('accounts.delete.consequence')}
        action={t('accounts.delete')}
        failed={t('accounts.delete.failed')}
        onConfirm={async () => {
          await api('DELETE', `/admin/accounts/${id}?name=${encodeURIComponent(name)}`);
          await reload(settingsKeys.accounts);
          toast.done(t('accounts.delete.done', { name }));
          await navigate({ to: '/settings/$section', params: { section: 'accounts' } });
        }}
      />
    </>
  );
}

function Suspend({ account: { id, name } }: { account: ListedAccount }) {
  const [isAsked, setAsked] = useState(false);
  const [reason, setReason] = useState('');
  const suspend = async () => {
    await api('POST', `/admin/accounts/${id}/suspend`, { body: { reason } });
    await reload(settingsKeys.accounts);
    toast.done(t('accounts.suspend.done', { name }));
  };
  return (
    <div>
      <Button onClick={() => setAsked(true)}>{t('accounts.suspend')}</Button>
      {isAsked && (
        <FormDialog
          title={t('accounts.suspend.title')}
          description={t('accounts.suspend.text')}
          action={t('accounts.suspend')}
          ready
          onSubmit={suspend}
          onClose={() => setAsked(false)}
        >
          <TextField
            label={t('accounts.suspend.reason')}
            value={reason}
            maxLength={1_000}
            onChange={setReason}
          />
        </FormDialog>
      )}
    </div>
  );
}

function Resume({ account }: { account: ListedAccount }) {
  const { id, name, suspendedAt, suspendedReason } = account;
  const resume = async () => {
    try {
      await api('POST', `/admin/accounts/${id}/resume`);
      await reload(settingsKeys.accounts);
      toast.done(t('accounts.resume.done', { name }));
    } catch (error) {
      toast.failed(t('accounts.changeFailed'), error);
    }
  };
  return (
    <div className="flex items-center justify-between gap-4">
      <p>
        {t('accounts.suspendedSince', { time: fullDate(suspendedAt ?? 0) })}
        {suspendedReason && <span className="block text-muted">{suspendedReason}</span>}
      </p>
      <Button tone="primary" onClick={() => void resume()}>
        {t('accounts.resume')}
      </Button>
    </div>
  );
}
