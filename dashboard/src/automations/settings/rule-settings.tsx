/** One rule. `new`: one that is created here, empty or from a template. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { kanbansQuery, teamsQuery } from '../../data/queries.ts';
import { Answer, SectionSkeleton } from '../../settings/parts/section.tsx';
import { t } from '../../texts/texts.ts';
import { ruleQuery } from '../rule-data.ts';
import { RuleEditor } from './rule-editor.tsx';
import { isTemplate, type TemplateName } from './template-contents.ts';
import { useTemplate } from './templates.ts';

const parent = () => ({ id: 'automation', label: t('settings.automation') });

export default function RuleSettings({ itemId }: { itemId: string }) {
  const [, template] = /^new(?:-(\w+))?$/.exec(itemId) ?? [];
  if (itemId === 'new' || (template && isTemplate(template))) {
    return <NewRule template={template ? (template as TemplateName) : null} />;
  }
  return <StoredRule id={itemId} />;
}

function StoredRule({ id }: { id: string }) {
  const rule = useQuery(ruleQuery(id));
  return (
    <Answer query={rule} loading={<SectionSkeleton parent={parent()} />}>
      {(stored) => <RuleEditor key={stored.id} stored={stored} />}
    </Answer>
  );
}

/** A template refers to what there is: it is chosen once that is known. */
function NewRule({ template }: { template: TemplateName | null }) {
  const boards = useQuery(kanbansQuery);
  const teams = useQuery(teamsQuery);
  const content = useTemplate(template);
  const [begin, setBegin] = useState<typeof content>(null);
  if (!begin && content && !boards.isPending && !teams.isPending) setBegin(content);
  if (!begin) return <SectionSkeleton parent={parent()} />;
  return <RuleEditor begin={begin} />;
}
