/** Asks the provider who we are, and shows what it answered. */
import { CircleAlert, CircleCheck } from 'lucide-react';
import { useState } from 'react';
import type { ConnectorCheck } from '../../../../../contract/connectors.schemas.ts';
import { describeError } from '../../../data/errors.ts';
import { keys } from '../../../data/queries.ts';
import { t } from '../../../texts/texts.ts';
import { cx } from '../../../ui/class-names.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { reload } from '../../settings-data.ts';
import { checkConnector } from './connector-data.ts';

export function CheckButton({ channelId }: { channelId: string }) {
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<ConnectorCheck | null>(null);
  const check = async () => {
    setBusy(true);
    setAnswer(null);
    try {
      setAnswer(await checkConnector(channelId));
      void reload(keys.channels);
    } catch (error) {
      setAnswer({ ok: false, detail: describeError(error).text });
    } finally {
      setBusy(false);
    }
  };
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
      <Button busy={busy} onClick={() => void check()}>
        {t('connectors.check')}
      </Button>
    </>
  );
}
