/** Below a suggestion in the composer: that it is one, what it is based on, and the way back to what was typed. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Sparkles, TriangleAlert, X } from 'lucide-react';
import { type RefObject, useEffect } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { t } from '../../texts/texts.ts';
import { Button, IconButton, Spinner } from '../../ui/controls/button.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { Citations } from '../conversation/citations.tsx';
import { isOfCustomer, messagesQuery } from '../data/message-data.ts';
import { copilotProblem } from './copilot-words.ts';
import { endSuggestion, isOver, makeSuggestion, type Suggestion, useSuggestion } from './suggestions.ts';

interface SuggestionBarProps {
  id: string;
  session: InboxSession;
  /** The composer shows a note. */
  isNote: boolean;
  area: RefObject<HTMLTextAreaElement | null>;
}

export default function SuggestionBar({ id, session: { sessionId }, isNote, area }: SuggestionBarProps) {
  const suggestion = useSuggestion(sessionId);
  useOutdated(sessionId, suggestion);
  if (!suggestion || isNote) return null;
  const { state, request, answer, error } = suggestion;
  const task = request.task as 'suggest' | 'rewrite' | 'translate';
  const end = () => {
    endSuggestion(sessionId, 'discarded');
    area.current?.focus();
  };
  if (state === 'failed') {
    return (
      <div
        role="alert"
        className="mx-2 mb-2 flex flex-wrap items-center gap-x-2 gap-y-1 rounded-control bg-danger-soft py-1 pr-1 pl-2.5 text-sm text-danger"
      >
        <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
        <span className="min-w-0 flex-1 basis-48 wrap-anywhere">{copilotProblem(error)}</span>
        <Button size="small" onClick={() => void makeSuggestion(sessionId, request, suggestion)}>
          {t('ui.retry')}
        </Button>
        <IconButton size="small" tip={false} label={t('ui.close')} onClick={end}>
          <X className="size-3.5" />
        </IconButton>
      </div>
    );
  }
  if (!isOver(suggestion)) return null;
  const isMaking = state === 'making';
  return (
    <div className="mx-2 mb-2 flex flex-col gap-1 rounded-b-control bg-(--hue-purple-soft) pb-1">
      <div className="flex flex-wrap items-center gap-x-2 px-2 text-sm text-(--hue-purple)">
        {isMaking ? <Spinner /> : <Sparkles aria-hidden className="size-3.5 shrink-0" />}
        <span id={id} role="status" className="min-w-0 flex-1 basis-48">
          {isMaking ? t(`copilot.making.${task}`) : t(`copilot.marked.${task}`)}
        </span>
        <Button size="small" onClick={end}>
          {isMaking ? t('copilot.stop') : t('ui.undo')}
        </Button>
      </div>
      <Citations citations={answer?.citations} />
    </div>
  );
}

/** The customer wrote after what it is based on: it may answer something else by now. What was typed is shown again. */
function useOutdated(sessionId: string, suggestion: Suggestion | null): void {
  const { data } = useInfiniteQuery(messagesQuery(sessionId));
  const isOutdated =
    isOver(suggestion) &&
    suggestion.request.task === 'suggest' &&
    hasNewer(data?.pages.flatMap(({ items }) => items) ?? [], suggestion.basedOnMessageId);
  useEffect(() => {
    if (!isOutdated) return;
    endSuggestion(sessionId, 'discarded');
    toast.show(t('copilot.outdated'));
  }, [isOutdated, sessionId]);
}

/** `newestFirst`. A message that has not arrived here yet has nothing newer. */
function hasNewer(newestFirst: readonly Message[], messageId: string | null): boolean {
  const at = newestFirst.findIndex(({ id }) => id === messageId);
  return newestFirst.slice(0, Math.max(at, 0)).some(isOfCustomer);
}
