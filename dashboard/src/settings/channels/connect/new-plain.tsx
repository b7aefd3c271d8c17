/** A channel whose messages another program carries over the API. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Static } from 'typebox';
import type { ChannelCreated } from '../../../../../contract/channels.ts';
import { type ChannelType, limits } from '../../../../../contract/limits.ts';
import { api } from '../../../data/api.ts';
import { agentsQuery, keys } from '../../../data/queries.ts';
import { t } from '../../../texts/texts.ts';
import { Field } from '../../../ui/controls/input.tsx';
import { Select } from '../../../ui/controls/select.tsx';
import { TextField } from '../../../ui/controls/text-field.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { reload } from '../../settings-data.ts';
import { channelTypeName } from '../channel-types.tsx';
import { FormPage } from './form-page.tsx';

type Created = Static<typeof ChannelCreated>;

export function NewPlain({ type, onBack }: { type: ChannelType; onBack(): void }) {
  const navigate = useNavigate();
  const agents = useQuery(agentsQuery).data ?? [];
  const [name, setName] = useState('');
  const [identifier, setIdentifier] = useState('');
  const [agentId, setAgentId] = useState<string | undefined>();
  const [created, setCreated] = useState<Created | null>(null);
  const defaultAgentId = agentId ?? agents[0]?.id;
  const submit = async () => {
    const body = { name: name.trim(), identifier: identifier.trim(), type, defaultAgentId };
    setCreated(await api<Created>('POST', '/channels', { body }));
    await reload(keys.channels);
  };
  return (
    <FormPage
      title={channelTypeName(type)}
      description={t('connectors.plainText')}
      action={t('ui.create')}
      ready={name.trim() !== '' && identifier.trim() !== '' && defaultAgentId !== undefined}
      onSubmit={submit}
      onBack={onBack}
    >
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
              replace: true,
            });
          }}
        />
      )}
    </FormPage>
  );
}
