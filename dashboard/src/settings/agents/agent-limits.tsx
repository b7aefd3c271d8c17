/** What an agent may do on its own, and what its model does not see. */
import {
  type Agent,
  type AgentLimits as Limits,
  type MaskedKind,
  maskedKinds,
} from '../../../../contract/channels.ts';
import { t } from '../../texts/texts.ts';
import { CheckList } from '../parts/choices.tsx';
import { SavedMark, SavedText, useSaving } from '../parts/saved-fields.tsx';
import type { ChangeAgent } from './agent-options.ts';

export function AgentLimits({ agent, change }: { agent: Agent; change: ChangeAgent }) {
  const { limits, blockedPatterns } = agent;
  const setLimit = (limit: keyof Limits, text: string) => {
    const { [limit]: _before, ...others } = limits;
    return change({ limits: text.trim() === '' ? others : { ...others, [limit]: Number(text) } });
  };
  return (
    <>
      <div className="max-w-80">
        <SavedText
          label={t('agents.limits.replies')}
          hint={t('agents.limits.repliesHint')}
          placeholder={t('agents.limits.none')}
          type="number"
          min={1}
          step={1}
          value={String(limits.repliesPerSession ?? '')}
          onSave={(text) => setLimit('repliesPerSession', text)}
        />
      </div>
      {agent.provider !== 'offline' && (
        <div className="max-w-80">
          <SavedText
            label={t('agents.limits.cost')}
            hint={t('agents.limits.costHint')}
            placeholder={t('agents.limits.none')}
            type="number"
            min={0.01}
            step="any"
            value={String(limits.costPerDay ?? '')}
            onSave={(text) => setLimit('costPerDay', text)}
          />
        </div>
      )}
      <SavedText
        label={t('agents.blocked')}
        hint={t('agents.blockedHint')}
        lines={{ min: 2, max: 12 }}
        mono
        value={blockedPatterns.join('\n')}
        onSave={(text) => change({ blockedPatterns: [...new Set(text.split('\n').filter(Boolean))] })}
      />
      {agent.provider !== 'offline' && <Masked agent={agent} change={change} />}
    </>
  );
}

function Masked({ agent, change }: { agent: Agent; change: ChangeAgent }) {
  const { saved, error, run } = useSaving();
  return (
    <div className="flex flex-col gap-1">
      <CheckList<MaskedKind>
        label={t('agents.mask')}
        choices={maskedKinds.map((value) => ({ value, label: t(`agents.mask.${value}`) }))}
        chosen={agent.maskForModel}
        onChange={(maskForModel) => void run(() => change({ maskForModel }))}
        saved={<SavedMark saved={saved} />}
      />
      <p className="text-sm text-muted">{t('agents.mask.hint')}</p>
      {error && (
        <p role="alert" className="text-danger">
          {error}
        </p>
      )}
    </div>
  );
}
