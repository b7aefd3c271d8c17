import { useQuery } from '@tanstack/react-query';
import type { Account, AccountLimits } from '../../../../contract/accounts.ts';
import { limits } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { ApiError } from '../../data/errors.ts';
import { changeAccountName, useSignedIn } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { ErrorState } from '../../ui/display/states.tsx';
import { SavedText } from '../parts/saved-fields.tsx';
import { IdField } from '../parts/secret-part.tsx';
import { Answer, Part, Section, SectionSkeleton } from '../parts/section.tsx';
import { accountsQuery, reload, settingsKeys } from '../settings-data.ts';
import { AccountAccess } from './account-access.tsx';

const parent = () => ({ id: 'accounts', label: t('settings.accounts') });
const names = ['crmPerMinute', 'crmPerHour', 'messagesPerMinute', 'aiRepliesPerDay'] as const;
const gigabyte = 1024 ** 3;

/** Any account of the instance, for its administrator. */
export default function AccountSettings({ itemId }: { itemId: string }) {
  const accounts = useQuery(accountsQuery);
  const { account: own } = useSignedIn();
  const change = async (body: { name?: string; limits?: Partial<AccountLimits> }) => {
    const { name } = await api<Account>('PATCH', `/admin/accounts/${itemId}`, { body });
    if (itemId === own.id) changeAccountName(name);
    await Promise.all([reload(settingsKeys.accounts), reload(settingsKeys.account)]);
  };
  return (
    <Answer query={accounts} loading={<SectionSkeleton parent={parent()} />}>
      {(list) => {
        const account = list.find(({ id }) => id === itemId);
        if (!account) return <ErrorState error={new ApiError(404, 'NOT_FOUND', '', '')} />;
        return (
          <Section title={account.name} parent={parent()}>
            <SavedText
              label={t('accounts.name')}
              required
              maxLength={limits.nameLength}
              value={account.name}
              onSave={(name) => change({ name })}
            />
            <IdField id={account.id} />
            <Part title={t('workspace.limits')} text={t('accounts.limitsText')}>
              <div className="flex max-w-72 flex-col gap-4">
                {names.map((name) => (
                  <SavedText
                    key={name}
                    label={t(`limits.${name}`)}
                    type="number"
                    min={1}
                    max={1_000_000_000}
                    required
                    value={String(account.limits[name])}
                    onSave={(text) => change({ limits: { [name]: Number(text) } })}
                  />
                ))}
                <SavedText
                  label={t('limits.storageGigabytes')}
                  type="number"
                  min={0.001}
                  step="any"
                  required
                  value={String(Number((account.limits.storageBytes / gigabyte).toFixed(3)))}
                  onSave={(text) => change({ limits: { storageBytes: Math.round(Number(text) * gigabyte) } })}
                />
              </div>
            </Part>
            {account.id !== own.id && <AccountAccess account={account} />}
          </Section>
        );
      }}
    </Answer>
  );
}
