import { Ban, Bot, CirclePause, Hand } from 'lucide-react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';

/** Who answers now: the agent, a person, or nobody yet. In a header its shortest words: there is one short line. */
export function AiState({
  session,
  agent,
  wraps,
}: {
  session: InboxSession;
  agent: string;
  /** Where there is room for more than one line. */
  wraps?: boolean;
}) {
  const { aiPaused, needsAttention, blocked } = session;
  const [Icon, text, look] = blocked
    ? [Ban, t('inbox.ai.blocked'), 'text-danger']
    : needsAttention
      ? [Hand, t('inbox.ai.waiting'), 'text-warning']
      : aiPaused
        ? [CirclePause, t(wraps ? 'inbox.ai.paused' : 'inbox.ai.pausedShort', { agent }), 'text-muted']
        : [Bot, t('inbox.ai.answers', { agent }), 'text-success'];
  return (
    <span title={text} className={cx('flex min-w-0 items-center gap-1 text-sm', look)}>
      <Icon aria-hidden className="size-3 shrink-0" />
      <span className={wraps ? 'min-w-0' : 'truncate'}>{text}</span>
    </span>
  );
}
