/** A step of a macro in words. */
import {
  AlarmClock,
  Bot,
  Check,
  Hand,
  type LucideIcon,
  PencilLine,
  SendHorizontal,
  SquareKanban,
  StickyNote,
  Tag,
  UserPlus,
} from 'lucide-react';
import type { MacroProblem, MacroStep, MacroStepType } from '../../../contract/macros.ts';
import { useKanbans, useTeams, useUsers } from '../data/queries.ts';
import { fieldLabel } from '../fields/field-label.ts';
import { isEmptyValue, valueText } from '../fields/field-value.tsx';
import { useLabels } from '../labels/label-data.ts';
import { locale, t } from '../texts/texts.ts';

export const stepIcons: { [type in MacroStepType]: LucideIcon } = {
  reply: SendHorizontal,
  note: StickyNote,
  label: Tag,
  assign: UserPlus,
  set_fields: PencilLine,
  set_status: SquareKanban,
  snooze: AlarmClock,
  resolve: Check,
  take_over: Hand,
  hand_back: Bot,
};

export const stepNames: { [type in MacroStepType]: () => string } = {
  reply: () => t('macros.step.reply'),
  note: () => t('macros.step.note'),
  label: () => t('macros.step.label'),
  assign: () => t('macros.step.assign'),
  set_fields: () => t('macros.step.fields'),
  set_status: () => t('macros.step.status'),
  snooze: () => t('macros.step.snooze'),
  resolve: () => t('macros.step.resolve'),
  take_over: () => t('macros.step.takeOver'),
  hand_back: () => t('macros.step.handBack'),
};

/** The contract's list would bring its schemas along. */
export const stepTypes = Object.keys(stepNames) as MacroStepType[];

/** A length of time in whole days, hours or minutes. */
export function lengthText(minutes: number): string {
  const [unit, count] =
    minutes % 1_440 === 0
      ? (['day', minutes / 1_440] as const)
      : minutes % 60 === 0
        ? (['hour', minutes / 60] as const)
        : (['minute', minutes] as const);
  return new Intl.NumberFormat(locale(), { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}

/** What a step does, with the names of what it refers to. */
export function useStepWords(): (step: MacroStep) => string {
  const boards = useKanbans();
  const users = useUsers();
  const teams = useTeams();
  const labels = useLabels();
  const gone = () => t('macros.gone');
  const nameIn = (list: readonly { id: string; name: string }[], id: string) =>
    list.find((one) => one.id === id)?.name ?? gone();
  const assigned = ({ assignedUserId, teamId }: MacroStep) => [
    assignedUserId === null && t('macros.words.unassign'),
    assignedUserId === 'me' && t('macros.words.assignMe'),
    assignedUserId &&
      assignedUserId !== 'me' &&
      t('macros.words.assign', { name: nameIn(users, assignedUserId) }),
    teamId === null && t('macros.words.noTeam'),
    teamId && t('macros.words.team', { name: nameIn(teams, teamId) }),
  ];
  const fieldsOf = ({ kanbanId, customFields = {} }: MacroStep) => {
    const board = boards.find(({ id }) => id === kanbanId);
    return Object.entries(customFields).map(([id, value]) => {
      const field = board?.fields.find((one) => one.id === id);
      const name = field ? fieldLabel(field) : gone();
      if (isEmptyValue(value)) return t('macros.words.clear', { field: name });
      return t('macros.words.set', { field: name, value: field ? valueText(field, value) : String(value) });
    });
  };
  const join = (parts: readonly (string | false | 0 | null | undefined)[]) =>
    parts.filter(Boolean).join(' · ');
  return (step) => {
    switch (step.type) {
      case 'label': {
        const names = (ids: readonly string[] = []) => ids.map((id) => nameIn(labels, id)).join(', ');
        return join([
          step.addLabelIds?.length && t('macros.words.addLabels', { names: names(step.addLabelIds) }),
          step.removeLabelIds?.length &&
            t('macros.words.removeLabels', { names: names(step.removeLabelIds) }),
        ]);
      }
      case 'assign':
        return join(assigned(step));
      case 'set_fields':
        return join(fieldsOf(step));
      case 'set_status': {
        const board = boards.find(({ id }) => id === step.kanbanId);
        const status = board?.statuses.find(({ value }) => value === step.status)?.label ?? step.status ?? '';
        return t('macros.words.status', { status, board: board?.name ?? gone() });
      }
      case 'snooze':
        return step.snoozeMinutes
          ? t('macros.words.snooze', { time: lengthText(step.snoozeMinutes) })
          : t('macros.words.snoozeUntil');
      default:
        return stepNames[step.type]();
    }
  };
}

/** Why a step cannot run or is skipped. */
export function problemText({ kind, message }: MacroProblem): string {
  const texts: { [one in MacroProblem['kind']]: () => string } = {
    unknown_user: () => t('macros.problem.user'),
    hidden_board: () => t('macros.problem.hidden'),
    unknown_team: () => t('macros.problem.team'),
    unknown_label: () => t('macros.problem.label'),
    unknown_board: () => t('macros.problem.board'),
    unknown_field: () => t('macros.problem.field'),
    wrong_value: () => t('macros.problem.value'),
    unknown_status: () => t('macros.problem.status'),
    unfilled: () => t('macros.problem.unfilled'),
    too_long: () => t('macros.problem.long'),
    blocked: () => t('macros.problem.blocked'),
    other_board: () => t('macros.problem.otherBoard'),
    no_card: () => t('macros.problem.noCard'),
    refused: () => t('macros.problem.refused', { message }),
  };
  return texts[kind]();
}
