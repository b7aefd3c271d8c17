/** Narrows the list by channel, agent, board and team. */
import { Funnel } from 'lucide-react';
import { useAgents, useChannels, useKanbans, useTeams } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Popover } from '../../ui/overlays/popover.tsx';
import type { InboxFilter } from '../data/inbox-filter.ts';

interface FilterMenuProps {
  filter: InboxFilter;
  onChange(filter: InboxFilter): void;
}

export function FilterMenu({ filter, onChange }: FilterMenuProps) {
  const channels = useChannels();
  const agents = useAgents();
  const boards = useKanbans();
  const teams = useTeams();
  const { channelId, agentId, kanbanId, teamId } = filter;
  const count = [channelId, agentId, kanbanId, teamId].filter(Boolean).length;
  const any = { value: 'any', label: t('inbox.filter.any') };
  const select = (
    label: string,
    name: 'channelId' | 'agentId' | 'kanbanId' | 'teamId',
    options: { id: string; name: string }[],
  ) => (
    <Field label={label}>
      {(ids) => (
        <Select
          {...ids}
          value={filter[name] ?? 'any'}
          options={[any, ...options.map((one) => ({ value: one.id, label: one.name }))]}
          onChange={(value) => onChange({ ...filter, [name]: value === 'any' ? undefined : value })}
        />
      )}
    </Field>
  );
  return (
    <Popover
      align="end"
      className="flex w-64 flex-col gap-3 p-3"
      label={t('inbox.filter')}
      trigger={
        <IconButton
          label={t('inbox.filter')}
          tip={false}
          className={cx(count > 0 && 'bg-accent-soft! text-accent-ink!')}
        >
          <Funnel className="size-4" />
        </IconButton>
      }
    >
      {select(t('inbox.filter.channel'), 'channelId', channels)}
      {select(t('inbox.filter.agent'), 'agentId', agents)}
      {select(t('inbox.filter.board'), 'kanbanId', boards)}
      {teams.length > 0 && select(t('inbox.filter.team'), 'teamId', teams)}
      <Button
        tone="quiet"
        disabled={count === 0}
        onClick={() => onChange({ show: filter.show, status: filter.status, q: filter.q })}
      >
        {t('inbox.filter.clear')}
      </Button>
    </Popover>
  );
}
