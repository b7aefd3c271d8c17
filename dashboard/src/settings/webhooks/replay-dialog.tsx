import { useState } from 'react';
import type { Static } from 'typebox';
import type { ReplayAnswer } from '../../../../contract/webhooks.ts';
import { api } from '../../data/api.ts';
import { t, tn } from '../../texts/texts.ts';
import { TextField } from '../../ui/controls/text-field.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { reload, settingsKeys } from '../settings-data.ts';

/** As the control wants it: local time without a zone. */
const local = (at: number) => {
  const offset = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - offset).toISOString().slice(0, 16);
};

export function ReplayDialog({ endpointId, onClose }: { endpointId: string; onClose(): void }) {
  const [from, setFrom] = useState(() => local(Date.now() - 3_600_000));
  const [to, setTo] = useState(() => local(Date.now() + 60_000));
  const submit = async () => {
    const body = { from: new Date(from).getTime(), to: new Date(to).getTime() };
    const { count } = await api<Static<typeof ReplayAnswer>>('POST', `/webhooks/${endpointId}/replay`, {
      body,
    });
    await reload(settingsKeys.deliveries(endpointId));
    toast.done(tn('deliveries.replayed', count));
  };
  return (
    <FormDialog
      title={t('deliveries.replayTitle')}
      description={t('deliveries.replayText')}
      action={t('deliveries.replayAct')}
      ready={from !== '' && to !== '' && from <= to}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label={t('deliveries.from')} type="datetime-local" value={from} onChange={setFrom} />
        <TextField
          label={t('deliveries.to')}
          error={from > to ? t('deliveries.wrongOrder') : undefined}
          type="datetime-local"
          value={to}
          onChange={setTo}
        />
      </div>
    </FormDialog>
  );
}
