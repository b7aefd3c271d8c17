/** Conditions of a rule, by the form of the board's filters. */
import { Plus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { filterLimits } from '../../../../contract/crm/filters.ts';
import { GroupParts, newCondition } from '../../board/filters/filter-form.tsx';
import { countConditions, type FilterGroup } from '../../board/filters/filter-model.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { useConditionFields } from '../condition-fields.tsx';
import { ProblemLine } from './rule-parts.tsx';
import { useProblemAt, useProblemIn } from './rule-problems.ts';

interface ConditionsProps {
  /** Where they are in what is sent. */
  path: string;
  title?: string;
  group: FilterGroup;
  onChange(group: FilterGroup): void;
  about?: 'everything' | 'conversations';
}

export function ConditionsEditor({ path, title, group, onChange, about }: ConditionsProps) {
  const fields = useConditionFields(about);
  const problem = useProblemAt(path);
  const problemAt = useProblemIn();
  const box = useRef<HTMLDivElement>(null);
  const [hasBegun, setBegun] = useState(false);
  // The button that was pressed is gone then.
  useEffect(() => {
    if (hasBegun) box.current?.querySelector<HTMLElement>('[role=combobox]')?.focus();
  }, [hasBegun]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: the rows are fieldsets of their own
    <div
      ref={box}
      role="group"
      aria-label={title ?? t('automation.conditions')}
      className="flex flex-col gap-2"
    >
      {title && <span className="font-medium">{title}</span>}
      {group.parts.length === 0 ? (
        <span>
          <Button
            tone="quiet"
            icon={<Plus className="size-3.5" />}
            onClick={() => {
              onChange({ ...group, parts: [newCondition()] });
              setBegun(true);
            }}
          >
            {t('board.filter.add')}
          </Button>
        </span>
      ) : (
        <GroupParts
          board={fields}
          group={group}
          depth={1}
          isFull={countConditions(group) >= filterLimits.conditions}
          path={path}
          problemAt={problemAt}
          onChange={(next) => {
            if (next.parts.length === 0) setBegun(false);
            onChange(next);
          }}
        />
      )}
      <ProblemLine>{problem}</ProblemLine>
    </div>
  );
}
