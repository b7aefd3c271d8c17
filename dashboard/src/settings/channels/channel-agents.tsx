/** Who answers on a channel: the default agent, the others that may be chosen, and each one's board. */
import { useQuery } from '@tanstack/react-query';
import type { Channel, ChannelUpdate } from '../../../../contract/channels.ts';
import { BoardDot } from '../../app/board-dot.tsx';
import { agentsQuery, useKanbans } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { ChipPicker } from '../parts/choices.tsx';
import { SavedMark, SavedSelect, useSaving } from '../parts/saved-fields.tsx';
import { Part } from '../parts/section.tsx';

type AnswersFirst = 'agent' | 'people';
const ofDefaultBoard = 'default';

export interface ChannelAgentsProps {
  channel: Channel;
  change(body: ChannelUpdate): Promise<void>;
}

export function ChannelAgents({ channel, change }: ChannelAgentsProps) {
  const agents = useQuery(agentsQuery).data ?? [];
  const boards = useKanbans();
  const { saved, error, run } = useSaving();
  const { allowedAgentIds, defaultAgentId, agentKanbanConfigs } = channel;
  const answersFirst: AnswersFirst = channel.settings.answersFirst === 'people' ? 'people' : 'agent';
  const options = agents.map((agent) => ({ value: agent.id, label: agent.name }));
  const usable = agents.filter(({ id }) => id === defaultAgentId || allowedAgentIds.includes(id));
  const boardOptions = [
    {
      value: ofDefaultBoard,
      label: t('channels.defaultBoard', { name: boards.find((one) => one.isDefault)?.name ?? '' }),
    },
    ...boards.map((board) => ({
      value: board.id,
      label: board.name,
      mark: <BoardDot id={board.id} />,
    })),
  ];
  const place = (agentId: string, kanbanId: string) => {
    const { [agentId]: _before, ...others } = agentKanbanConfigs;
    return change({
      agentKanbanConfigs: kanbanId === ofDefaultBoard ? others : { ...others, [agentId]: kanbanId },
    });
  };
  return (
    <Part title={t('channels.agents')} text={t('channels.agentsText')}>
      <SavedSelect
        label={t('channels.defaultAgent')}
        hint={t('channels.defaultAgentHint')}
        value={defaultAgentId}
        options={options}
        onSave={(next) => change({ defaultAgentId: next })}
      />
      <SavedSelect<AnswersFirst>
        label={t('channels.answersFirst')}
        hint={t(`channels.answersFirst.${answersFirst}Hint`)}
        value={answersFirst}
        options={(['agent', 'people'] as const).map((value) => ({
          value,
          label: t(`channels.answersFirst.${value}`),
        }))}
        onSave={(next) => change({ settings: { ...channel.settings, answersFirst: next } })}
      />
      <ChipPicker
        label={t('channels.allowed')}
        hint={error || t('channels.allowedHint')}
        none={t('channels.onlyDefault')}
        options={options.filter(({ value }) => value !== defaultAgentId)}
        chosen={allowedAgentIds.filter((id) => id !== defaultAgentId)}
        onChange={(next) => void run(() => change({ allowedAgentIds: next }))}
        saved={<SavedMark saved={saved} />}
      />
      {usable.map((agent) => (
        <SavedSelect
          key={agent.id}
          label={t('channels.boardOf', { agent: agent.name })}
          value={agentKanbanConfigs[agent.id] ?? ofDefaultBoard}
          options={boardOptions}
          onSave={(kanbanId) => place(agent.id, kanbanId)}
        />
      ))}
    </Part>
  );
}
