/** A test chat with the published settings, the draft or a version. Nothing is saved, and no tool changes a record. */
import { Bot, RotateCcw, SendHorizontal, TriangleAlert, UserRound } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { Agent, AgentTryAnswer } from '../../../../contract/channels.ts';
import { api } from '../../data/api.ts';
import { describeError } from '../../data/errors.ts';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Button, IconButton, Spinner } from '../../ui/controls/button.tsx';
import { TextArea } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Markdown } from '../../ui/display/markdown.tsx';
import { EmptyState } from '../../ui/display/states.tsx';

interface Line {
  role: 'user' | 'assistant';
  content: string;
  note?: string;
}

export function AgentTrial({ agent }: { agent: Agent }) {
  const [lines, setLines] = useState<Line[]>([]);
  const [which, setWhich] = useState(agent.hasDraft ? 'draft' : 'published');
  const [text, setText] = useState('');
  const [failure, setFailure] = useState('');
  const [busy, setBusy] = useState(false);
  const end = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the newest line is what one waits for
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' });
  }, [lines, failure, busy]);

  const ask = async (said: Line[]) => {
    setLines(said);
    setFailure('');
    setBusy(true);
    try {
      const messages = said.map(({ role, content }) => ({ role, content }));
      const answer = await api<AgentTryAnswer>('POST', `/agents/${agent.id}/try`, {
        body: {
          messages,
          ...(which !== 'published' && { version: which === 'draft' ? which : Number(which) }),
        },
      });
      if (answer.text === null) setFailure(answer.failure ?? '');
      else setLines([...said, { role: 'assistant', content: answer.text, note: noteOf(answer) }]);
    } catch (error) {
      setFailure(describeError(error).text);
    } finally {
      setBusy(false);
    }
  };
  const send = () => {
    const content = text.trim();
    if (!content || busy) return;
    setText('');
    void ask([...lines, { role: 'user', content }]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <div className="flex flex-col gap-3 pt-4">
      <p className="text-muted">{t('agents.tryText')}</p>
      <div className="flex items-center justify-between gap-4">
        <Select
          className="w-56!"
          label={t('agents.try.which')}
          value={which}
          options={whatToTry(agent)}
          onChange={(next) => {
            setWhich(next);
            setLines([]);
            setFailure('');
          }}
        />
        <Button
          tone="quiet"
          icon={<RotateCcw className="size-3.5" />}
          disabled={lines.length === 0 || busy}
          onClick={() => {
            setLines([]);
            setFailure('');
          }}
        >
          {t('agents.startOver')}
        </Button>
      </div>
      <div className="flex h-[min(520px,60vh)] flex-col rounded-panel border border-line">
        <div
          role="log"
          aria-label={t('agents.try')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4"
        >
          {lines.length === 0 && (
            <EmptyState
              icon={<Bot className="size-4" />}
              title={t('agents.tryEmpty', { name: agent.name })}
              text={t('agents.tryEmptyText')}
            />
          )}
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines are only ever added
            <TrialLine key={index} line={line} agent={agent} />
          ))}
          {busy && (
            <p role="status" className="flex items-center gap-2 text-muted">
              <Spinner /> {t('agents.thinking', { name: agent.name })}
            </p>
          )}
          {failure && (
            <div
              role="alert"
              className="flex items-start gap-2 rounded-control bg-danger-soft px-3 py-2 text-danger"
            >
              <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
              <span className="min-w-0 flex-1 break-words">{t('agents.tryFailed', { reason: failure })}</span>
              <Button size="small" onClick={() => void ask(lines)}>
                {t('ui.retry')}
              </Button>
            </div>
          )}
          <div ref={end} />
        </div>
        <div className="flex items-end gap-2 border-t border-line p-2">
          <TextArea
            rows={1}
            maxRows={6}
            aria-label={t('agents.tryMessage')}
            placeholder={t('agents.tryMessage')}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={onKeyDown}
          />
          <IconButton
            label={t('agents.send')}
            tone="primary"
            className="h-8! w-8!"
            disabled={!text.trim() || busy}
            onClick={send}
          >
            <SendHorizontal className="size-4" />
          </IconButton>
        </div>
      </div>
    </div>
  );
}

/** The published settings, the draft and the last versions before. */
function whatToTry({ version, hasDraft }: Agent) {
  const earlier = Array.from({ length: Math.min(10, version - 1) }, (_, index) => version - 1 - index);
  return [
    ...(hasDraft ? [{ value: 'draft', label: t('agents.draft') }] : []),
    { value: 'published', label: t('agents.published') },
    ...earlier.map((one) => ({ value: String(one), label: t('agents.version', { version: one }) })),
  ];
}

function noteOf({ latencyMs, inputTokens, outputTokens, handover, citations }: AgentTryAnswer): string {
  const parts = [t('agents.latency', { ms: number(latencyMs) })];
  if (inputTokens !== null && outputTokens !== null) {
    parts.push(t('agents.tokens', { input: number(inputTokens), output: number(outputTokens) }));
  }
  if (citations.length > 0) {
    const titles = [...new Set(citations.map(({ title }) => title))].join(', ');
    parts.push(t('agents.tryCites', { titles }));
  }
  if (handover) parts.push(t('agents.wouldHandOver'));
  return parts.join(' · ');
}

/** The customer at the left as in the inbox, the agent at the right. */
function TrialLine({ line, agent }: { line: Line; agent: Agent }) {
  const isAgent = line.role === 'assistant';
  const face: ReactNode = isAgent ? <Bot className="size-3.5" /> : <UserRound className="size-3.5" />;
  return (
    <div className={cx('flex max-w-[85%] flex-col gap-1', isAgent ? 'items-end self-end' : 'self-start')}>
      <span className="flex items-center gap-1 text-sm text-muted">
        {face} {isAgent ? agent.name : t('agents.you')}
      </span>
      <div className={cx('max-w-full rounded-panel px-3 py-2', isAgent ? 'bg-accent-soft' : 'bg-sunken')}>
        <Markdown text={line.content} />
      </div>
      {line.note && <span className="tabular text-sm text-faint">{line.note}</span>}
    </div>
  );
}
