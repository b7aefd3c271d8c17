/** Who did what, from where: newest first, narrowed by person, action, kind of thing and time, loaded page by page. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Activity, ChevronDown } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { AuditEntry } from '../../../../contract/accounts.ts';
import { useUsers } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Input } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { EmptyState } from '../../ui/display/states.tsx';
import { Time } from '../../ui/display/time.tsx';
import { LoadMore } from '../parts/entity-list.tsx';
import { Answer, RowsSkeleton, Section } from '../parts/section.tsx';
import { auditQuery } from '../settings-data.ts';
import { type NameOf, useNameOf } from './audit-names.ts';
import { actionName, actions, actionTitle, shownChanges, targetTypes } from './audit-words.ts';

const all = 'all';
const dayStart = (day: string) => (day ? new Date(`${day}T00:00:00`).getTime() : undefined);
const dayEnd = (day: string) => (day ? new Date(`${day}T23:59:59.999`).getTime() : undefined);

export default function AuditSettings() {
  const users = useUsers();
  const [actorId, setActor] = useState(all);
  const [action, setAction] = useState(all);
  const [targetType, setTarget] = useState(all);
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const query = {
    actorId: actorId === all ? undefined : actorId,
    action: action === all ? undefined : action,
    targetType: targetType === all ? undefined : targetType,
    from: dayStart(from),
    to: dayEnd(to),
  };
  const isNarrowed = Object.values(query).some((value) => value !== undefined);
  const log = useInfiniteQuery(auditQuery(query));
  const entries = useMemo(() => log.data?.pages.flatMap(({ items }) => items) ?? [], [log.data]);
  const nameOf = useNameOf(entries);
  const clear = () => {
    setActor(all);
    setAction(all);
    setTarget(all);
    setFrom('');
    setTo('');
  };
  return (
    <Section wide title={t('settings.audit')} description={t('audit.text')}>
      <div className="flex flex-wrap items-center gap-2">
        <Select
          label={t('audit.person')}
          className="w-36!"
          value={actorId}
          onChange={setActor}
          options={[
            { value: all, label: t('audit.everyone') },
            ...users.map((user) => ({ value: user.id, label: user.name })),
          ]}
        />
        <Select
          label={t('audit.action')}
          className="w-44!"
          value={action}
          onChange={setAction}
          options={[
            { value: all, label: t('audit.everyAction') },
            ...actions.map((value) => ({ value, label: actionTitle(value) })),
          ]}
        />
        <Select
          label={t('audit.target')}
          className="w-36!"
          value={targetType}
          onChange={setTarget}
          options={[
            { value: all, label: t('audit.everything') },
            ...targetTypes.map((value) => ({ value, label: t(`audit.target.${value}`) })),
          ]}
        />
        <Input
          type="date"
          aria-label={t('deliveries.from')}
          className="w-36!"
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
        <span className="text-muted">–</span>
        <Input
          type="date"
          aria-label={t('deliveries.to')}
          className="w-36!"
          value={to}
          onChange={(event) => setTo(event.target.value)}
        />
        {isNarrowed && (
          <Button tone="quiet" onClick={clear}>
            {t('board.filter.clear')}
          </Button>
        )}
      </div>
      <Answer query={log} loading={<RowsSkeleton rows={8} />}>
        {() =>
          entries.length === 0 ? (
            <EmptyState icon={<Activity className="size-4" />} title={t('audit.empty')} />
          ) : (
            <ol aria-label={t('settings.audit')} className="flex flex-col rounded-panel border border-line">
              {entries.map((entry) => (
                <EntryRow key={entry.id} entry={entry} nameOf={nameOf} />
              ))}
            </ol>
          )
        }
      </Answer>
      <LoadMore query={log} />
    </Section>
  );
}

function EntryRow({ entry, nameOf }: { entry: AuditEntry; nameOf: NameOf }) {
  const { id } = entry.target;
  const name = nameOf(id);
  const changes = shownChanges(entry.changes, nameOf);
  return (
    <li className="border-b border-line last:border-0">
      <details className="group">
        <summary className="flex min-h-14 list-none items-center gap-3 rounded-panel px-3 py-2 hover:bg-hover focus-visible:-outline-offset-2">
          <span className="min-w-0 flex-1">
            <span className="font-medium">{entry.actor.name}</span> {actionName(entry.action)}
            {entry.actor.type === 'token' && <span className="text-muted"> ({t('audit.byToken')})</span>}
            {id !== entry.actor.id && (
              <span
                title={id}
                className={cx('block truncate text-sm text-muted', name === undefined && 'font-mono')}
              >
                {name ?? id}
              </span>
            )}
          </span>
          <span className="flex shrink-0 flex-col items-end text-sm text-muted">
            <Time ago at={entry.at} className="tabular" />
            {entry.address && <span className="tabular font-mono text-faint">{entry.address}</span>}
          </span>
          <ChevronDown
            aria-hidden
            className="size-4 shrink-0 text-faint transition-transform group-open:rotate-180"
          />
        </summary>
        <dl className="grid grid-cols-[minmax(88px,auto)_1fr] gap-x-4 gap-y-1 px-3 pt-1 pb-3 text-sm">
          {changes.map((change) => (
            <div key={change.name} className="contents">
              <dt className="font-mono text-muted">{change.name}</dt>
              <dd className="min-w-0 break-words">
                {change.before !== null && <del className="text-muted">{change.before}</del>}
                {change.before !== null && change.after !== null && ' → '}
                {change.after !== null && <span>{change.after}</span>}
              </dd>
            </div>
          ))}
          {entry.address && (
            <>
              <dt className="font-mono text-muted">{t('audit.address')}</dt>
              <dd className="min-w-0 font-mono break-all">{entry.address}</dd>
            </>
          )}
          <dt className="font-mono text-muted">{t('audit.id')}</dt>
          <dd className="min-w-0 font-mono break-all">{id}</dd>
        </dl>
      </details>
    </li>
  );
}
