/** What a document is used for: how often agents were given it and cited it, and where. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Answer } from '../../settings/parts/section.tsx';
import { dateTime, number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Badge } from '../../ui/display/badge.tsx';
import { usageQuery } from '../knowledge-data.ts';

const counts = ['retrieved', 'cited', 'helpful', 'notHelpful'] as const;

export function DocumentUsage({ id }: { id: string }) {
  const query = useQuery(usageQuery(id));
  return (
    <Answer query={query}>
      {(usage) => (
        <div className="flex flex-col gap-4">
          <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
            {counts.map((count) => (
              <div key={count} className="rounded-panel border border-line p-3">
                <dt className="text-sm text-muted">{t(`knowledge.usage.${count}`)}</dt>
                <dd className="tabular text-xl font-semibold">{number(usage[count])}</dd>
              </div>
            ))}
          </dl>
          {usage.conversations.length > 0 && (
            <ul aria-label={t('knowledge.usage.conversations')} className="rounded-panel border border-line">
              {usage.conversations.map(({ sessionId, sessionName, cited, lastAt }) => (
                <li
                  key={sessionId}
                  className="flex min-h-11 items-center gap-3 border-b border-line px-3 last:border-0"
                >
                  <Link
                    to="/inbox/$sessionId"
                    params={{ sessionId }}
                    className="min-w-0 flex-1 truncate hover:underline"
                  >
                    {sessionName ?? sessionId}
                  </Link>
                  {cited && <Badge hue="green">{t('knowledge.usage.isCited')}</Badge>}
                  <time className="shrink-0 text-sm text-muted">{dateTime(lastAt)}</time>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </Answer>
  );
}
