/** Asks the provider who we are, and shows what it answered. */
import { CircleAlert, CircleCheck } from 'lucide-react';
import { useRef, useState } from 'react';
import type { ConnectorCheck } from '../../../../../contract/connectors.schemas.ts';
import { describeError } from '../../../data/errors.ts';
import { keys } from '../../../data/queries.ts';
import { t } from '../../../texts/texts.ts';
import { cx } from '../../../ui/class-names.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { reload } from '../../settings-data.ts';
import { checkConnector } from './connector-data.ts';

export interface Check {
  busy: boolean;
  answer: ConnectorCheck | null;
  run(): Promise<void>;
  /** What was answered before is not true any more. */
  clear(): void;
}

/** An answer belongs to the state in which it was asked for: it goes when the state changes. */
export function useCheck(channelId: string, state: string): Check {
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<(ConnectorCheck & { state: string }) | null>(null);
  const round = useRef(0);
  const run = async () => {
    const mine = ++round.current;
    setBusy(true);
    setAnswer(null);
    const given = await checkConnector(channelId).catch((error: unknown) => ({
      ok: false,
      detail: describeError(error).text,
    }));
    setBusy(false);
    if (mine !== round.current) return;
    setAnswer({ ...given, state });
    void reload(keys.channels);
  };
  const clear = () => {
    round.current++;
    setAnswer(null);
  };
  return { busy, answer: answer?.state === state ? answer : null, run, clear };
}

export function CheckButton({ check: { busy, answer, run } }: { check: Check }) {
  const Icon = answer?.ok ? CircleCheck : CircleAlert;
  return (
    <>
      <div role="status" className="w-full empty:hidden">
        {answer && (
          <p
            className={cx(
              'flex items-start gap-2 rounded-control px-3 py-2 wrap-anywhere',
              answer.ok ? 'bg-success-soft text-success' : 'bg-danger-soft text-danger',
            )}
          >
            <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
            {answer.detail}
          </p>
        )}
      </div>
      <Button busy={busy} onClick={() => void run()}>
        {t('connectors.check')}
      </Button>
    </>
  );
}
