/** Really calls a tool: one that changes something is confirmed first. */
import { Play } from 'lucide-react';
import { useState } from 'react';
import type { Tool, ToolTryAnswer } from '../../../../contract/tools.ts';
import { api } from '../../data/api.ts';
import { describeError } from '../../data/errors.ts';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { readArguments, sampleArguments } from './tool-form-values.ts';

export function ToolTrial({ tool }: { tool: Tool }) {
  const { id, name, kind, parameters } = tool;
  const [text, setText] = useState(() => sampleArguments(parameters));
  const [answer, setAnswer] = useState<ToolTryAnswer | null>(null);
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const call = async () => {
    setBusy(true);
    setError('');
    setAnswer(null);
    try {
      const body = { arguments: readArguments(text), ...(kind === 'write' && { confirm: true }) };
      setAnswer(await api<ToolTryAnswer>('POST', `/tools/${id}/try`, { body }));
    } catch (failure) {
      setError(describeError(failure).text);
    } finally {
      setBusy(false);
    }
  };
  const icon = <Play className="size-3.5" />;
  return (
    <div className="flex flex-col gap-3">
      <TextField
        label={t('tools.tryArguments')}
        error={error}
        lines={{ min: 3, max: 12 }}
        mono
        spellCheck={false}
        value={text}
        onChange={setText}
      />
      <span>
        {kind === 'write' ? (
          <ConfirmButton
            icon={icon}
            action={t('tools.tryCall')}
            title={t('tools.tryTitle', { name })}
            text={t('tools.tryConfirm')}
            failed={t('settings.failed')}
            onConfirm={call}
          />
        ) : (
          <Button icon={icon} busy={busy} onClick={() => void call()}>
            {t('tools.tryCall')}
          </Button>
        )}
      </span>
      <div role="status">{answer && <TrialAnswer answer={answer} />}</div>
    </div>
  );
}

function TrialAnswer({ answer: { result, truncated, error, status, ms } }: { answer: ToolTryAnswer }) {
  return (
    <div className="flex flex-col gap-1">
      <p className="flex flex-wrap items-center gap-2">
        <Badge hue={error === null ? 'green' : 'red'}>
          {t(error === null ? 'tools.tryDone' : 'tools.tryFailed')}
        </Badge>
        <span className="tabular text-sm text-muted">
          {[...(status === null ? [] : [String(status)]), t('tools.tryMs', { ms: number(ms) })].join(' · ')}
        </span>
      </p>
      {error !== null && <p className="text-danger wrap-anywhere">{error}</p>}
      {result && (
        <pre className="max-h-72 overflow-auto rounded-control border border-line bg-sunken p-2 text-xs whitespace-pre-wrap wrap-anywhere">
          {result}
        </pre>
      )}
      {truncated && <p className="text-sm text-muted">{t('tools.tryCut')}</p>}
    </div>
  );
}
