import type { User } from '../../../contract/accounts.ts';
import { api } from '../data/api.ts';
import { keys } from '../data/queries.ts';
import { ConfirmDanger } from '../settings/parts/danger.tsx';
import { reload } from '../settings/settings-data.ts';
import { t } from '../texts/texts.ts';
import { toast } from '../ui/overlays/toast.tsx';

/** For a person who has lost their phone. */
export function ResetFactors({ user, onClose }: { user: User; onClose(): void }) {
  return (
    <ConfirmDanger
      open
      onOpenChange={onClose}
      title={t('security.resetOf', { name: user.name })}
      consequence={t('security.resetText')}
      name={user.name}
      action={t('security.reset')}
      failed={t('security.resetFailed')}
      onConfirm={async () => {
        await api('POST', `/users/${user.id}/reset-factors`);
        await reload(keys.users);
        toast.done(t('security.resetDone', { name: user.name }));
      }}
    />
  );
}
