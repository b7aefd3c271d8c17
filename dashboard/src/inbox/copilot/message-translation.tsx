/** Beside a message: the same in the reader's language. */
import { useQuery } from '@tanstack/react-query';
import { Languages } from 'lucide-react';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { languageName } from '../../texts/language-name.ts';
import { language, t } from '../../texts/texts.ts';
import { Button, Spinner } from '../../ui/controls/button.tsx';
import { Markdown } from '../../ui/display/markdown.tsx';
import { translationQuery } from './copilot-data.ts';
import { copilotProblem } from './copilot-words.ts';
import { languageOf } from './customer-language.ts';
import { useAllTranslated } from './translated.ts';

export default function MessageTranslation({ sessionId, message }: { sessionId: string; message: Message }) {
  const isAll = useAllTranslated(sessionId);
  // Of all, those that are not in the reader's language already; one that was chosen in any case.
  const isNeeded = !isAll || languageOf([message.content]) !== language();
  const query = useQuery({ ...translationQuery(sessionId, message), enabled: isNeeded });
  if (!isNeeded) return null;
  const { data, error, isFetching, refetch } = query;
  return (
    <div
      aria-live="polite"
      aria-busy={isFetching}
      className="max-w-full min-w-0 rounded-control border-l-2 border-(--hue-purple) bg-surface py-0.5 pr-2 pl-2.5 text-left"
    >
      <p className="flex items-center gap-1 text-xs text-muted">
        {isFetching ? <Spinner className="size-3!" /> : <Languages aria-hidden className="size-3" />}
        {t('copilot.translation', { language: languageName(language()) })}
      </p>
      {data !== undefined && <Markdown text={data} />}
      {error && !isFetching && (
        <p className="flex flex-wrap items-center gap-2 text-danger">
          {copilotProblem(error)}
          <Button size="small" onClick={() => void refetch()}>
            {t('ui.retry')}
          </Button>
        </p>
      )}
    </div>
  );
}
