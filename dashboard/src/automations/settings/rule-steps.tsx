/** The steps of a rule as cards: put in order by dragging or by keys, an “if” with its branches inside. */
import { ChevronRight, Plus, Trash2 } from 'lucide-react';
import { createContext, useContext, useEffect, useState } from 'react';
import type { RuleStepType } from '../../../../contract/automation/steps.ts';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import { limits } from '../../../../contract/limits.ts';
import type { MacroStepType } from '../../../../contract/macros.ts';
import { useKanbans } from '../../data/queries.ts';
import { newStep } from '../../macros/settings/edited-steps.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { SortableList } from '../../ui/lists/sortable-list.tsx';
import { Menu, MenuItem, MenuLabel } from '../../ui/overlays/menu.tsx';
import { type DraftStep, everyStep, noConditions } from '../rule-draft.ts';
import { isMacroStep, ruleStepIcons, ruleStepNames, stepGroups } from '../rule-step-words.ts';
import type { RuleWords } from '../rule-words.ts';
import type { SubjectKind } from '../trigger-words.ts';
import { ConditionsEditor } from './conditions-editor.tsx';
import { ProblemLine } from './rule-parts.tsx';
import { useHasProblem, useProblemAt } from './rule-problems.ts';
import { RuleStepFields } from './rule-step-fields.tsx';

/** What every step of the rule needs to know of it. */
interface StepsContext {
  words: RuleWords;
  /** All steps, those of branches included. */
  all: readonly DraftStep[];
  /** Steps that were there when the editor was opened begin closed. */
  known: ReadonlySet<string>;
  subject: SubjectKind;
  hasPayload: boolean;
}
const Context = createContext<StepsContext | null>(null);
const useSteps = () => useContext(Context)!;

export function RuleSteps({
  steps,
  onChange,
  ...context
}: Omit<StepsContext, 'all'> & { steps: DraftStep[]; onChange(steps: DraftStep[]): void }) {
  const all = everyStep(steps).map(({ step }) => step);
  return (
    <Context value={{ ...context, all }}>
      <Branch steps={steps} path="steps" depth={0} onChange={onChange} />
    </Context>
  );
}

interface BranchProps {
  steps: DraftStep[];
  path: string;
  depth: number;
  onChange(steps: DraftStep[]): void;
}

function Branch({ steps, path, depth, onChange }: BranchProps) {
  const { words, all } = useSteps();
  const boards = useKanbans();
  const add = (type: RuleStepType) => onChange([...steps, beginStep(type, boards, all)]);
  return (
    <div className="flex flex-col gap-1">
      {steps.length > 0 && (
        <SortableList<DraftStep>
          items={steps}
          itemKey={({ id }) => id}
          itemName={(step: DraftStep) => words.step(step)}
          onReorder={onChange}
          render={(step, index) => (
            <StepCard
              step={step}
              path={`${path}[${index}]`}
              number={depth === 0 ? index + 1 : null}
              depth={depth}
              onChange={(next) => onChange(steps.map((one) => (one.id === step.id ? next : one)))}
              onRemove={() => onChange(steps.filter(({ id }) => id !== step.id))}
            />
          )}
        />
      )}
      <AddStep depth={depth} onAdd={add} />
    </div>
  );
}

function AddStep({ depth, onAdd }: { depth: number; onAdd(type: RuleStepType): void }) {
  const { all, subject } = useSteps();
  const { steps: most, depth: deepest } = limits.automation;
  if (all.length >= most)
    return <p className="text-sm text-muted">{t('automation.full', { count: most })}</p>;
  const isOffered = (type: RuleStepType) => type !== 'if' || depth < deepest;
  const groups = stepGroups.filter(
    ({ name }) => subject !== 'nothing' || name === 'outside' || name === 'flow',
  );
  return (
    <span>
      <Menu
        trigger={
          <Button size="small" icon={<Plus className="size-3.5" />}>
            {t('macros.addStep')}
          </Button>
        }
      >
        {groups.map(({ name, types }) => [
          <MenuLabel key={name}>{t(`automation.steps.${name}`)}</MenuLabel>,
          ...types.filter(isOffered).map((type: RuleStepType) => {
            const Icon = ruleStepIcons[type];
            return (
              <MenuItem key={type} icon={<Icon className="size-4" />} onSelect={() => onAdd(type)}>
                {ruleStepNames[type]()}
              </MenuItem>
            );
          }),
        ])}
      </Menu>
    </span>
  );
}

/** Unique in the rule, and readable: `{{steps.<id>.body.…}}` refers to it. */
function freeId(type: RuleStepType, all: readonly DraftStep[]): string {
  for (let number = 1; ; number++) {
    const id = `${type}-${number}`;
    if (!all.some((step) => step.id === id)) return id;
  }
}

