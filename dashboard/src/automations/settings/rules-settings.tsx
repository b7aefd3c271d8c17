/** All rules in the order in which they run, with what they did in the last 30 days. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { FilePlus2, Plus, Workflow } from 'lucide-react';
import type { Automation } from '../../../../contract/automation/automations.ts';
import { api } from '../../data/api.ts';
import { queryClient } from '../../data/query-client.ts';
import { Answer, Section } from '../../settings/parts/section.tsx';
import { number } from '../../texts/format.ts';
import { t, tn } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Switch } from '../../ui/controls/switch.tsx';
import { EmptyState } from '../../ui/display/states.tsx';
import { Time } from '../../ui/display/time.tsx';
import { SortableList } from '../../ui/lists/sortable-list.tsx';
import { Menu, MenuItem, MenuLabel } from '../../ui/overlays/menu.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { reloadRules, rulesQuery } from '../rule-data.ts';
import { type RuleWords, useRuleWords } from '../rule-words.ts';
import { type TemplateName, templateNames } from './template-contents.ts';
import { templateIcons } from './templates.ts';

const toRule = (itemId: string) =>
  ({ to: '/settings/$section/$itemId', params: { section: 'automation', itemId } }) as const;
const pathOfNew = (template?: TemplateName) => (template ? `new-${template}` : 'new');

export default function RulesSettings() {
  const rules = useQuery(rulesQuery());
  const words = useRuleWords();
  return (
    <Section wide title={t('settings.automation')} description={t('automation.text')} actions={<NewRule />}>
      <Answer query={rules}>
        {(list) =>
          list.length === 0 ? (
            <NoRules />
          ) : (
            <SortableList
              items={list}
              itemKey={({ id }) => id}
              itemName={({ name }) => name}
              onReorder={(next) => void reorder(list, next)}
              render={(rule) => <RuleRow rule={rule} words={words} />}
            />
          )
        }
      </Answer>
    </Section>
  );
}

function NewRule() {
  const navigate = useNavigate();
  const begin = (template?: TemplateName) => void navigate(toRule(pathOfNew(template)));
  return (
    <Menu
      align="end"
      trigger={
        <Button tone="primary" icon={<Plus className="size-3.5" />}>
          {t('automation.new')}
        </Button>
      }
    >
      <MenuItem icon={<FilePlus2 className="size-4" />} onSelect={() => begin()}>
        {t('automation.blank')}
      </MenuItem>
      <MenuLabel>{t('automation.templates')}</MenuLabel>
      {templateNames.map((name) => {
        const Icon = templateIcons[name];
        return (
          <MenuItem key={name} icon={<Icon className="size-4" />} onSelect={() => begin(name)}>
            {t(`automation.template.${name}`)}
          </MenuItem>
        );
      })}
    </Menu>
  );
}

function NoRules() {
  return (
    <div className="flex flex-col gap-4">
      <EmptyState
        className="py-6!"
        icon={<Workflow className="size-4" />}
        title={t('automation.empty')}
        text={t('automation.emptyText')}
      />
      <ul aria-label={t('automation.templates')} className="grid gap-2 sm:grid-cols-2">
        {templateNames.map((name) => {
          const Icon = templateIcons[name];
          return (
            <li key={name} className="flex">
              <Link
                {...toRule(pathOfNew(name))}
                className="flex flex-1 items-start gap-3 rounded-panel border border-line px-3 py-2.5 transition-colors hover:bg-hover"
              >
                <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
                <span className="flex min-w-0 flex-col">
                  <span className="font-medium">{t(`automation.template.${name}`)}</span>
                  <span className="text-pretty text-muted">{t(`automation.template.${name}.about`)}</span>
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function RuleRow({ rule, words }: { rule: Automation; words: RuleWords }) {
  const { id, name, enabled, disabledReason, steps } = rule;
  return (
    <div
      className={cx(
        'flex min-w-0 flex-1 items-start gap-3 rounded-panel border border-line bg-surface px-3 py-2.5',
      )}
    >
      <Switch
        label={<span className="sr-only">{t('automation.enabledOf', { name })}</span>}
        checked={enabled}
        onChange={(on) => void enable(rule, on)}
      />
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <Link
          {...toRule(id)}
          className={cx('font-medium break-words hover:underline', !enabled && 'text-muted')}
        >
          {name}
        </Link>
        <p className="text-pretty break-words text-muted">
          {words.when(rule)} → {steps.map(words.step).join(' → ')}
        </p>
        {disabledReason && (
          <p className="text-sm text-pretty break-words text-danger">
            {t('automation.switchedOff', { reason: disabledReason })}
          </p>
        )}
        <RuleStats rule={rule} />
      </div>
    </div>
  );
}

export function RuleStats({ rule: { stats } }: { rule: Automation }) {
  const { runs30d, failed30d, lastRunAt } = stats;
  if (runs30d === 0 && lastRunAt === null)
    return <p className="text-sm text-faint">{t('automation.neverRan')}</p>;
  return (
    <p className="flex flex-wrap gap-x-2 text-sm text-muted">
      <span className="tabular">{tn('automation.runs30d', runs30d, { shown: number(runs30d) })}</span>
      {failed30d > 0 && (
        <span className="tabular text-danger">
          {tn('automation.failed30d', failed30d, { shown: number(failed30d) })}
        </span>
      )}
      {lastRunAt !== null && (
        <span>
          {t('automation.lastRun')} <Time ago at={lastRunAt} />
        </span>
      )}
    </p>
  );
}

/** Shown at once, and put back if it is refused. */
async function change(next: Automation[], before: Automation[], send: () => Promise<unknown>): Promise<void> {
  queryClient.setQueryData(rulesQuery().queryKey, next);
  try {
    await send();
  } catch (error) {
    queryClient.setQueryData(rulesQuery().queryKey, before);
    toast.failed(t('settings.failed'), error, () => void change(next, before, send));
  } finally {
    void reloadRules();
  }
}

const reorder = (before: Automation[], next: Automation[]) =>
  change(next, before, () =>
    api('POST', '/automations/reorder', { body: { ids: next.map(({ id }) => id) } }),
  );

function enable({ id }: Automation, enabled: boolean): Promise<void> {
  const before = queryClient.getQueryData(rulesQuery().queryKey) ?? [];
  const next = before.map((rule) => (rule.id === id ? { ...rule, enabled } : rule));
  return change(next, before, () => api('PATCH', `/automations/${id}`, { body: { enabled } }));
}
