/** The rules to begin with, filled in with what the workspace has. */
import type { Automation } from '../../../../contract/automation/automations.ts';
import type { BusinessHours } from '../../../../contract/business-hours.ts';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import type { Team } from '../../../../contract/teams.ts';

export const templateNames = ['closed', 'follow', 'urgent', 'rating', 'card', 'due', 'welcome'] as const;
export type TemplateName = (typeof templateNames)[number];
export const isTemplate = (name: string): name is TemplateName =>
  (templateNames as readonly string[]).includes(name);

interface Workspace {
  userId: string;
  timeZone: string;
  boards: readonly Pick<Kanban, 'id' | 'isDefault' | 'fields' | 'statuses'>[];
  teams: readonly Pick<Team, 'id'>[];
  hours: readonly Pick<BusinessHours, 'id' | 'isDefault'>[];
}

/** What their steps say, and the words that are urgent. */
export type TemplateTexts = { [name in 'closed' | 'follow' | 'urgent' | 'due' | 'welcome']: string };

type Content = Pick<Automation, 'trigger' | 'conditions' | 'steps'> & { cooldownMinutes?: number };

export function templateContent(
  name: TemplateName,
  { userId, timeZone, boards, teams, hours }: Workspace,
  texts: TemplateTexts,
): Content {
  const [team] = teams;
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
          text: texts.closed,
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
          text: texts.follow,
        },
        { id: 'wait-1', type: 'wait', minutes: 2_880, cancelOn: ['customer_message', 'team_reply'] },
        { id: 'resolve-1', type: 'resolve' },
      ],
    }),
    urgent: () => ({
      trigger: { on: 'customer_message' },
      conditions: {
        and: [{ field: 'message.content', op: 'matches', value: texts.urgent }],
      },
      steps: [{ id: 'assign-1', type: 'assign', ...toTeam }],
    }),
    rating: () => ({
      trigger: { on: 'session_rated', maxScore: 2 },
      conditions: null,
      steps: [
        { id: 'take_over-1', type: 'take_over' },
        { id: 'assign-1', type: 'assign', ...(team ? toTeam : { assignedUserId: userId }) },
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
            ...(due.type === 'date' && { at: '09:00', timeZone: timeZone }),
          }
        : { on: 'task_due' },
      conditions: null,
      steps: [
        {
          id: 'notify-1',
          type: 'notify',
          userIds: [userId],
          text: texts.due,
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
          text: texts.welcome,
        },
      ],
    }),
  };
  return contents[name]();
}
