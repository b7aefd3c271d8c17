/** Which agent helps the people who write, and with what. */
import { useQuery } from '@tanstack/react-query';
import type { CopilotSettingsUpdate, CopilotSettings as Settings } from '../../../../contract/copilot.ts';
import { api } from '../../data/api.ts';
import { agentsQuery } from '../../data/queries.ts';
import { queryClient } from '../../data/query-client.ts';
import { copilotQuery } from '../../inbox/copilot/copilot-data.ts';
import { t } from '../../texts/texts.ts';
import { CheckList } from '../parts/choices.tsx';
import { SavedMark, SavedSelect, useSaving } from '../parts/saved-fields.tsx';
import { Answer, Section } from '../parts/section.tsx';

const tasks = ['suggest', 'rewrite', 'translate', 'summarize', 'ask'] as const;
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

function Form({ settings }: { settings: Settings }) {
  const { data: agents = [] } = useQuery(agentsQuery);
  const { saved, error, run } = useSaving();
  const { agentId, available } = settings;
  const agent = agents.find(({ id }) => id === agentId);
  const lacksModel = (task: (typeof tasks)[number]) =>
    agent !== undefined && settings.tasks.includes(task) && !available.includes(task);
  return (
    <div className="flex max-w-xl flex-col gap-5">
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
      {agentId !== null && (
        <CheckList
          label={t('copilot.settings.tasks')}
          choices={tasks.map((task) => ({
            value: task,
            label: t(`copilot.task.${task}`),
            hint: lacksModel(task) ? t('copilot.settings.needsModel') : t(`copilot.taskHint.${task}`),
          }))}
          chosen={settings.tasks}
          onChange={(chosen) => void run(() => change({ tasks: chosen }))}
          saved={<SavedMark saved={saved} />}
        />
      )}
      {error && (
        <p role="alert" className="text-danger">
          {error}
        </p>
      )}
    </div>
  );
}
