/** What publishing an agent needs. It is no part of a version: it counts at once, also beside a draft. */
import { useRef } from 'react';
import { type Agent, gateModes, type PublishGate } from '../../../../contract/channels.ts';
import { api } from '../../data/api.ts';
import { keys } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { SavedSelect, SavedSwitch, SavedText } from '../parts/saved-fields.tsx';
import { reload } from '../settings-data.ts';

export function AgentGate({ agent: { id, publishGate } }: { agent: Agent }) {
  // It is saved whole, so one change waits for the one before.
  const saving = useRef(Promise.resolve(publishGate));
  const save = (change: Partial<PublishGate>) => {
    const before = saving.current;
    const next = before.then(async (gate) => {
      const body = { publishGate: { ...gate, ...change } };
      const changed = await api<Agent>('PATCH', `/agents/${id}`, { body });
      await reload(keys.agents);
      return changed.publishGate;
    });
    saving.current = next.catch(() => before);
    return next;
  };
  return (
    <>
      <div className="max-w-80">
        <SavedSelect
          label={t('agents.gate.mode')}
          hint={t(`agents.gate.hint.${publishGate.mode}`)}
          value={publishGate.mode}
          options={gateModes.map((value) => ({ value, label: t(`agents.gate.${value}`) }))}
          onSave={(mode) => save({ mode })}
        />
      </div>
      {publishGate.mode !== 'off' && (
        <>
          <div className="max-w-80">
            <SavedText
              label={t('agents.gate.rate')}
              type="number"
              min={0}
              max={100}
              step="any"
              required
              value={String(Math.round(publishGate.minPassRate * 10_000) / 100)}
              onSave={(percent) => save({ minPassRate: Number(percent) / 100 })}
            />
          </div>
          <SavedSwitch
            label={t('agents.gate.noNewFailures')}
            hint={t('agents.gate.noNewFailuresHint')}
            checked={publishGate.noNewFailures}
            onSave={(noNewFailures) => save({ noNewFailures })}
          />
        </>
      )}
    </>
  );
}
