/** One agent: how it behaves, what it knows, and a place to try it. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Agent, type AgentTool, agentTools } from '../../../../contract/channels.ts';
import { limits } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { ApiError } from '../../data/errors.ts';
import { agentsQuery, keys, useKanbans } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { Badge, Count } from '../../ui/display/badge.tsx';
import { ErrorState } from '../../ui/display/states.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { CheckList, ChipPicker } from '../parts/choices.tsx';
import { Danger } from '../parts/danger.tsx';
import { SavedMark, SavedText, useSaving } from '../parts/saved-fields.tsx';
import { IdField } from '../parts/secret-part.tsx';
import { Answer, Part, Section, SectionSkeleton } from '../parts/section.tsx';
import { reload } from '../settings-data.ts';
import { DraftBar, useEdited } from './agent-draft.tsx';
import { AgentGate } from './agent-gate.tsx';
import { AgentLimits } from './agent-limits.tsx';
import { AgentModel } from './agent-model.tsx';
import type { ChangeAgent } from './agent-options.ts';
import { AgentTools } from './agent-tools.tsx';
import { AgentTrial } from './agent-trial.tsx';
import { AgentVersions } from './agent-versions.tsx';
import { Knowledge } from './knowledge.tsx';
import { AgentTests } from './tests/agent-tests.tsx';

const parent = () => ({ id: 'agents', label: t('settings.agents') });

export default function AgentSettings({ itemId }: { itemId: string }) {
  const agents = useQuery(agentsQuery);
  return (
    <Answer query={agents} loading={<SectionSkeleton parent={parent()} />}>
      {(list) => {
        const agent = list.find(({ id }) => id === itemId);
        if (!agent) return <ErrorState error={new ApiError(404, 'NOT_FOUND', '', '')} />;
        return <AgentPage agent={agent} />;
      }}
    </Answer>
  );
}

function AgentPage({ agent: published }: { agent: Agent }) {
  const [tab, setTab] = useState('settings');
  const edited = useEdited(published);
  if (!edited) return <SectionSkeleton parent={parent()} />;
  const { agent, draft, change } = edited;
  // Fields keep what is typed: they begin anew when something else is edited.
  const formKey = draft ? 'draft' : 'published';
  return (
    <Section
      parent={parent()}
      name={agent.name}
      title={
        <span className="flex flex-wrap items-center gap-2">
          {agent.name} <Badge>{agent.model ?? t(`agents.provider.${agent.provider}`)}</Badge>
        </span>
      }
    >
      <DraftBar published={published} draft={draft} />
      <Tabs
        flush
        label={agent.name}
        value={tab}
        onChange={setTab}
        tabs={[
          {
            value: 'settings',
            label: t('settings.title'),
            content: <AgentForm key={formKey} agent={agent} published={draft && published} change={change} />,
          },
          {
            value: 'knowledge',
            label: (
              <>
                {t('agents.knowledge')} <Count>{agent.knowledge.length}</Count>
              </>
            ),
            content: <Knowledge agent={agent} isDraft={draft !== null} change={change} />,
          },
          { value: 'try', label: t('agents.try'), content: <AgentTrial key={formKey} agent={published} /> },
          { value: 'tests', label: t('agents.tests'), content: <AgentTests agent={published} /> },
          {
            value: 'versions',
            label: t('agents.versions'),
            content: <AgentVersions agent={published} />,
          },
        ]}
      />
    </Section>
  );
}

function AgentForm({
  agent,
  published,
  change,
}: {
  agent: Agent;
  /** Beside a draft: the agent as it is published. */
  published: Agent | null;
  change: ChangeAgent;
}) {
  const navigate = useNavigate();
  const { saved, error, run } = useSaving();
  return (
    <div className="flex flex-col gap-6 pt-5">
      <SavedText
        label={t('agents.name')}
        required
        maxLength={limits.nameLength}
        value={agent.name}
        onSave={(name) => change({ name })}
      />
      <SavedText
        label={t('agents.instructions')}
        hint={t('agents.instructionsHint')}
        lines={{ min: 6, max: 24 }}
        value={agent.instructions}
        onSave={(instructions) => change({ instructions })}
      />
      <CheckList<AgentTool>
        label={t('agents.toolsLabel')}
        choices={agentTools.map((value) => ({
          value,
          label: t(`agents.tool.${value}`),
          hint: t(`agents.toolHint.${value}`),
        }))}
        chosen={agent.tools}
        onChange={(tools) => void run(() => change({ tools }))}
        saved={<SavedMark saved={saved} />}
      />
      {error && (
        <p role="alert" className="text-danger">
          {error}
        </p>
      )}
      <AgentTools agent={agent} change={change} />
      {agent.tools.includes('transfer') && <TransferBoards agent={agent} change={change} />}
      <div className="max-w-64">
        <SavedText
          label={t('agents.window')}
          hint={t('agents.windowHint')}
          type="number"
          min={0}
          max={60}
          step="any"
          required
          value={String(agent.batchWindowMs / 1_000)}
          onSave={(seconds) => change({ batchWindowMs: Math.round(Number(seconds) * 1_000) })}
        />
      </div>
      <Part title={t('agents.modelTitle')} text={t('agents.modelText')}>
        <AgentModel key={agent.id} agent={agent} published={published} change={change} />
      </Part>
      <Part title={t('agents.limits.title')} text={t('agents.limits.text')}>
        <AgentLimits agent={agent} change={change} />
      </Part>
      <Part title={t('agents.gate.title')} text={t('agents.gate.text')}>
        <AgentGate agent={published ?? agent} />
      </Part>
      <IdField id={agent.id} />
      <Danger
        title={t('agents.delete')}
        text={t('agents.deleteText')}
        consequence={t('agents.deleteConsequence')}
        name={agent.name}
        usesOf={agent.id}
        action={t('ui.delete')}
        failed={t('agents.deleteFailed')}
        onConfirm={async () => {
          await api('DELETE', `/agents/${agent.id}`);
          await navigate({ to: '/settings/$section', params: { section: 'agents' } });
          await reload(keys.agents);
          toast.done(t('agents.deleted', { name: agent.name }));
        }}
      />
    </div>
  );
}

/** Bounds the transfer tool; without it the setting has no effect and is not shown. */
function TransferBoards({ agent, change }: { agent: Agent; change: ChangeAgent }) {
  const boards = useKanbans();
  const { saved, error, run } = useSaving();
  return (
    <ChipPicker
      label={t('agents.boards')}
      hint={error || t('agents.boardsHint')}
      none={t('agents.boardsOfChannel')}
      options={boards.map(({ id, name }) => ({ value: id, label: name }))}
      chosen={agent.allowedKanbanIds}
      onChange={(allowedKanbanIds) => void run(() => change({ allowedKanbanIds }))}
      saved={<SavedMark saved={saved} />}
    />
  );
}
