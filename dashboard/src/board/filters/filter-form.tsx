/** Behind the filter button; loaded when it is first opened. Conditions that are not finished stay here. */
import { Plus, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { type FilterCondition, filterLimits } from '../../../../contract/crm/filters.ts';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import { t } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import type { BoardFilters } from '../data/board-look.ts';
import { ConditionRow } from './filter-condition.tsx';
import {
  countConditions,
  type Filterable,
  type FilterGroup,
  type FilterPart,
  isGroup,
  type Join,
  readFilter,
  writeFilter,
} from './filter-model.ts';

export interface FilterProps {
  board: Kanban;
  filters: BoardFilters;
  onChange(filters: BoardFilters): void;
}

const typingPauseMs = 250;
export const newCondition = (): FilterCondition => ({ field: '', op: 'is' });

/** Parts have no ids of their own: a changed part keeps the key of the one that it replaces. */
const keys = new WeakMap<FilterPart, number>();
let lastKey = 0;
function keyOf(part: FilterPart): number {
  const key = keys.get(part) ?? ++lastKey;
  keys.set(part, key);
  return key;
}

export default function FilterForm({ board, filters, onChange }: FilterProps) {
  const [group, setGroup] = useState<FilterGroup>(() => {
    const read = readFilter(board, filters.filter && JSON.parse(filters.filter));
    return read.parts.length > 0 ? read : { ...read, parts: [newCondition()] };
  });
  const send = () => {
    const written = writeFilter(group);
    const filter = written && JSON.stringify(written);
    if (filter !== filters.filter) onChange({ ...filters, filter });
  };
  const latest = useRef(send);
  latest.current = send;
  // biome-ignore lint/correctness/useExhaustiveDependencies: sent after a pause in changes
  useEffect(() => {
    const timer = setTimeout(() => latest.current(), typingPauseMs);
    return () => clearTimeout(timer);
  }, [group]);
  // What was typed just before closing counts too.
  useEffect(() => () => latest.current(), []);

  const isFull = countConditions(group) >= filterLimits.conditions;
  return (
    <div className="flex max-h-[min(36rem,var(--radix-popover-content-available-height))] w-[min(35rem,calc(100vw-1rem))] flex-col gap-2 overflow-y-auto p-3">
      <GroupParts board={board} group={group} depth={1} isFull={isFull} onChange={setGroup} />
      {writeFilter(group) && (
        <Button
          tone="quiet"
          className="self-start"
          onClick={() => setGroup({ join: 'and', parts: [newCondition()] })}
        >
          {t('board.filter.clear')}
        </Button>
      )}
    </div>
  );
}

export interface GroupProps {
  board: Filterable;
  group: FilterGroup;
  depth: number;
  isFull: boolean;
  onChange(group: FilterGroup): void;
  /** Where the group is in what is sent, and what is wrong there. */
  path?: string;
  problemAt?(path: string): string | null;
}

/** In the form itself groups are two deep; deeper ones of an address are shown as they are. */
const addedDepth = 2;

export function GroupParts({ board, group, depth, isFull, onChange, path = '', problemAt }: GroupProps) {
  const { join, parts } = group;
  const pathOf = (index: number) => `${path}.${join}[${index}]`;
  const replace = (index: number, next: FilterPart) => {
    keys.set(next, keyOf(parts[index]!));
    onChange({ ...group, parts: parts.with(index, next) });
  };
  const remove = (index: number) => onChange({ ...group, parts: parts.toSpliced(index, 1) });
  const add = (part: FilterPart) => onChange({ ...group, parts: [...parts, part] });
  return (
    <>
      {parts.length > 1 && (
        <div className="flex">
          <Segmented
            label={t('board.filter.join')}
            value={join}
            onChange={(next: Join) => onChange({ ...group, join: next })}
            segments={[
              { value: 'and', label: t('board.filter.all') },
              { value: 'or', label: t('board.filter.any') },
            ]}
          />
        </div>
      )}
      {parts.map((part, index) => (
        <div key={keyOf(part)}>
          {isGroup(part) ? (
            <fieldset className="relative flex flex-col gap-2 rounded-control border border-line p-2 pr-9">
              <legend className="sr-only">{t('board.filter.group')}</legend>
              <GroupParts
                board={board}
                group={part}
                depth={depth + 1}
                isFull={isFull}
                path={pathOf(index)}
                problemAt={problemAt}
                onChange={(next) => replace(index, next)}
              />
              <IconButton
                label={t('board.filter.removeGroup')}
                className="absolute top-1.5 right-1"
                onClick={() => remove(index)}
              >
                <Trash2 className="size-3.5" />
              </IconButton>
            </fieldset>
          ) : (
            <ConditionRow
              board={board}
              condition={part}
              problem={problemAt?.(pathOf(index))}
              onChange={(next) => replace(index, next)}
              onRemove={() => remove(index)}
            />
          )}
        </div>
      ))}
      <div className="flex flex-wrap gap-1">
        <Button
          tone="quiet"
          icon={<Plus className="size-3.5" />}
          disabled={isFull}
          onClick={() => add(newCondition())}
        >
          {t('board.filter.add')}
        </Button>
        {depth < addedDepth && (
          <Button
            tone="quiet"
            icon={<Plus className="size-3.5" />}
            disabled={isFull}
            onClick={() =>
              add({ join: join === 'and' ? 'or' : 'and', parts: [newCondition(), newCondition()] })
            }
          >
            {t('board.filter.addGroup')}
          </Button>
        )}
      </div>
    </>
  );
}
