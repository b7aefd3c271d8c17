import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { useState } from 'react';
import type { Agent, Provider } from '../../../../contract/channels.ts';
import { limits } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { agentsQuery, keys } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { t, tn } from '../../texts/texts.ts';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { CreateButton, EntityList } from '../parts/entity-list.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Row, RowIcon } from '../parts/rows.tsx';
import { Answer, Section } from '../parts/section.tsx';
import { reload } from '../settings-data.ts';
import { providerOptions } from './agent-options.ts';

export default function AgentsSettings() {
  const agents = useQuery(agentsQuery);
  const [isNew, setNew] = useState(false);
  return (
    <Section
      title={t('settings.agents')}
      description={t('agents.text')}
      actions={<CreateButton label={t('agents.new')} onClick={() => setNew(true)} />}
    >
      <Answer query={agents}>
        {(list) => (
          <EntityList
            label={t('settings.agents')}
            items={list}
            empty={{
              icon: <Bot className="size-4" />,
              title: t('agents.empty'),
              text: t('agents.emptyText'),
            }}
            row={(agent) => (
              <Row
                key={agent.id}
                to={{ section: 'agents', itemId: agent.id }}
                mark={
                  <RowIcon>
                    <Bot className="size-4" />
                  </RowIcon>
                }
                title={agent.name}
                badges={<Badge>{agent.model ?? t(`agents.provider.${agent.provider}`)}</Badge>}
                text={[
                  tn('agents.sources', agent.knowledgeSourceIds.length),
                  tn('agents.entries', agent.knowledge.length),
                  tn('agents.tools', agent.tools.length + agent.toolIds.length),
                ].join(' · ')}
              />
            )}
          />
        )}
      </Answer>
      {isNew && <NewAgent onClose={() => setNew(false)} />}
    </Section>
  );
}

function NewAgent({ onClose }: { onClose(): void }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [provider, setProvider] = useState<Provider>('offline');
  const [model, setModel] = useState('');
  const [baseUrl, setBaseUrl] = useState('');
  const [apiKey, setApiKey] = useState('');
  const mayAddress = useMay('webhooks.manage');
  const isModel = provider !== 'offline';
  const needsUrl = provider === 'openai-compatible';
  const submit = async () => {
    const body = {
      name: name.trim(),
      provider,
      tools: ['hand_over'],
      ...(isModel && { model: model.trim() }),
      ...(isModel && baseUrl.trim() && { baseUrl: baseUrl.trim() }),
      ...(isModel && apiKey && { apiKey }),
    };
    const agent = await api<Agent>('POST', '/agents', { body });
    await reload(keys.agents);
    void navigate({ to: '/settings/$section/$itemId', params: { section: 'agents', itemId: agent.id } });
  };
  return (
    <FormDialog
      title={t('agents.new')}
      action={t('ui.create')}
      ready={name.trim() !== '' && (!isModel || model.trim() !== '') && (!needsUrl || baseUrl.trim() !== '')}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t('agents.name')}
        autoFocus
        value={name}
        maxLength={limits.nameLength}
        onChange={setName}
      />
      <Field label={t('agents.provider')} hint={t(`agents.providerHint.${provider}`)}>
        {(ids) => (
          <Select<Provider> {...ids} value={provider} options={providerOptions()} onChange={setProvider} />
        )}
      </Field>
      {isModel && (
        <>
          <TextField label={t('agents.model')} mono value={model} onChange={setModel} />
          <TextField
            label={t('agents.baseUrl')}
            hint={mayAddress ? t(`agents.baseUrlHint.${provider}`) : t('settings.addressRight')}
            disabled={!mayAddress}
            type="url"
            mono
            value={baseUrl}
            onChange={setBaseUrl}
          />
          <TextField
            label={t('agents.apiKey')}
            hint={t('agents.apiKeyHint')}
            type="password"
            autoComplete="off"
            value={apiKey}
            onChange={setApiKey}
          />
        </>
      )}
    </FormDialog>
  );
}
