/** A channel that talks to its provider itself: what to do there, and the few values that are needed. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { randomId } from '../../../../../browser/random-id.ts';
import type { Channel } from '../../../../../contract/channels.ts';
import { limits } from '../../../../../contract/limits.ts';
import { api } from '../../../data/api.ts';
import { agentsQuery, channelsQuery, keys } from '../../../data/queries.ts';
import { t } from '../../../texts/texts.ts';
import { Field } from '../../../ui/controls/input.tsx';
import { Select } from '../../../ui/controls/select.tsx';
import { TextField } from '../../../ui/controls/text-field.tsx';
import { reload } from '../../settings-data.ts';
import { UnreachableHint } from './address/reachable.tsx';
import { keepVerifyToken } from './address/verify-token.ts';
import { ConnectorFields } from './connector-fields.tsx';
import { connectorBody, initialValues, isComplete, type Kind } from './connector-kinds.tsx';
import { useFieldError } from './field-error.ts';
import { FormPage } from './form-page.tsx';
import { Guide } from './guide.tsx';
import { SaveAnyway } from './save-anyway.tsx';

/** Among the ids of agents: no agent answers a new conversation. */
const people = 'people';

export function NewConnected({ kind, onBack }: { kind: Kind; onBack(): void }) {
  const navigate = useNavigate();
  const agents = useQuery(agentsQuery).data ?? [];
  const [values, setValues] = useState(() => initialValues(kind));
  const [name, setName] = useState(() => t(`connectors.kind.${kind.kind}`));
  const [identifier, setIdentifier] = useState(() => `${kind.kind}-${randomId().slice(0, 6)}`);
  const channels = useQuery(channelsQuery).data;
  const { fieldError, run, isRefused, saveAnyway } = useFieldError(kind, values);
  const [answering, setAnswering] = useState<string | undefined>();
  const isPeople = answering === people;
  const firstAgentId = agents[0]?.id;
  const defaultAgentId = isPeople ? firstAgentId : (answering ?? firstAgentId);
  const needsAddress = kind.needsAddress || values.mode === 'webhook';
  const submit = async (check: boolean) => {
    const connector = connectorBody(kind, values);
    const body = {
      name: name.trim(),
      identifier: identifier.trim(),
      type: kind.channelType,
      defaultAgentId,
      ...(isPeople && { settings: { answersFirst: 'people' } }),
      connector,
    };
    const { id } = await api<Channel>('POST', '/channels', { body, query: { check } });
    keepVerifyToken(id, connector.credentials);
    await reload(keys.channels);
    await navigate({
      to: '/settings/$section/$itemId',
      params: { section: 'channels', itemId: id },
      replace: true,
    });
  };
  return (
    <FormPage
      title={t(`connectors.kind.${kind.kind}`)}
      description={t(`connectors.kindText.${kind.kind}`)}
      action={t('connectors.connect')}
      ready={
        name.trim() !== '' &&
        identifier.trim() !== '' &&
        defaultAgentId !== undefined &&
        isComplete(kind, values)
      }
      onSubmit={() => run(submit)}
      onBack={onBack}
      aside={isRefused && <SaveAnyway onPress={saveAnyway} />}
    >
      <Guide kind={kind} values={values} />
      {needsAddress && channels && <UnreachableHint channels={channels} />}
      <TextField label={t('channels.name')} value={name} maxLength={limits.nameLength} onChange={setName} />
      <ConnectorFields
        kind={kind}
        values={values}
        onChange={setValues}
        autoFocus
        error={fieldError}
        beforeMore={
          <Field
            label={t('channels.answersFirst')}
            hint={t(isPeople ? 'channels.answersFirst.peopleHint' : 'channels.answersFirst.agentHint')}
          >
            {(ids) => (
              <Select
                {...ids}
                value={isPeople ? people : defaultAgentId}
                options={[
                  ...agents.map((agent) => ({ value: agent.id, label: agent.name })),
                  { value: people, label: t('channels.answersFirst.people') },
                ]}
                onChange={setAnswering}
              />
            )}
          </Field>
        }
        more={
          <TextField
            label={t('channels.identifier')}
            hint={t('connectors.identifierHint')}
            mono
            value={identifier}
            maxLength={limits.nameLength}
            onChange={setIdentifier}
          />
        }
      />
    </FormPage>
  );
}
