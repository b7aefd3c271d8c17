/** Removing a person ends the API tokens that belong to them, unless these are transferred first. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { User } from '../../../../contract/accounts.ts';
import { api } from '../../data/api.ts';
import { keys, useUsers } from '../../data/queries.ts';
import { queryClient } from '../../data/query-client.ts';
import { t, tn } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { ErrorState, Skeleton } from '../../ui/display/states.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { ConfirmDanger } from '../parts/danger.tsx';
import { reload, settingsKeys, tokensOfUserQuery } from '../settings-data.ts';

const end = 'end';

export function RemoveUser({ user, onClose }: { user: User; onClose(): void }) {
  const tokens = useQuery(tokensOfUserQuery(user.id));
  const heirs = useUsers().filter((one) => one.id !== user.id && one.role === 'admin');
  const [heir, setHeir] = useState(end);
  const remove = async () => {
    if (heir !== end) {
      // Read again: a token may have been created since the dialog opened.
      for (const { id } of await queryClient.fetchQuery(tokensOfUserQuery(user.id))) {
        await api('POST', `/api-tokens/${id}/transfer`, { body: { userId: heir } });
      }
    }
    await api('DELETE', `/users/${user.id}`);
    await Promise.all([reload(keys.users), reload(settingsKeys.tokens)]);
    toast.done(t('users.removed', { name: user.name }));
  };
  return (
    <ConfirmDanger
      open
      onOpenChange={onClose}
      title={t('users.removeTitle', { name: user.name })}
      consequence={t('users.removeConsequence')}
      name={user.name}
      usesOf={user.id}
      action={t('users.remove')}
      failed={t('users.removeFailed')}
      onConfirm={remove}
      disabled={!tokens.isSuccess}
    >
      {tokens.isPending && (
        <div role="status" aria-label={t('ui.loading')} className="mb-4">
          <Skeleton className="h-16" />
        </div>
      )}
      {tokens.isError && (
        <ErrorState error={tokens.error} onRetry={() => void tokens.refetch()} className="mb-4 py-4" />
      )}
      {tokens.data && tokens.data.length > 0 && (
        <div
          className={cx(
            'mb-4 flex flex-col gap-3 rounded-panel border p-3',
            heir === end ? 'border-danger/30' : 'border-line',
          )}
        >
          <div>
            <p className="font-medium">
              {heir === end
                ? tn('users.tokensLost', tokens.data.length)
                : tn('users.tokensKept', tokens.data.length)}
            </p>
            <p className="truncate text-muted">{tokens.data.map(({ name }) => name).join(', ')}</p>
          </div>
          <Field label={t('users.tokensWhat')}>
            {(ids) => (
              <Select
                {...ids}
                value={heir}
                onChange={setHeir}
                options={[
                  { value: end, label: t('users.tokensEnd') },
                  ...heirs.map(({ id, name }) => ({ value: id, label: t('users.tokensGive', { name }) })),
                ]}
              />
            )}
          </Field>
        </div>
      )}
    </ConfirmDanger>
  );
}
