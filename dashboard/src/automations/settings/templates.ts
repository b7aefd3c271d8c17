/** Rules to begin with. Their texts are in the language of the reader; what they refer to is what the workspace has. */

import { useQuery } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import { CalendarClock, MessageCircleHeart, Moon, Siren, SquareKanban, Star, TimerReset } from 'lucide-react';
import { useKanbans, useTeams } from '../../data/queries.ts';
import { useSignedIn } from '../../data/session.ts';
import { hoursQuery } from '../../settings/hours/hours-data.ts';
import { t } from '../../texts/texts.ts';
import { type RuleContent, readersZone } from '../rule-draft.ts';

export const templateNames = ['closed', 'follow', 'urgent', 'rating', 'card', 'due', 'welcome'] as const;
export type TemplateName = (typeof templateNames)[number];
export const isTemplate = (name: string): name is TemplateName =>
  (templateNames as readonly string[]).includes(name);

export const templateIcons: { [name in TemplateName]: LucideIcon } = {
  closed: Moon,
  follow: TimerReset,
  urgent: Siren,
  rating: Star,
  card: SquareKanban,
  due: CalendarClock,
  welcome: MessageCircleHeart,
};

type Content = Omit<RuleContent, 'name' | 'cooldownMinutes'> & { cooldownMinutes?: number };

/** Null: what it refers to is still being read. */
export function useTemplate(name: TemplateName | null): RuleContent | null {
  const { user } = useSignedIn();
  const boards = useKanbans();
  const [team] = useTeams();
  const hours = useQuery(hoursQuery).data;
  if (name === null)
    return { name: '', trigger: { on: 'customer_message' }, conditions: null, steps: [], cooldownMinutes: 0 };
  if (!hours) return null;
  const mainHours = hours.find(({ isDefault }) => isDefault) ?? hours[0];
  const board = boards.find(({ isDefault }) => isDefault) ?? boards[0];
  const due = board?.fields.find(({ type }) => type === 'date' || type === 'datetime');
  const toTeam = team ? { teamId: team.id } : { teamId: undefined };
  const contents: { [one in TemplateName]: () => Content } = {
    closed: () => ({
      trigger: { on: 'customer_message' },
      conditions: {
        and: [
          ...(mainHours ? [{ withinHours: mainHours.id, is: false }] : []),
          { field: 'session.assignedUserId', op: 'empty' },
        ],
      },
      steps: [
        {
          id: 'reply-1',
          type: 'reply',
          text: t('automation.template.closed.text', { name: '{{first name}}' }),
        },
      ],
      cooldownMinutes: 720,
    }),
    follow: () => ({
      trigger: { on: 'no_customer_reply', minutes: 1_440 },
      conditions: { and: [{ field: 'session.status', op: 'is', value: 'open' }] },
      steps: [
        {
          id: 'reply-1',
          type: 'reply',
          text: t('automation.template.follow.text', { name: '{{first name}}' }),
        },
        { id: 'wait-1', type: 'wait', minutes: 2_880, cancelOn: ['customer_message', 'team_reply'] },
        { id: 'resolve-1', type: 'resolve' },
      ],
    }),
    urgent: () => ({
      trigger: { on: 'customer_message' },
      conditions: {
        and: [{ field: 'message.content', op: 'matches', value: t('automation.template.urgent.words') }],
      },
      steps: [{ id: 'assign-1', type: 'assign', ...toTeam }],
    }),
    rating: () => ({
      trigger: { on: 'session_rated', maxScore: 2 },
      conditions: null,
      steps: [
        { id: 'take_over-1', type: 'take_over' },
        { id: 'assign-1', type: 'assign', ...(team ? toTeam : { assignedUserId: user.id }) },
      ],
    }),
    card: () => ({
      trigger: { on: 'customer_message' },
      conditions: board ? { and: [{ field: 'status', op: 'is', value: board.statuses[0]?.value }] } : null,
      steps: [
        {
          id: 'set_status-1',
          type: 'set_status',
          kanbanId: board?.id,
          status: (board?.statuses[1] ?? board?.statuses[0])?.value,
        },
      ],
    }),
    due: () => ({
      trigger: due
        ? {
            on: 'date_field',
            fieldId: due.id,
            offsetMinutes: -1_440,
            ...(due.type === 'date' && { at: '09:00', timeZone: readersZone() }),
          }
        : { on: 'task_due' },
      conditions: null,
      steps: [
        {
          id: 'notify-1',
          type: 'notify',
          userIds: [user.id],
          text: t('automation.template.due.text', { customer: '{{customer}}' }),
        },
      ],
    }),
    welcome: () => ({
      trigger: { on: 'session_created' },
      conditions: { and: [{ field: 'contact.sessionCount', op: 'is', value: 1 }] },
      steps: [
        {
          id: 'reply-1',
          type: 'reply',
          text: t('automation.template.welcome.text', { name: '{{first name}}' }),
        },
      ],
    }),
  };
  return { cooldownMinutes: 0, ...contents[name](), name: t(`automation.template.${name}`) };
}
