/** How soon customers are answered and conversations resolved: the first policy that matches a conversation applies. */
import { useQuery } from '@tanstack/react-query';
import { Timer } from 'lucide-react';
import { useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import type { SlaPolicy } from '../../../../contract/service-levels.ts';
import { readConditions, unfinished, writeConditions } from '../../automations/rule-draft.ts';
import { useRuleWords } from '../../automations/rule-words.ts';
import { ConditionsEditor } from '../../automations/settings/conditions-editor.tsx';
import { MinutesField } from '../../automations/settings/rule-parts.tsx';
import { api } from '../../data/api.ts';
import { ExplainedError } from '../../data/errors.ts';
import { queryClient } from '../../data/query-client.ts';
import { lengthText } from '../../macros/step-words.ts';
import { t } from '../../texts/texts.ts';
import { Switch } from '../../ui/controls/switch.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { EmptyState } from '../../ui/display/states.tsx';
import { SortableList } from '../../ui/lists/sortable-list.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { useHours } from '../hours/hours-data.ts';
import { CreateButton } from '../parts/entity-list.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { OptionalSelect } from '../parts/optional-select.tsx';
import { Answer, Section } from '../parts/section.tsx';
import { policiesQuery, reloadPolicies } from './service-levels-data.ts';

const targets = ['firstResponseMinutes', 'nextResponseMinutes', 'resolutionMinutes'] as const;

const sentence = (text: string) => text.charAt(0).toLocaleUpperCase() + text.slice(1);

export default function ServiceLevelsSettings() {
  // Others may have changed them: there is no live update.
  const policies = useQuery({ ...policiesQuery, staleTime: 0 });
  const words = useRuleWords();
  const [open, setOpen] = useState<SlaPolicy | 'new' | null>(null);
  const textOf = (policy: SlaPolicy) =>
    [
      policy.filter ? sentence(words.conditions(readConditions(policy.filter))) : t('sla.everything'),
      ...targets.flatMap((name) => {
        const minutes = policy[name];
        return minutes === undefined ? [] : `${t(`sla.target.${name}`)} ${lengthText(minutes)}`;
      }),
    ].join(' · ');
  return (
    <Section
      title={t('settings.serviceLevels')}
      description={t('sla.text')}
      actions={<CreateButton label={t('sla.new')} onClick={() => setOpen('new')} />}
    >
      <Answer query={policies}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState
              icon={<Timer className="size-4" />}
              title={t('sla.empty')}
              text={t('sla.emptyText')}
            />
          ) : (
            <SortableList
              items={list}
              itemKey={({ id }) => id}
              itemName={({ name }) => name}
              onReorder={(next) => void reorder(list, next)}
              render={(policy) => (
                <button
                  type="button"
                  onClick={() => setOpen(policy)}
                  className="flex min-w-0 flex-1 flex-col rounded-panel border border-line px-3 py-2 text-left transition-colors hover:bg-hover"
                >
                  <span className="font-medium break-words">{policy.name}</span>
                  <span className="text-pretty break-words text-muted">{textOf(policy)}</span>
                </button>
              )}
            />
          )
        }
      </Answer>
      {open && <PolicyDialog policy={open === 'new' ? null : open} onClose={() => setOpen(null)} />}
    </Section>
  );
}

