/** How much of its quotas a workspace has used. From 80 % on, a warning says what happens at the limit. */
import { TriangleAlert } from 'lucide-react';
import type { OwnAccount } from '../../../../contract/accounts.ts';
import { bytes, number } from '../../texts/format.ts';
import { t, tn } from '../../texts/texts.ts';
import { ProgressBar } from '../../ui/display/progress.tsx';

const warningShare = 0.8;

export function UsageMeters({ account, files }: { account: OwnAccount; files: number | undefined }) {
  const { limits, usage } = account;
  return (
    <div className="flex flex-col divide-y divide-line rounded-panel border border-line">
      <Meter
        label={t('usage.storage')}
        used={usage.storageBytes}
        limit={limits.storageBytes}
        show={bytes}
        hint={files === undefined ? undefined : tn('usage.files', files)}
        nearly={t('usage.storageNearly')}
        full={t('usage.storageFull')}
      />
      <Meter
        label={t('usage.aiReplies')}
        used={usage.aiRepliesToday}
        limit={limits.aiRepliesPerDay}
        show={number}
        hint={t('usage.aiRepliesReset')}
        nearly={t('usage.aiRepliesNearly')}
        full={t('usage.aiRepliesFull')}
      />
    </div>
  );
}

interface MeterProps {
  label: string;
  used: number;
  limit: number;
  show(value: number): string;
  hint: string | undefined;
  nearly: string;
  full: string;
}

function Meter({ label, used, limit, show, hint, nearly, full }: MeterProps) {
  const share = Math.min(1, used / limit);
  const isFull = share === 1;
  const warning = isFull ? full : share >= warningShare ? nearly : null;
  const text = t('usage.of', { used: show(used), limit: show(limit) });
  return (
    <div className="flex flex-col gap-2 px-3 py-3">
      <div className="flex items-baseline justify-between gap-4">
        <span className="font-medium">{label}</span>
        <span className="tabular text-muted">{text}</span>
      </div>
      <ProgressBar
        label={label}
        share={share}
        valueText={text}
        tone={isFull ? 'danger' : warning ? 'warning' : 'accent'}
      />
      {warning ? (
        <p
          role="status"
          className={`flex items-start gap-1.5 text-sm ${isFull ? 'text-danger' : 'text-warning'}`}
        >
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-3.5 shrink-0" />
          <span className="text-pretty">{warning}</span>
        </p>
      ) : (
        hint && <p className="text-sm text-muted">{hint}</p>
      )}
    </div>
  );
}
