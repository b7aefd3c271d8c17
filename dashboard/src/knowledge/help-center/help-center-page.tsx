/** The help center: its settings, and the collections that its articles are in. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { NoAccess, NoPage } from '../../app/no-page.tsx';
import { PageHeader } from '../../app/page-header.tsx';
import { useMay } from '../../data/session.ts';
import { Answer } from '../../settings/parts/section.tsx';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { helpCenterQuery } from '../knowledge-data.ts';
import { BackLink, PageBody, toItem } from '../knowledge-parts.tsx';
import { Collections } from './collections.tsx';
import { HelpCenterSettings, publicAddress } from './help-center-settings.tsx';

/** `id` is the tab, so that each has an address. */
export function HelpCenterPage({ id }: { id: string }) {
  const navigate = useNavigate();
  const query = useQuery(helpCenterQuery);
  const mayManage = useMay('knowledge.manage');
  if (!mayManage) return <NoAccess />;
  if (id !== 'settings' && id !== 'collections') return <NoPage />;
  const address = query.data?.enabled && query.data.slug !== null ? publicAddress(query.data.slug) : null;
  return (
    <>
      <PageHeader
        title={t('knowledge.help')}
        mark={<BackLink label={t('knowledge.all')} />}
        actions={
          address && (
            <Button
              icon={<ExternalLink className="size-3.5" />}
              onClick={() => window.open(address, '_blank', 'noopener')}
            >
              {t('knowledge.help.open')}
            </Button>
          )
        }
      />
      <PageBody>
        <p className="text-pretty text-muted">{t('knowledge.help.text')}</p>
        <Tabs
          flush
          label={t('knowledge.help')}
          value={id}
          onChange={(tab) => void navigate({ ...toItem('help-center', tab), replace: true })}
          tabs={[
            {
              value: 'settings',
              label: t('knowledge.help.settings'),
              content: (
                <div className="pt-5">
                  <Answer query={query}>
                    {(helpCenter) => <HelpCenterSettings helpCenter={helpCenter} />}
                  </Answer>
                </div>
              ),
            },
            {
              value: 'collections',
              label: t('knowledge.collections'),
              content: (
                <div className="pt-5">
                  <Collections />
                </div>
              ),
            },
          ]}
        />
      </PageBody>
    </>
  );
}
