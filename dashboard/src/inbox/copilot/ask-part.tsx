/** Questions of the reader about a conversation. Nobody else sees them or the answers. */
import { MessageCircleQuestion, SendHorizontal, Square, TriangleAlert } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { CopilotAnswer } from '../../../../contract/copilot.ts';
import { limits } from '../../../../contract/limits.ts';
import { t } from '../../texts/texts.ts';
import { IconButton, Spinner } from '../../ui/controls/button.tsx';
import { TextArea } from '../../ui/controls/input.tsx';
import { Markdown } from '../../ui/display/markdown.tsx';
import { Citations } from '../conversation/citations.tsx';
import { askCopilot } from './copilot-data.ts';
import { copilotProblem } from './copilot-words.ts';

interface Asked {
  question: string;
  text: string;
  /** Null: still being written, or it failed. */
  answer: CopilotAnswer | null;
  error: unknown;
}

export default function AskPart({ sessionId }: { sessionId: string }) {
  const [question, setQuestion] = useState('');
  const [asked, setAsked] = useState<readonly Asked[]>([]);
  const running = useRef<AbortController | null>(null);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => () => running.current?.abort(), []);

  const change = (parts: Partial<Asked>) =>
    setAsked((all) => [...all.slice(0, -1), { ...all.at(-1)!, ...parts }]);
  const ask = async () => {
    const wanted = question.trim();
    if (wanted === '' || isBusy) return;
    const controller = new AbortController();
    running.current = controller;
    setQuestion('');
    setBusy(true);
    setAsked((all) => [...all, { question: wanted, text: '', answer: null, error: null }]);
    try {
      const request = { task: 'ask', question: wanted } as const;
      const answer = await askCopilot(sessionId, request, controller.signal, (text) => {
        if (!controller.signal.aborted) change({ text });
      });
      change({ answer, text: answer.text });
    } catch (error) {
      if (!controller.signal.aborted) change({ error, text: '' });
    } finally {
      setBusy(false);
    }
  };
  const stop = () => {
    running.current?.abort();
    // What was asked can be asked again in other words.
    setQuestion(asked.at(-1)?.question ?? '');
    setAsked(asked.slice(0, -1));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void ask();
  };
  return (
    <section className="border-t border-line px-5 py-3">
      <h3 className="mb-1.5 flex items-center gap-1.5 font-medium">
        <MessageCircleQuestion aria-hidden className="size-4 text-(--hue-purple)" />
        {t('copilot.ask')}
      </h3>
      <ol aria-label={t('copilot.ask.answers')} aria-live="polite" className="flex flex-col gap-3">
        {asked.map((one, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: questions are only ever added
          <li key={index}>
            <Question asked={one} />
          </li>
        ))}
      </ol>
      <div className="mt-2 flex items-end gap-1">
        <TextArea
          rows={1}
          maxRows={6}
          aria-label={t('copilot.ask.label')}
          placeholder={t('copilot.ask.label')}
          maxLength={limits.copilot.questionLength}
          value={question}
          onChange={(event) => setQuestion(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {isBusy ? (
          <IconButton label={t('copilot.stop')} className="h-8! w-8!" onClick={stop}>
            <Square className="size-3.5" />
          </IconButton>
        ) : (
          <IconButton
            label={t('copilot.ask.send')}
            className="h-8! w-8!"
            disabled={question.trim() === ''}
            onClick={() => void ask()}
          >
            <SendHorizontal className="size-4" />
          </IconButton>
        )}
      </div>
      {asked.length === 0 && <p className="mt-1 text-sm text-muted">{t('copilot.ask.hint')}</p>}
    </section>
  );
}

function Question({ asked: { question, text, answer, error } }: { asked: Asked }) {
  return (
    <div className="flex flex-col gap-1">
      <p className="font-medium wrap-anywhere">{question}</p>
      {error !== null && (
        <p className="flex items-start gap-1.5 text-danger">
          <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          <span className="min-w-0 wrap-anywhere">{copilotProblem(error)}</span>
        </p>
      )}
      {text !== '' && (
        // It is read out when it is complete.
        <div aria-busy={answer === null} className="wrap-anywhere">
          <Markdown text={text} />
        </div>
      )}
      {answer === null && error === null && (
        <p className="flex items-center gap-1.5 text-sm text-muted">
          <Spinner /> {t('copilot.ask.making')}
        </p>
      )}
      <div className="-mx-1">
        <Citations citations={answer?.citations} />
      </div>
    </div>
  );
}