function PolicyDialog({ policy, onClose }: { policy: SlaPolicy | null; onClose(): void }) {
  const hours = useHours();
  const [filter, setFilter] = useState(() => readConditions(policy?.filter));
  const [draft, setDraft] = useState(() => ({
    name: policy?.name ?? '',
    firstResponseMinutes: policy ? policy.firstResponseMinutes : 60,
    nextResponseMinutes: policy?.nextResponseMinutes,
    resolutionMinutes: policy?.resolutionMinutes,
    hoursId: policy?.hoursId ?? null,
    pauseWhileSnoozed: policy?.pauseWhileSnoozed ?? true,
    pauseWhileWaitingForCustomer: policy?.pauseWhileWaitingForCustomer ?? true,
    aiCounts: policy?.aiCounts ?? false,
    warnBeforeMinutes: policy?.warnBeforeMinutes ?? 15,
  }));
  const put = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part });
  const submit = async () => {
    if (unfinished(filter, 'filter') !== null) throw new ExplainedError(t('automation.problem.condition'));
    const body = {
      ...draft,
      name: draft.name.trim(),
      ...Object.fromEntries(targets.map((name) => [name, draft[name] ?? null])),
      filter: writeConditions(filter),
    };
    if (policy) await api('PATCH', `/sla-policies/${policy.id}`, { body });
    else await api('POST', '/sla-policies', { body });
    await reloadPolicies();
  };
  return (
    <FormDialog
      wide
      title={policy ? t('sla.edit') : t('sla.new')}
      action={policy ? t('ui.save') : t('ui.create')}
      ready={draft.name.trim() !== '' && targets.some((name) => draft[name] !== undefined)}
      onSubmit={submit}
      onClose={onClose}
      onDelete={
        policy === null
          ? undefined
          : () => {
              onClose();
              void remove(policy);
            }
      }
    >
      <TextField
        label={t('sla.name')}
        autoFocus
        value={draft.name}
        maxLength={limits.nameLength}
        onChange={(name) => put({ name })}
      />
      <ConditionsEditor
        about="conversations"
        path="filter"
        title={t('sla.filter')}
        group={filter}
        onChange={setFilter}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        {targets.map((name) => (
          <MinutesField
            key={name}
            label={t(`sla.target.${name}`)}
            hint={t('sla.none')}
            minutes={draft[name]}
            onChange={(minutes) => put({ [name]: minutes })}
          />
        ))}
        <MinutesField
          label={t('sla.warn')}
          hint={t('sla.warnHint')}
          minutes={draft.warnBeforeMinutes || undefined}
          onChange={(warnBeforeMinutes = 0) => put({ warnBeforeMinutes })}
        />
      </div>
      <OptionalSelect
        label={t('sla.hours')}
        none={t('sla.allHours')}
        value={draft.hoursId ?? undefined}
        options={hours.map(({ id, name }) => ({ value: id, label: t('automation.onlyHours', { name }) }))}
        onChange={(hoursId) => put({ hoursId: hoursId ?? null })}
      />
      <Switch
        label={t('sla.pauseSnoozed')}
        checked={draft.pauseWhileSnoozed}
        onChange={(pauseWhileSnoozed) => put({ pauseWhileSnoozed })}
      />
      <Switch
        label={t('sla.pauseWaiting')}
        checked={draft.pauseWhileWaitingForCustomer}
        onChange={(pauseWhileWaitingForCustomer) => put({ pauseWhileWaitingForCustomer })}
      />
      <Switch label={t('sla.aiCounts')} checked={draft.aiCounts} onChange={(aiCounts) => put({ aiCounts })} />
    </FormDialog>
  );
}

/** Each keeps its own place: those that moved are sent, shown at once and read again afterwards. */
async function reorder(before: SlaPolicy[], next: SlaPolicy[]): Promise<void> {
  queryClient.setQueryData(policiesQuery.queryKey, next);
  try {
    for (const [order, policy] of next.entries()) {
      if (policy.order !== order) await api('PATCH', `/sla-policies/${policy.id}`, { body: { order } });
    }
  } catch (error) {
    queryClient.setQueryData(policiesQuery.queryKey, before);
    toast.failed(t('sla.reorderFailed'), error);
  } finally {
    void reloadPolicies();
  }
}

async function remove({ id, name }: SlaPolicy): Promise<void> {
  try {
    await api('DELETE', `/sla-policies/${id}`);
    await reloadPolicies();
    toast.done(t('sla.deleted', { name }));
  } catch (error) {
    toast.failed(t('sla.deleteFailed'), error);
  }
}
