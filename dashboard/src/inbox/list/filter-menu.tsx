/** Narrows the list by channel, agent, board, team and labels. */
import { Funnel } from 'lucide-react';
import { useAgents, useChannels, useKanbans, useTeams } from '../../data/queries.ts';
import { LabelDot } from '../../labels/label-chips.tsx';
import { useLabels } from '../../labels/label-data.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { controlClass, Field } from '../../ui/controls/input.tsx';
import { Picker } from '../../ui/controls/picker.tsx';
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
  const { channelId, agentId, kanbanId, teamId, labelIds, sla } = filter;
  const count = [channelId, agentId, kanbanId, teamId, labelIds, sla].filter(Boolean).length;
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
      <Field label={t('inbox.sla')}>
        {(ids) => (
          <Select
            {...ids}
            value={sla ?? 'any'}
            options={[
              any,
              { value: 'due', label: t('inbox.sla.due') },
              { value: 'breached', label: t('inbox.sla.breached') },
            ]}
            onChange={(value) =>
              onChange({ ...filter, sla: value === 'due' || value === 'breached' ? value : undefined })
            }
          />
        )}
      </Field>
      <LabelFilter
        chosen={labelIds ?? []}
        onChange={(ids) => onChange({ ...filter, labelIds: ids.length > 0 ? ids : undefined })}
      />
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

/** Conversations that have any of them. */
function LabelFilter({ chosen, onChange }: { chosen: readonly string[]; onChange(ids: string[]): void }) {
  const labels = useLabels();
  if (labels.length === 0) return null;
  const names = labels.filter(({ id }) => chosen.includes(id)).map(({ name }) => name);
  return (
    <Field label={t('record.field.labels')}>
      {(ids) => (
        <Picker
          several
          label={t('record.field.labels')}
          chosen={chosen}
          onChange={onChange}
          options={labels.map(({ id, name, color }) => ({
            value: id,
            label: name,
            mark: <LabelDot color={color} />,
          }))}
          trigger={
            <button {...ids} type="button" className={cx(controlClass, 'flex h-8 items-center text-left')}>
              <span className="truncate">{names.join(', ') || t('inbox.filter.any')}</span>
            </button>
          }
        />
      )}
    </Field>
  );
}
