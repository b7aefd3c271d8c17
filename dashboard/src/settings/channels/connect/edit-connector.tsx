/** Settings and credentials of a connector. Stored credentials are never shown; an empty field keeps them. */
import { useState } from 'react';
import type { Channel } from '../../../../../contract/channels.ts';
import type { Connector } from '../../../../../contract/connectors.schemas.ts';
import { t } from '../../../texts/texts.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { keepVerifyToken } from './address/verify-token.ts';
import { type ConnectorChange, changeConnector } from './connector-data.ts';
import { ConnectorFields } from './connector-fields.tsx';
import { connectorBody, type FieldValues, initialValues, isComplete, type Kind } from './connector-kinds.tsx';
import { useFieldError } from './field-error.ts';
import { Guide } from './guide.tsx';
import { nested, shownValue, storedValue } from './mailbox/nested-settings.ts';
import { SaveAnyway } from './save-anyway.tsx';

interface EditConnectorProps {
  channel: Channel;
  kind: Kind;
  /** Undefined: the channel has none yet. */
  connector?: Connector;
  onSaved?(): void;
  onClose(): void;
}

export function EditConnector({ channel, kind, connector, onSaved, onClose }: EditConnectorProps) {
  const isStored = connector?.hasCredentials ?? false;
  const [before] = useState(() => (connector ? valuesOf(kind, connector) : initialValues(kind)));
  const [values, setValues] = useState(before);
  const { fieldError, run, isRefused, saveAnyway } = useFieldError(kind, values);
  const submit = async (check: boolean) => {
    const change = connector ? changed(kind, before, values) : connectorBody(kind, values);
    await changeConnector(channel.id, change, check);
    keepVerifyToken(channel.id, change.credentials);
    onSaved?.();
  };
  return (
    <FormDialog
      title={connector ? t('connectors.edit') : t(`connectors.kind.${kind.kind}`)}
      description={connector ? t('connectors.editText') : undefined}
      action={connector ? t('connectors.saveConnect') : t('connectors.connect')}
      ready={isComplete(kind, values, isStored ? before : undefined)}
      onSubmit={() => run(submit)}
      onClose={onClose}
      aside={isRefused && <SaveAnyway onPress={saveAnyway} />}
    >
      {!connector && <Guide kind={kind} values={values} />}
      <ConnectorFields
        kind={kind}
        values={values}
        onChange={setValues}
        isStored={isStored}
        error={fieldError}
      />
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
