/** Which of the account's tools an agent may call, beside the built-in ones. */
import { useQuery } from '@tanstack/react-query';
import type { Agent } from '../../../../contract/channels.ts';
import { t } from '../../texts/texts.ts';
import { ChipPicker } from '../parts/choices.tsx';
import { SavedMark, useSaving } from '../parts/saved-fields.tsx';
import { toolsQuery } from '../tools/tools-data.ts';
import type { ChangeAgent } from './agent-options.ts';

export function AgentTools({ agent, change }: { agent: Agent; change: ChangeAgent }) {
  const tools = useQuery(toolsQuery).data ?? [];
  const { saved, error, run } = useSaving();
  return (
    <ChipPicker
      label={t('tools.ofAgent')}
      hint={error || t('tools.ofAgentHint')}
      none={t('tools.noneOfAgent')}
      options={tools.map(({ id, name, enabled }) => ({
        value: id,
        label: enabled ? name : `${name} (${t('tools.off')})`,
      }))}
      chosen={agent.toolIds}
      onChange={(toolIds) => void run(() => change({ toolIds }))}
      saved={<SavedMark saved={saved} />}
    />
  );
}
