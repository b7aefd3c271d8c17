/** A line of the service for the team. That of a cancelled message has its text, which can become a draft. */
import { ArrowRightLeft, CalendarX2 } from 'lucide-react';
import type { Message } from '../../../../../contract/messaging/messages.ts';
import { cancelledLine } from '../../../../../contract/messaging/scheduled.ts';
import { clockTime, fullDate } from '../../../texts/format.ts';
import { t } from '../../../texts/texts.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { requestInsert } from '../../composer/insert-request.ts';

export function SystemMessage({ message, sessionId }: { message: Message; sessionId: string }) {
  const { id, content, timestamp } = message;
  const cancelled = content.startsWith(cancelledLine) ? content.slice(cancelledLine.length).trim() : null;
  const Icon = cancelled === null ? ArrowRightLeft : CalendarX2;
  return (
    <div data-message={id} className="my-3 flex justify-center">
      <div className="flex max-w-full items-center gap-2 rounded-2xl border border-line bg-surface px-3 py-0.5 text-sm text-muted">
        <Icon aria-hidden className="size-3.5 shrink-0" />
        <p className="min-w-0 break-words whitespace-pre-line">
          {cancelled === null ? content : `${t('later.cancelled')}\n${cancelled}`}
        </p>
        {cancelled && (
          <Button size="small" tone="quiet" onClick={() => requestInsert(sessionId, cancelled)}>
            {t('later.cancelled.use')}
          </Button>
        )}
        <time title={fullDate(timestamp)} className="tabular shrink-0 text-faint">
          {clockTime(timestamp)}
        </time>
      </div>
    </div>
  );
}
