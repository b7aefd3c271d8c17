/** What refers to something that cannot be deleted, or that is changed when it is: each with the way there. */
import { Link } from '@tanstack/react-router';
import type { HoursUse } from '../../../../contract/business-hours.ts';
import { t } from '../../texts/texts.ts';

export type Use = HoursUse;

/** Teams and service levels are edited in their list. */
const sections: { [type in Exclude<Use['type'], 'default'>]: string } = {
  channel: 'channels',
  team: 'teams',
  automation: 'automation',
  sla_policy: 'service-levels',
};
const hasPage = (type: Use['type']) => type === 'channel' || type === 'automation';

export function UseList({ label, uses }: { label: string; uses: readonly Use[] }) {
  return (
    <ul aria-label={label} className="flex flex-col rounded-panel border border-line">
      {uses.map((use) => (
        <li
          key={`${use.type} ${use.id}`}
          className="flex items-baseline justify-between gap-3 border-b border-line px-3 py-1.5 last:border-0"
        >
          <UseLink use={use} />
          <span className="shrink-0 text-sm text-muted">{t(`settings.use.${use.type}`)}</span>
        </li>
      ))}
    </ul>
  );
}

function UseLink({ use: { type, id, name } }: { use: Use }) {
  const look = 'min-w-0 break-words text-accent-ink underline-offset-2 hover:underline';
  if (type === 'default' || id === null) return <span className="min-w-0 break-words">{name}</span>;
  const section = sections[type];
  return hasPage(type) ? (
    <Link to="/settings/$section/$itemId" params={{ section, itemId: id }} className={look}>
      {name}
    </Link>
  ) : (
    <Link to="/settings/$section" params={{ section }} className={look}>
      {name}
    </Link>
  );
}
