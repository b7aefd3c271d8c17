import { useQuery } from '@tanstack/react-query';
import type { OwnAccount } from '../../../../contract/accounts.ts';
import { limits, managementRequestsPerMinute, userRequestsPerMinute } from '../../../../contract/limits.ts';
import { accountQuery } from '../../data/account.ts';
import { api } from '../../data/api.ts';
import { changeAccountName, useSignedIn } from '../../data/session.ts';
import { AccountRules } from '../../security/account-security.tsx';
import { number } from '../../texts/format.ts';
import { type Language, languages } from '../../texts/languages.ts';
import { t } from '../../texts/texts.ts';
import { SavedSelect, SavedSwitch, SavedText } from '../parts/saved-fields.tsx';
import { IdField } from '../parts/secret-part.tsx';
import { Answer, Part, Section } from '../parts/section.tsx';
import { reload, settingsKeys, usageQuery } from '../settings-data.ts';
import { UsageMeters } from './usage-meters.tsx';

export default function WorkspaceSettings() {
  // Usage changes without anything done here.
  const account = useQuery({ ...accountQuery, staleTime: 0 });
  const usage = useQuery(usageQuery);
  const { user } = useSignedIn();
  return (
    <Section title={t('settings.workspace')} description={t('workspace.text')}>
      <Answer query={account}>
        {(one) => (
          <>
            <SavedText
              label={t('workspace.name')}
              required
              maxLength={limits.nameLength}
              value={one.name}
              onSave={async (name) => {
                const { name: kept } = await api<OwnAccount>('PATCH', '/account', { body: { name } });
                changeAccountName(kept);
                await reload(settingsKeys.account);
              }}
            />
            <SavedSelect
              label={t('workspace.language')}
              hint={t('workspace.languageText')}
              value={one.language}
              options={(Object.keys(languages) as Language[]).map((value) => ({
                value,
                label: languages[value],
              }))}
              onSave={async (language) => {
                await api<OwnAccount>('PATCH', '/account', { body: { language } });
                await reload(settingsKeys.account);
              }}
            />
            <IdField id={one.id} label={t('workspace.id')} />
            <SavedSwitch
              label={t('workspace.takesOver')}
              hint={t('workspace.takesOverText')}
              checked={one.replyTakesOver}
              onSave={async (replyTakesOver) => {
                await api('PATCH', '/account', { body: { replyTakesOver } });
                await reload(settingsKeys.account);
              }}
            />
            <AccountRules />
            <Part title={t('workspace.usage')} text={t('workspace.usageText')}>
              <UsageMeters account={one} files={usage.data?.files} />
            </Part>
            <Part
              title={t('workspace.limits')}
              text={user.isInstanceAdmin ? t('workspace.limitsOwn') : t('workspace.limitsText')}
            >
              <Figures
                rows={[
                  [t('limits.crmPerMinute'), number(one.limits.crmPerMinute)],
                  [t('limits.crmPerHour'), number(one.limits.crmPerHour)],
                  [t('limits.messagesPerMinute'), number(one.limits.messagesPerMinute)],
                  [t('limits.managementPerMinute'), number(managementRequestsPerMinute)],
                  [t('limits.userPerMinute'), number(userRequestsPerMinute)],
                ]}
              />
            </Part>
          </>
        )}
      </Answer>
    </Section>
  );
}

const Figures = ({ rows }: { rows: [string, string][] }) => (
  <dl className="rounded-panel border border-line">
    {rows.map(([name, figure]) => (
      <div
        key={name}
        className="flex items-center justify-between gap-4 border-b border-line px-3 py-2 last:border-0"
      >
        <dt className="text-muted">{name}</dt>
        <dd className="tabular font-medium">{figure}</dd>
      </div>
    ))}
  </dl>
);
