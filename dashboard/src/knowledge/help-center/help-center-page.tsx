/** The help center: its settings. */
import { useQuery } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { NoAccess } from '../../app/no-page.tsx';
import { PageHeader } from '../../app/page-header.tsx';
import { useMay } from '../../data/session.ts';
import { Answer } from '../../settings/parts/section.tsx';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { helpCenterQuery } from '../knowledge-data.ts';
import { BackLink, PageBody } from '../knowledge-parts.tsx';
import { HelpCenterSettings, publicAddress } from './help-center-settings.tsx';

export function HelpCenterPage() {
  const query = useQuery(helpCenterQuery);
  const mayManage = useMay('knowledge.manage');
  if (!mayManage) return <NoAccess />;
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
        <Answer query={query}>{(helpCenter) => <HelpCenterSettings helpCenter={helpCenter} />}</Answer>
      </PageBody>
    </>
  );
}
