/** A step of a rule in words: those of macros, and those that only rules have. */
import {
  Bell,
  CircleStop,
  FilePlus2,
  Globe,
  Hourglass,
  ListTodo,
  type LucideIcon,
  Megaphone,
  MessageSquare,
  Split,
  SquareArrowOutUpRight,
} from 'lucide-react';
import type { RuleStep, RuleStepType, WaitCancel } from '../../../contract/automation/steps.ts';
import type { MacroStep, MacroStepType } from '../../../contract/macros.ts';
import { useAgents, useKanbans, useTeams, useUsers } from '../data/queries.ts';
import { fieldLabel } from '../fields/field-label.ts';
import { lengthText, stepIcons, stepNames, useStepWords } from '../macros/step-words.ts';
import { useHours } from '../settings/hours/hours-data.ts';
import { t } from '../texts/texts.ts';
import type { DraftStep } from './rule-draft.ts';

type OwnStepType = Exclude<RuleStepType, MacroStepType>;

export const ruleStepIcons: { [type in RuleStepType]: LucideIcon } = {
  ...stepIcons,
  send_template: Megaphone,
  transfer: SquareArrowOutUpRight,
  create_record: FilePlus2,
  create_task: ListTodo,
  comment: MessageSquare,
  notify: Bell,
  call: Globe,
  wait: Hourglass,
  if: Split,
  stop: CircleStop,
};

const own = (type: OwnStepType) => () => t(`automation.step.${type}`);
export const ruleStepNames: { [type in RuleStepType]: () => string } = {
  ...stepNames,
  send_template: own('send_template'),
  transfer: own('transfer'),
  create_record: own('create_record'),
  create_task: own('create_task'),
  comment: own('comment'),
  notify: own('notify'),
  call: own('call'),
  wait: own('wait'),
  if: own('if'),
  stop: own('stop'),
};

/** In the order of the menu. */
export const stepGroups = [
  {
    name: 'conversation',
    types: [
      'reply',
      'note',
      'send_template',
      'label',
      'assign',
      'snooze',
      'resolve',
      'take_over',
      'hand_back',
      'transfer',
    ],
  },
  { name: 'card', types: ['set_status', 'set_fields', 'create_record', 'create_task', 'comment'] },
  { name: 'outside', types: ['notify', 'call'] },
  { name: 'flow', types: ['wait', 'if', 'stop'] },
] as const satisfies { name: string; types: readonly RuleStepType[] }[];

export const waitCancels = [
  'customer_message',
  'team_reply',
  'session_resolved',
  'record_moved',
] as const satisfies readonly WaitCancel[];

const isMacroType = (type: RuleStepType): type is MacroStepType => type in stepNames;
export const isMacroStep = (step: DraftStep): boolean => isMacroType(step.type);

export type RuleStepWords = (step: DraftStep | RuleStep) => string;

/** `conditionWords` says what an `if` asks for. */
export function useRuleStepWords(conditionWords: (step: DraftStep | RuleStep) => string): RuleStepWords {
  const words = useStepWords();
  const boards = useKanbans();
  const users = useUsers();
  const teams = useTeams();
  const agents = useAgents();
  const hours = useHours();
  const nameIn = (list: readonly { id: string; name: string }[], id: string) =>
    list.find((one) => one.id === id)?.name ?? t('macros.gone');
  const quoted = (text = '') => text.trim().replaceAll(/\s+/g, ' ');
  const opening = (id: string | null | undefined) =>
    id
      ? t('automation.words.untilOpeningOf', { name: nameIn(hours, id) })
      : t('automation.words.untilOpening');
  const waited = ({ minutes, until, hoursId, cancelOn = [] }: DraftStep | RuleStep) => {
    const field = boards.flatMap(({ fields }) => fields).find(({ id }) => id === until);
    const time =
      until === 'next_opening'
        ? opening(hoursId)
        : until !== undefined
          ? t('automation.words.untilField', { field: field ? fieldLabel(field) : t('macros.gone') })
          : t('automation.words.wait', { time: lengthText(minutes ?? 0) });
    if (cancelOn.length === 0) return time;
    const what = cancelOn.map((one) => t(`automation.unless.${one}`)).join(t('automation.words.or'));
    return t('automation.words.unless', { time, what });
  };
  return (step) => {
    const { type, text, title, kanbanId, agentId, userIds = [], teamIds = [], url = '' } = step;
    switch (type) {
      case 'reply':
        return t('automation.words.reply', { text: quoted(text) });
      case 'note':
        return t('automation.words.note', { text: quoted(text) });
      case 'send_template':
        return t('automation.words.template', { name: step.name || '…' });
      case 'transfer': {
        const names = [agentId && nameIn(agents, agentId), kanbanId && nameIn(boards, kanbanId)];
        return t('automation.words.transfer', { name: names.filter(Boolean).join(' · ') || '…' });
      }
      case 'create_record':
        return t('automation.words.createRecord', {
          title: quoted(title),
          board: kanbanId ? nameIn(boards, kanbanId) : '…',
        });
      case 'create_task':
        return t('automation.words.createTask', { title: quoted(title) });
      case 'comment':
        return t('automation.words.comment', { text: quoted(text) });
      case 'notify': {
        const names = [...userIds.map((id) => nameIn(users, id)), ...teamIds.map((id) => nameIn(teams, id))];
        return t('automation.words.notify', { names: names.join(', ') || '…' });
      }
      case 'call':
        return step.toolId
          ? t('automation.step.call')
          : t('automation.words.call', { url: url.replace(/^https:\/\//, '') || '…' });
      case 'wait':
        return waited(step);
      case 'if':
        return t('automation.words.if', { conditions: conditionWords(step) || '…' });
      case 'stop':
        return t('automation.step.stop');
      default:
        return words(step as MacroStep) || ruleStepNames[type]();
    }
  };
}
