import { type ConnectorState, connectorStates } from '../../../../../contract/connectors.ts';
import { t } from '../../../texts/texts.ts';
import { Badge } from '../../../ui/display/badge.tsx';
import type { Hue } from '../../../ui/hues.ts';

const hues: { [state in ConnectorState]: Hue | undefined } = {
  connected: 'green',
  connecting: 'blue',
  waiting_for_scan: 'yellow',
  error: 'red',
  disconnected: undefined,
};

const stateName = (state: ConnectorState) => t(`connectors.state.${state}`);

/** A disabled channel is not connected, also if its connector says so. */
export function StateBadge({ state, isOff }: { state: ConnectorState; isOff?: boolean }) {
  if (isOff) return <Badge>{t('connectors.disabled')}</Badge>;
  if (!connectorStates.includes(state)) return null;
  return <Badge hue={hues[state]}>{stateName(state)}</Badge>;
}
