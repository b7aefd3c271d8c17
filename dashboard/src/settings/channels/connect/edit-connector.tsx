/** Settings and credentials of a connector. Stored credentials are never shown; an empty field keeps them. */
import { useState } from 'react';
import type { Channel } from '../../../../../contract/channels.ts';
import type { Connector } from '../../../../../contract/connectors.schemas.ts';
import { t } from '../../../texts/texts.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { type ConnectorChange, changeConnector } from './connector-data.ts';
import { ConnectorFields } from './connector-fields.tsx';
import { connectorBody, type FieldValues, initialValues, isComplete, type Kind } from './connector-kinds.tsx';
import { Guide } from './guide.tsx';
import { nested, shownValue, storedValue } from './mailbox/nested-settings.ts';
import { keepVerifyToken } from './verify-token.ts';

interface EditConnectorProps {
  channel: Channel;
  kind: Kind;
  /** Undefined: the channel has none yet. */
  connector?: Connector;
  onClose(): void;
}

export function EditConnector({ channel, kind, connector, onClose }: EditConnectorProps) {
  const isStored = connector?.hasCredentials ?? false;
  const [before] = useState(() => (connector ? valuesOf(kind, connector) : initialValues(kind)));
  const [values, setValues] = useState(before);
  const submit = async () => {
    const change = connector ? changed(kind, before, values) : connectorBody(kind, values);
    await changeConnector(channel.id, change);
    keepVerifyToken(channel.id, change.credentials);
  };
  return (
    <FormDialog
      title={connector ? t('connectors.edit') : t(`connectors.kind.${kind.kind}`)}
      description={connector ? t('connectors.editText') : undefined}
      action={connector ? t('connectors.saveConnect') : t('connectors.connect')}
      ready={isComplete(kind, values, isStored ? before : undefined)}
      onSubmit={submit}
      onClose={onClose}
    >
      {!connector && <Guide kind={kind} />}
      <ConnectorFields kind={kind} values={values} onChange={setValues} isStored={isStored} />
    </FormDialog>
  );
}

const valuesOf = ({ fields }: Kind, connector: Connector): FieldValues =>
  Object.fromEntries(
    fields.map(({ name, isCredential }) => [name, isCredential ? '' : shownValue(connector, name)]),
  );

/** Only what was changed: the rest stays as it is. */
function changed(kind: Kind, before: FieldValues, values: FieldValues): ConnectorChange {
  const { credentials } = connectorBody(kind, values, true);
  const settings = kind.fields
    .filter(({ name, isCredential }) => !isCredential && values[name] !== before[name])
    .map(({ name, isOptional }) => {
      const value = (values[name] ?? '').trim();
      return [name, value === '' && isOptional ? null : storedValue(name, value)] as const;
    });
  return {
    kind: kind.kind,
    ...nested(settings),
    ...(Object.keys(credentials).length > 0 && { credentials }),
  };
}
