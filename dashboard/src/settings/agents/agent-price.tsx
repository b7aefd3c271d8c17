/** What the tokens of a model cost, where that is not its public price. Both prices are saved together. */
import { type FormEvent, useState } from 'react';
import type { Agent } from '../../../../contract/channels.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { SavedMark, useSaving } from '../parts/saved-fields.tsx';
import type { ChangeAgent } from './agent-options.ts';

export function AgentPrice({ agent: { price }, change }: { agent: Agent; change: ChangeAgent }) {
  const [input, setInput] = useState(String(price?.input ?? ''));
  const [output, setOutput] = useState(String(price?.output ?? ''));
  const { saved, error, run } = useSaving();
  const isWhole = input.trim() !== '' && output.trim() !== '';
  const isChanged = input !== String(price?.input ?? '') || output !== String(price?.output ?? '');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await run(() => change({ price: { input: Number(input), output: Number(output) } }));
  };
  const remove = async () => {
    if (!(await run(() => change({ price: null })))) return;
    setInput('');
    setOutput('');
  };
  const field = {
    type: 'number',
    min: 0,
    max: 100_000,
    step: 'any',
    placeholder: t('agents.price.public'),
  } as const;
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label={t('agents.price.input')} value={input} onChange={setInput} {...field} />
        <TextField label={t('agents.price.output')} value={output} onChange={setOutput} {...field} />
      </div>
      <p className={error ? 'text-danger' : 'text-sm text-muted'} role={error ? 'alert' : undefined}>
        {error || t('agents.price.hint')}
      </p>
      <div className="flex items-center gap-3">
        {isChanged && (
          <Button type="submit" disabled={!isWhole}>
            {t('agents.price.save')}
          </Button>
        )}
        {price !== null && (
          <Button tone="quiet" onClick={() => void remove()}>
            {t('agents.price.remove')}
          </Button>
        )}
        <SavedMark saved={saved} />
      </div>
    </form>
  );
}
