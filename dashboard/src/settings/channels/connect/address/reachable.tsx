/** Warns where the provider cannot reach this service: an address without https, of this machine or of a private network. */
import { TriangleAlert } from 'lucide-react';
import type { Channel } from '../../../../../../contract/channels.ts';
import { t } from '../../../../texts/texts.ts';
import { connectorOf } from '../connector-data.ts';
import { isReachable } from './reachable-address.ts';

/** The address of a connector. */
export function UnreachableNote({ address }: { address: string }) {
  if (isReachable(address)) return null;
  return <Warning text={t('connectors.unreachable', { origin: new URL(address).origin })} />;
}

/** Before there is a connector: the address is that of another one, or the one that this page was opened at. */
export function UnreachableHint({ channels }: { channels: readonly Channel[] }) {
  const known = channels.map((channel) => connectorOf(channel)?.inboundUrl).find(Boolean);
  const { origin } = new URL(known ?? location.origin);
  return isReachable(origin) ? null : <Warning text={t('connectors.unreachableHint', { origin })} />;
}

const Warning = ({ text }: { text: string }) => (
  <p role="note" className="flex items-start gap-2 rounded-control bg-warning-soft px-3 py-2 text-warning">
    <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
    <span className="min-w-0 text-pretty wrap-anywhere">{text}</span>
  </p>
);
