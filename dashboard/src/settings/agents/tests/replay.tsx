/** Starts a replay: real conversations with the draft, beside what was sent. */
import { useState } from 'react';
import type { Agent } from '../../../../../contract/channels.ts';
import { limits } from '../../../../../contract/limits.ts';
import { api } from '../../../data/api.ts';
import { useChannels } from '../../../data/queries.ts';
import { queryClient } from '../../../data/query-client.ts';
import { t } from '../../../texts/texts.ts';
import { TextField } from '../../../ui/controls/text-field.tsx';
import { ChipPicker } from '../../parts/choices.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { runsQuery } from './tests-data.ts';

const { replays, replayDays } = limits.agentTests;
const isWithin = (text: string, max: number) => {
  const value = Number(text);
  return Number.isInteger(value) && value >= 1 && value <= max;
};

export function ReplayDialog({ agent: { id }, onClose }: { agent: Agent; onClose(): void }) {
  const channels = useChannels();
  const [days, setDays] = useState('7');
  const [limit, setLimit] = useState('50');
  const [channelIds, setChannelIds] = useState<string[]>([]);
  const start = async () => {
    const body = {
      days: Number(days),
      limit: Number(limit),
      ...(channelIds.length > 0 && { channelIds }),
    };
    await api('POST', `/agents/${id}/replay`, { body });
    await queryClient.invalidateQueries(runsQuery(id));
  };
  return (
    <FormDialog
      title={t('agents.replay.title')}
      description={t('agents.replay.text')}
      action={t('agents.replay.start')}
      ready={isWithin(days, replayDays) && isWithin(limit, replays)}
      onSubmit={start}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('agents.replay.days')}
          type="number"
          min={1}
          max={replayDays}
          value={days}
          onChange={setDays}
        />
        <TextField
          label={t('agents.replay.limit')}
          hint={t('agents.replay.limitHint', { max: replays })}
          type="number"
          min={1}
          max={replays}
          value={limit}
          onChange={setLimit}
        />
      </div>
      <ChipPicker
        label={t('agents.replay.channels')}
        none={t('agents.replay.allChannels')}
        options={channels.map((one) => ({ value: one.id, label: one.name }))}
        chosen={channelIds}
        onChange={setChannelIds}
      />
    </FormDialog>
  );
}
