/** The versions of an agent: who changed what and why, and the way back to one of them. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { AgentRolledBack, AgentVersionEntry } from '../../../../contract/agent-versions.ts';
import type { Agent } from '../../../../contract/channels.ts';
import { api } from '../../data/api.ts';
import { keys, useKanbans } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { sourcesQuery } from '../../knowledge/knowledge-data.ts';
import { t, tn } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { ErrorState } from '../../ui/display/states.tsx';
import { Time } from '../../ui/display/time.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { Rows } from '../parts/rows.tsx';
import { Answer } from '../parts/section.tsx';
import { reload } from '../settings-data.ts';
import { toolsQuery } from '../tools/tools-data.ts';
import { fieldNames } from './agent-draft.tsx';
import { versionQuery, versionsQuery } from './agents-data.ts';

export function AgentVersions({ agent }: { agent: Agent }) {
  const versions = useInfiniteQuery(versionsQuery(agent.id));
  return (
    <div className="flex flex-col gap-3 pt-4">
      <p className="text-muted">{t('agents.versions.text')}</p>
      <Answer query={versions}>
        {({ pages }) => (
          <Rows label={t('agents.versions')}>
            {pages
              .flatMap(({ items }) => items)
              .map((entry) => (
                <VersionRow key={entry.version} agent={agent} entry={entry} />
              ))}
          </Rows>
        )}
      </Answer>
      {versions.hasNextPage && (
        <Button
          className="self-center"
          busy={versions.isFetchingNextPage}
          onClick={() => void versions.fetchNextPage()}
        >
          {t('agents.versions.more')}
        </Button>
      )}
    </div>
  );
}

function VersionRow({ agent, entry }: { agent: Agent; entry: AgentVersionEntry }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { version, publishedAt, by, note, changed } = entry;
  const restore = async () => {
    const body = { version };
    const path = `/agents/${agent.id}/rollback`;
    const { leftOut, version: made } = await api<AgentRolledBack>('POST', path, { body });
    await reload(keys.agents);
    const missing = Object.values(leftOut).flat().length;
    toast.done(
      missing > 0
        ? tn('agents.versions.leftOut', missing, { version: String(made) })
        : t('agents.versions.restored', { version: made }),
    );
  };
  return (
    <li className="flex flex-col gap-2 border-b border-line px-3 py-3 last:border-0">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="flex min-w-60 flex-1 flex-col gap-0.5">
          <span className="flex flex-wrap items-center gap-2">
            <span className="font-medium">{t('agents.version', { version })}</span>
            {version === agent.version && <Badge hue="green">{t('agents.versions.current')}</Badge>}
            <span className="text-sm text-muted">
              {by}, <Time at={publishedAt} />
            </span>
          </span>
          {note && <p className="whitespace-pre-wrap wrap-anywhere">{note}</p>}
          <p className="text-sm text-muted">
            {changed.length === 0
              ? t('agents.versions.first')
              : t('agents.versions.changed', { fields: fieldNames(changed) })}
          </p>
        </div>
        <span className="flex gap-2">
          {changed.length > 0 && (
            <Button tone="quiet" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
              {isOpen ? t('agents.versions.hide') : t('agents.versions.show')}
            </Button>
          )}
          {version !== agent.version && (
            <ConfirmButton
              action={t('agents.versions.restore')}
              title={t('agents.versions.restoreTitle', { version })}
              text={t('agents.versions.restoreText')}
              failed={t('agents.versions.restoreFailed')}
              onConfirm={restore}
            />
          )}
        </span>
      </div>
      <div id={id} hidden={!isOpen}>
        {isOpen && <Differences agentId={agent.id} version={version} />}
      </div>
    </li>
  );
}

function Differences({ agentId, version }: { agentId: string; version: number }) {
  const query = useQuery(versionQuery(agentId, version));
  const boards = useKanbans();
  const mayView = useMay('knowledge.view');
  const sources = useQuery({ ...sourcesQuery, enabled: mayView });
  const tools = useQuery(toolsQuery);
  const names = new Map(
    [...boards, ...(sources.data ?? []), ...(tools.data ?? [])].map(({ id, name }) => [id, name]),
  );
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <dl className="flex flex-col gap-3">
      {(query.data?.differences ?? []).map(({ field, from, to }) => (
        <div key={field} className="flex flex-col gap-1">
          <dt className="text-sm font-medium">{t(`agents.field.${field}`)}</dt>
          <dd className="grid gap-2 sm:grid-cols-2">
            <Value label={t('agents.versions.before')} text={textOf(from, names)} />
            <Value label={t('agents.versions.after')} text={textOf(to, names)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ label, text }: { label: string; text: string }) {
  return (
    <div className="flex min-w-0 flex-col rounded-control border border-line bg-sunken px-2 py-1 text-sm">
      <span className="text-xs text-muted">{label}</span>
      <span className="max-h-60 overflow-y-auto whitespace-pre-wrap wrap-anywhere">
        {text || <span className="text-faint">{t('agents.versions.empty')}</span>}
      </span>
    </div>
  );
}

/** Of a setting of any kind, with the names of what it refers to. */
function textOf(value: unknown, names: ReadonlyMap<string, string>): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((one) => textOf(one, names)).join('\n');
  if (typeof value === 'object')
    return Object.values(value)
      .map((one) => textOf(one, names))
      .join(': ');
  if (typeof value === 'boolean') return value ? t('agents.versions.on') : t('agents.versions.off');
  return names.get(String(value)) ?? String(value);
}
