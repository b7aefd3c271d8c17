/** Which agent helps the people who write. */
import { useQuery } from '@tanstack/react-query';
import type { CopilotSettingsUpdate, CopilotSettings as Settings } from '../../../../contract/copilot.ts';
import { api } from '../../data/api.ts';
import { agentsQuery } from '../../data/queries.ts';
import { queryClient } from '../../data/query-client.ts';
import { copilotQuery } from '../../inbox/copilot/copilot-data.ts';
import { t } from '../../texts/texts.ts';
import { SavedSelect } from '../parts/saved-fields.tsx';
import { Answer, Section } from '../parts/section.tsx';

const off = 'off';

async function change(update: CopilotSettingsUpdate): Promise<void> {
  const settings = await api<Settings>('PATCH', '/copilot/settings', { body: update });
  queryClient.setQueryData(copilotQuery.queryKey, settings);
}

export default function CopilotSettings() {
  const settings = useQuery(copilotQuery);
  return (
    <Section title={t('settings.copilot')} description={t('copilot.settings.text')}>
      <Answer query={settings}>{(one) => <Form settings={one} />}</Answer>
    </Section>
  );
}

function Form({ settings: { agentId } }: { settings: Settings }) {
  const { data: agents = [] } = useQuery(agentsQuery);
  const agent = agents.find(({ id }) => id === agentId);
  return (
    <div className="max-w-xl">
      <SavedSelect
        label={t('copilot.settings.agent')}
        hint={agent?.provider === 'offline' ? t('copilot.settings.offline') : t('copilot.settings.agentHint')}
        value={agentId ?? off}
        options={[
          { value: off, label: t('copilot.settings.off') },
          ...agents.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onSave={(chosen) => change({ agentId: chosen === off ? null : chosen })}
      />
    </div>
  );
}
