/** What conditions of rules and service levels can be about, with the names of what they refer to. */
import { useMemo } from 'react';
import type { ConditionFieldName, conditionFields } from '../../../contract/conditions.ts';
import type { FilterOperator, OwnFilterField, ownFilterFields } from '../../../contract/crm/filters.ts';
import { type ChannelType, channelTypes } from '../../../contract/limits.ts';
import type { Filterable, OtherField } from '../board/filters/filter-model.ts';
import { useAgents, useChannels, useKanbans, useTeams, useUsers } from '../data/queries.ts';
import { fieldLabel } from '../fields/field-label.ts';
import { LabelDot } from '../labels/label-chips.tsx';
import { useLabels } from '../labels/label-data.ts';
import { useHours } from '../settings/hours/hours-data.ts';
import { languages } from '../texts/languages.ts';
import { t } from '../texts/texts.ts';
import type { Option } from '../ui/controls/select.tsx';
import { Dot } from '../ui/display/badge.tsx';

/** In the form a condition as any other: “The time is outside of the hours “Support””. */
export const hoursField = 'withinHours';

type Comparisons = typeof conditionFields & {
  [name in OwnFilterField]: { comparison: (typeof ownFilterFields)[name] };
};
type Name = ConditionFieldName | OwnFilterField;
/** The contract's list would bring its schemas along; its comparisons are checked. */
type Described = {
  [name in Name]: Omit<OtherField, 'comparison'> & { comparison: Comparisons[name]['comparison'] };
};

const textOperators: readonly FilterOperator[] = [
  'contains',
  'notContains',
  'is',
  'isNot',
  'startsWith',
  'anyOf',
  'noneOf',
  'matches' as FilterOperator,
  'empty',
  'notEmpty',
];

export function useConditionFields(about: 'everything' | 'conversations' = 'everything'): Filterable {
  const boards = useKanbans();
  const users = useUsers();
  const teams = useTeams();
  const labels = useLabels();
  const channels = useChannels();
  const agents = useAgents();
  const hours = useHours();
  return useMemo(() => {
    const named = (list: readonly { id: string; name: string }[]): Option[] =>
      list.map(({ id, name }) => ({ value: id, label: name }));
    const people = named(users);
    const labelOptions = labels.map(({ id, name, color }) => ({
      value: id,
      label: name,
      mark: <LabelDot color={color} />,
    }));
    const yesNo = [
      { value: 'true', label: t('fields.yes') },
      { value: 'false', label: t('fields.no') },
    ];
    const statuses = new Map(
      boards.flatMap((board) => board.statuses.map((status) => [status.value, status] as const)),
    );
    const all: Described = {
      'session.status': {
        label: t('automation.field.session.status'),
        comparison: 'option',
        options: (['open', 'snoozed', 'resolved'] as const).map((value) => ({
          value,
          label: t(`automation.status.${value}`),
        })),
      },
      'session.channelId': {
        label: t('automation.field.session.channelId'),
        comparison: 'option',
        options: named(channels),
      },
      'session.channelType': {
        label: t('automation.field.session.channelType'),
        comparison: 'option',
        options: channelTypes.map((value: ChannelType) => ({ value, label: t(`channels.type.${value}`) })),
      },
      'session.agentId': {
        label: t('automation.field.session.agentId'),
        comparison: 'option',
        options: named(agents),
      },
      'session.assignedUserId': {
        label: t('automation.field.session.assignedUserId'),
        comparison: 'option',
        options: people,
      },
      'session.teamId': {
        label: t('automation.field.session.teamId'),
        comparison: 'option',
        options: named(teams),
      },
      'session.labelIds': {
        label: t('automation.field.session.labelIds'),
        comparison: 'options',
        options: labelOptions,
      },
      'session.aiPaused': {
        label: t('automation.field.session.aiPaused'),
        comparison: 'boolean',
        options: yesNo,
      },
      'session.unread': { label: t('automation.field.session.unread'), comparison: 'number' },
      'session.language': {
        label: t('automation.field.session.language'),
        comparison: 'option',
        options: Object.entries(languages).map(([value, label]) => ({ value, label })),
      },
      'session.createdAt': { label: t('automation.field.session.createdAt'), comparison: 'time' },
      'session.lastMessageAt': { label: t('automation.field.session.lastMessageAt'), comparison: 'time' },
      'session.rating': { label: t('automation.field.session.rating'), comparison: 'number' },
      'session.waitingMinutes': {
        label: t('automation.field.session.waitingMinutes'),
        comparison: 'number',
      },
      'contact.name': { label: t('automation.field.contact.name'), comparison: 'text' },
      'contact.email': { label: t('automation.field.contact.email'), comparison: 'text' },
      'contact.phone': { label: t('automation.field.contact.phone'), comparison: 'text' },
      'contact.blocked': {
        label: t('automation.field.contact.blocked'),
        comparison: 'boolean',
        options: yesNo,
      },
      'contact.sessionCount': { label: t('automation.field.contact.sessionCount'), comparison: 'number' },
      'contact.createdAt': { label: t('automation.field.contact.createdAt'), comparison: 'time' },
      'contact.labelIds': {
        label: t('automation.field.contact.labelIds'),
        comparison: 'options',
        options: labelOptions,
      },
      'message.content': {
        label: t('automation.field.message.content'),
        comparison: 'text',
        operators: textOperators,
      },
      'message.hasAttachment': {
        label: t('automation.field.message.hasAttachment'),
        comparison: 'boolean',
        options: yesNo,
      },
      'message.isFirst': {
        label: t('automation.field.message.isFirst'),
        comparison: 'boolean',
        options: yesNo,
      },
      title: { label: t('automation.field.card.title'), comparison: 'text' },
      status: {
        label: t('automation.field.card.status'),
        comparison: 'option',
        options: [...statuses.values()].map(({ value, label, color }) => ({
          value,
          label,
          mark: <Dot color={color} />,
        })),
      },
      assignedUserIds: {
        label: t('automation.field.card.assignedUserIds'),
        comparison: 'options',
        options: people,
      },
      labelIds: { label: t('automation.field.card.labelIds'), comparison: 'options', options: labelOptions },
      createdAt: { label: t('automation.field.card.createdAt'), comparison: 'time' },
      updatedAt: { label: t('automation.field.card.updatedAt'), comparison: 'time' },
    };
    const within: OtherField = {
      label: t('automation.field.withinHours'),
      comparison: 'option',
      operators: ['is', 'isNot'],
      nameOf: (op) => t(op === 'is' ? 'automation.field.within' : 'automation.field.outside'),
      options: hours.map(({ id, name }) => ({ value: id, label: t('automation.hoursNamed', { name }) })),
    };
    if (about === 'conversations') {
      const ofConversations = Object.entries(all).filter(([name]) => /^(session|contact)\./.test(name));
      return { fields: [], statuses: [], others: Object.fromEntries(ofConversations) };
    }
    const isAlone = boards.length < 2;
    return {
      fields: boards.flatMap((board) =>
        board.fields.map((field) => ({
          ...field,
          name: isAlone ? fieldLabel(field) : `${fieldLabel(field)} (${board.name})`,
          isSystem: false,
        })),
      ),
      statuses: [],
      others: { ...all, [hoursField]: within },
    };
  }, [about, boards, users, teams, labels, channels, agents, hours]);
}
