/** What the reports can be narrowed by, besides the board. */
import { useQuery } from '@tanstack/react-query';
import { agentsQuery, channelsQuery } from '../data/queries.ts';
import { policiesQuery } from '../settings/service-levels/service-levels-data.ts';
import { t } from '../texts/texts.ts';
import type { Option } from '../ui/controls/select.tsx';
import { kindNames, type ReportSearch } from './report-search.ts';

export interface ReportChoice {
  key: 'channel' | 'agent' | 'policy' | 'kind';
  name: string;
  options: Option[];
}

export function useReportChoices({ about }: ReportSearch): ReportChoice[] {
  const isAboutTargets = about === 'service-levels';
  const channels = useQuery(channelsQuery).data ?? [];
  const agents = useQuery(agentsQuery).data ?? [];
  const policies = useQuery({ ...policiesQuery, enabled: isAboutTargets }).data ?? [];
  const named = (list: readonly { id: string; name: string }[]): Option[] =>
    list.map(({ id, name }) => ({ value: id, label: name }));
  return [
    { key: 'channel', name: t('reports.filter.channel'), options: named(channels) },
    { key: 'agent', name: t('reports.filter.agent'), options: named(agents) },
    ...(isAboutTargets
      ? ([
          { key: 'policy', name: t('reports.sla.policy'), options: named(policies) },
          {
            key: 'kind',
            name: t('reports.sla.kind'),
            options: kindNames.map((value) => ({ value, label: t(`reports.sla.kind.${value}`) })),
          },
        ] as const)
      : []),
  ];
}
