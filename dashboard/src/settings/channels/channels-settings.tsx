import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Radio } from 'lucide-react';
import { useState } from 'react';
import type { Static } from 'typebox';
import type { ChannelCreated } from '../../../../contract/channels.ts';
import { type ChannelType, limits } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { agentsQuery, channelsQuery, keys } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { CreateButton, EntityList } from '../parts/entity-list.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Row, RowIcon } from '../parts/rows.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { Answer, Section } from '../parts/section.tsx';
import { reload } from '../settings-data.ts';
import { ChannelTypeIcon, channelTypeName, channelTypeOptions } from './channel-types.tsx';

type Created = Static<typeof ChannelCreated>;

export default function ChannelsSettings() {
  const channels = useQuery(channelsQuery);
  const agents = useQuery(agentsQuery).data ?? [];
  const navigate = useNavigate();
  const [isNew, setNew] = useState(false);
  const [created, setCreated] = useState<Created | null>(null);
  const agentName = (id: string) => agents.find((agent) => agent.id === id)?.name ?? '';
  return (
    <Section
      title={t('settings.channels')}
      description={t('channels.text')}
      actions={<CreateButton label={t('channels.new')} onClick={() => setNew(true)} />}
    >
      <Answer query={channels}>
        {(list) => (
          <EntityList
            label={t('settings.channels')}
            items={list}
            empty={{
              icon: <Radio className="size-4" />,
              title: t('channels.empty'),
              text: t('channels.emptyText'),
            }}
            row={(channel) => (
              <Row
                key={channel.id}
                to={{ section: 'channels', itemId: channel.id }}
                mark={
                  <RowIcon>
                    <ChannelTypeIcon type={channel.type} />
                  </RowIcon>
                }
                title={channel.name}
                badges={<Badge>{channelTypeName(channel.type)}</Badge>}
                text={
                  <>
                    <span className="font-mono text-sm">{channel.identifier}</span>
                    {' · '}
                    {t('channels.answeredBy', { agent: agentName(channel.defaultAgentId) })}
                  </>
                }
              />
            )}
          />
        )}
      </Answer>
      {isNew && <NewChannel onClose={() => setNew(false)} onCreated={setCreated} />}
      {created && (
        <SecretDialog
          title={t('channels.created', { name: created.name })}
          text={t('channels.createdText')}
          secret={created.webhookSecret}
          label={t('webhooks.copySecret')}
          onClose={() => {
            setCreated(null);
            void navigate({
              to: '/settings/$section/$itemId',
              params: { section: 'channels', itemId: created.id },
            });
          }}
        />
      )}
    </Section>
  );
}

function NewChannel({ onClose, onCreated }: { onClose(): void; onCreated(channel: Created): void }) {
  const agents = useQuery(agentsQuery).data ?? [];
  const [name, setName] = useState('');
  const [identifier, setIdentifier] = useState('');
  const [type, setType] = useState<ChannelType>('api');
  const [agentId, setAgentId] = useState<string | undefined>();
  const defaultAgentId = agentId ?? agents[0]?.id;
  const submit = async () => {
    const body = { name: name.trim(), identifier: identifier.trim(), type, defaultAgentId };
    const channel = await api<Created>('POST', '/channels', { body });
    await reload(keys.channels);
    onCreated(channel);
  };
  return (
    <FormDialog
      title={t('channels.new')}
      action={t('ui.create')}
      ready={name.trim() !== '' && identifier.trim() !== '' && defaultAgentId !== undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('channels.type')}>
        {(ids) => (
          <Select<ChannelType> {...ids} value={type} options={channelTypeOptions()} onChange={setType} />
        )}
      </Field>
      <TextField
        label={t('channels.name')}
        autoFocus
        value={name}
        maxLength={limits.nameLength}
        onChange={setName}
      />
      <TextField
        label={t('channels.identifier')}
        hint={t('channels.identifierHint')}
        mono
        value={identifier}
        maxLength={limits.nameLength}
        onChange={setIdentifier}
      />
      <Field label={t('channels.defaultAgent')}>
        {(ids) => (
          <Select
            {...ids}
            value={defaultAgentId}
            options={agents.map((agent) => ({ value: agent.id, label: agent.name }))}
            onChange={setAgentId}
          />
        )}
      </Field>
    </FormDialog>
  );
}
