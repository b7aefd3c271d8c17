import type { DeliveryStatus, Verdict } from '../../../../contract/webhooks.ts';
import { t } from '../../texts/texts.ts';
import { Badge } from '../../ui/display/badge.tsx';
import type { Hue } from '../../ui/hues.ts';

type Shown = DeliveryStatus | Verdict['status'];

const hues: { [status in Shown]: Hue | undefined } = {
  delivered: 'green',
  pending: 'blue',
  retrying: 'orange',
  exhausted: 'red',
  held: 'yellow',
  filtered: undefined,
};

export const statusName = (status: Shown) => t(`deliveries.status.${status}`);

export const StatusBadge = ({ status }: { status: Shown }) => (
  <Badge hue={hues[status]}>{statusName(status)}</Badge>
);
