/** Which of the account's knowledge an agent answers from, and how strictly. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Agent } from '../../../../contract/channels.ts';
import { api } from '../../data/api.ts';
import { keys } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { sourcesQuery } from '../../knowledge/knowledge-data.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { CheckList, ChipPicker } from '../parts/choices.tsx';
import { SavedMark, useSaving } from '../parts/saved-fields.tsx';
import { reload } from '../settings-data.ts';
import type { ChangeAgent } from './agent-options.ts';

const rules = ['answerOnlyFromKnowledge', 'mayUseInternal'] as const;

export function KnowledgeSources({ agent, change }: { agent: Agent; change: ChangeAgent }) {
  const mayView = useMay('knowledge.view');
  const sources = useQuery({ ...sourcesQuery, enabled: mayView });
  const { saved, error, run } = useSaving();
  const options = (sources.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <div className="flex flex-col gap-4">
      {sources.data && (
        <ChipPicker
          label={t('agents.sources')}
          hint={t('agents.sourcesHint')}
          none={t('agents.noSources')}
          options={options}
          chosen={agent.knowledgeSourceIds}
          onChange={(knowledgeSourceIds) => void run(() => change({ knowledgeSourceIds }))}
          saved={<SavedMark saved={saved} />}
        />
      )}
      <CheckList
        label={t('agents.knowledgeRules')}
        choices={rules.map((value) => ({
          value,
          label: t(`agents.rule.${value}`),
          hint: t(`agents.ruleHint.${value}`),
        }))}
        chosen={rules.filter((rule) => agent[rule])}
        onChange={(chosen) => {
          // Only the rule that was clicked: the other one may have changed since.
          const clicked = rules.find((rule) => chosen.includes(rule) !== agent[rule]);
          if (clicked) void run(() => change({ [clicked]: chosen.includes(clicked) }));
        }}
      />
      {error && (
        <p role="alert" className="text-danger">
          {error}
        </p>
      )}
    </div>
  );
}

/** One click: the entries become articles, which every agent and colleague can use. */
export function MoveKnowledge({ agent }: { agent: Agent }) {
  const mayWrite = useMay('knowledge.manage');
  const [isMoving, setMoving] = useState(false);
  if (!mayWrite || agent.knowledge.length === 0) return null;
  const move = async () => {
    setMoving(true);
    try {
      await api('POST', `/agents/${agent.id}/knowledge/move`);
      await reload(keys.agents);
      toast.done(t('agents.entriesMoved'));
    } catch (error) {
      toast.failed(t('settings.failed'), error);
    } finally {
      setMoving(false);
    }
  };
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <p className="min-w-48 flex-1 text-sm text-muted">{t('agents.moveEntriesText')}</p>
      <Button disabled={isMoving} onClick={() => void move()}>
        {t('agents.moveEntries')}
      </Button>
    </div>
  );
}
