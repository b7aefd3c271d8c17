import { Check, CheckCheck, CircleAlert, Clock } from 'lucide-react';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { dateTime } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Tooltip } from '../../ui/overlays/tooltip.tsx';

/** The delivery state of a message as ticks, with details on hover. */
export function Receipt({ message: { status, timestamp } }: { message: Message }) {
  const time = dateTime(timestamp);
  const [Icon, text, look] =
    status === 'read'
      ? [CheckCheck, t('inbox.status.read', { time }), 'text-accent-ink']
      : status === 'delivered'
        ? [CheckCheck, t('inbox.status.delivered', { time }), '']
        : status === 'failed'
          ? [CircleAlert, t('inbox.status.notDelivered', { time }), 'text-danger']
          : status === 'sent'
            ? [Check, t('inbox.status.sent', { time }), '']
            : [Clock, t('inbox.status.stored', { time }), ''];
  return (
    <Tooltip text={text}>
      <span role="img" aria-label={text} className={cx('flex', look)}>
        <Icon aria-hidden className={status === null ? 'size-3' : 'size-3.5'} />
      </span>
    </Tooltip>
  );
}
