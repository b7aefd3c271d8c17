import { Bot, Hand } from 'lucide-react';
import type { AiPause } from '../../../../contract/dashboard.ts';
import { useAgents } from '../../data/queries.ts';
import { useSignedIn } from '../../data/session.ts';
import { clockTime, fullDate } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';

/** Between the messages: who took over from the AI, who handed back. */
export function PauseLine({ pause: { at, aiPaused, by } }: { pause: AiPause }) {
  const { user } = useSignedIn();
  const isAgent = useAgents().some(({ id }) => id === by.id);
  const name = by.name ?? t('inbox.pause.someone');
  const text =
    isAgent && aiPaused
      ? t('inbox.pause.handover', { name })
      : by.id === user.id
        ? aiPaused
          ? t('inbox.pause.youTook')
          : t('inbox.pause.youGave')
        : aiPaused
          ? t('inbox.pause.took', { name })
          : t('inbox.pause.gave', { name });
  const Icon = aiPaused ? Hand : Bot;
  return (
    <p className="my-2 flex items-center justify-center gap-1.5 text-sm text-muted">
      <Icon aria-hidden className="size-3.5 shrink-0" />
      <span className="min-w-0 text-pretty wrap-anywhere">{text}</span>
      <time title={fullDate(at)} className="tabular shrink-0 text-faint">
        {clockTime(at)}
      </time>
    </p>
  );
}
