/** What an agent may do on its own, and what its model does not see. */
import { type Agent, type MaskedKind, maskedKinds } from '../../../../contract/channels.ts';
import { t } from '../../texts/texts.ts';
import { CheckList } from '../parts/choices.tsx';
import { SavedMark, useSaving } from '../parts/saved-fields.tsx';
import type { ChangeAgent } from './agent-options.ts';

export function AgentLimits({ agent, change }: { agent: Agent; change: ChangeAgent }) {
  return <Masked agent={agent} change={change} />;
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