function beginStep(type: RuleStepType, boards: readonly Kanban[], all: readonly DraftStep[]): DraftStep {
  const id = freeId(type, all);
  const kanbanId = boards[0]?.id;
  switch (type) {
    case 'reply':
      return { id, type, text: '', pauseAi: false };
    case 'assign':
      return { id, type };
    case 'wait':
      return { id, type, minutes: 1_440, cancelOn: ['customer_message'] };
    case 'if':
      // biome-ignore lint/suspicious/noThenProperty: The name in the contract; no step is awaited.
      return { id, type, condition: noConditions(), then: [], else: [] };
    case 'create_record':
      return { id, type, kanbanId, title: '{{customer}}' };
    case 'create_task':
      return { id, type, title: '', dueInMinutes: 1_440 };
    case 'comment':
    case 'notify':
      return { id, type, text: '' };
    case 'send_template':
      return { id, type, name: '', language: '', parameters: [] };
    case 'transfer':
    case 'call':
    case 'stop':
      return { id, type };
    default:
      return { ...newStep(type satisfies MacroStepType, kanbanId), id };
  }
}

interface StepCardProps {
  step: DraftStep;
  path: string;
  number: number | null;
  depth: number;
  onChange(step: DraftStep): void;
  onRemove(): void;
}

function StepCard({ step, path, number, depth, onChange, onRemove }: StepCardProps) {
  const { words, known, all, hasPayload } = useSteps();
  const problem = useProblemAt(path);
  const hasProblem = useHasProblem(path);
  const [isOpen, setOpen] = useState(!known.has(step.id));
  useEffect(() => {
    if (hasProblem) setOpen(true);
  }, [hasProblem]);
  const Icon = ruleStepIcons[step.type];
  const sentence = words.step(step);
  const calls = all.filter(({ type, id }) => type === 'call' && id !== step.id);
  const placeholders = [...(hasPayload ? ['payload.'] : []), ...calls.map(({ id }) => `steps.${id}.body.`)];
  return (
    <fieldset
      className={cx(
        'flex min-w-0 flex-1 flex-col rounded-panel border',
        problem ? 'border-danger' : 'border-line',
      )}
    >
      <legend className="sr-only">{sentence}</legend>
      <div className="flex items-start gap-1 py-1 pr-1 pl-2.5">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex min-h-7 min-w-0 flex-1 items-start gap-2 rounded-control py-1 text-left"
        >
          {number !== null && <span className="tabular w-4 shrink-0 text-faint">{number}</span>}
          <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
          <span className={cx('min-w-0 flex-1 font-medium break-words', !isOpen && 'line-clamp-2')}>
            {sentence}
          </span>
          <ChevronRight
            aria-hidden
            className={cx('mt-0.5 size-4 shrink-0 text-faint transition-transform', isOpen && 'rotate-90')}
          />
        </button>
        <IconButton
          size="small"
          tip={false}
          className="mt-0.5"
          label={t('macros.removeStep', { name: sentence })}
          onClick={onRemove}
        >
          <Trash2 className="size-3.5" />
        </IconButton>
      </div>
      {isOpen && step.type !== 'if' && step.type !== 'stop' && (
        <div className="flex flex-col gap-3 px-3 pt-1 pb-3 empty:hidden">
          <RuleStepFields
            step={step}
            isOfMacro={isMacroStep(step)}
            placeholders={placeholders}
            onChange={onChange}
          />
        </div>
      )}
      {isOpen && step.type === 'if' && (
        <div className="px-3 pt-1 pb-3">
          <ConditionsEditor
            path={`${path}.condition`}
            group={step.condition ?? noConditions()}
            onChange={(condition) => onChange({ ...step, condition })}
          />
        </div>
      )}
      {problem && (
        <div className="px-3 pb-2">
          <ProblemLine>{problem}</ProblemLine>
        </div>
      )}
      {step.type === 'if' && (
        <div className="flex flex-col gap-2 pb-2 pl-2 sm:pl-3">
          {(['then', 'else'] as const).map((branch) => (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot stand before the line
            <div
              key={branch}
              role="group"
              aria-label={t(`automation.branch.${branch}`)}
              className="border-l-2 border-line pr-2 pl-2"
            >
              <p className="text-sm font-medium text-muted">{t(`automation.branch.${branch}`)}</p>
              <Branch
                steps={step[branch] ?? []}
                path={`${path}.${branch}`}
                depth={depth + 1}
                onChange={(next) => onChange({ ...step, [branch]: next })}
              />
            </div>
          ))}
        </div>
      )}
    </fieldset>
  );
}
