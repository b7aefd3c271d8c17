/** Which events a webhook gets: by name, by board, and for changed fields by field. */
import type { ReactNode } from 'react';
import { eventTypes, type WebhookEvent, webhookEvents } from '../../../../contract/events.ts';
import type { WebhookUpdate } from '../../../../contract/webhooks.ts';
import { BoardDot } from '../../app/board-dot.tsx';
import { useKanbans } from '../../data/queries.ts';
import { fieldLabel } from '../../fields/field-label.ts';
import { t } from '../../texts/texts.ts';
import type { Option } from '../../ui/controls/select.tsx';
import { CheckList, ChipPicker } from '../parts/choices.tsx';

export interface Filters {
  events: WebhookEvent[];
  kanbanIds: string[];
  fieldIds: string[];
}

export interface WebhookFiltersProps {
  filters: Filters;
  onChange(change: WebhookUpdate): void;
  /** "Saved" beside what was saved last. */
  savedMark?(name: keyof Filters): ReactNode;
}

export function WebhookFilters({ filters, onChange, savedMark }: WebhookFiltersProps) {
  const boards = useKanbans();
  const fields = useFieldOptions(filters.kanbanIds);
  return (
    <>
      <CheckList<WebhookEvent>
        label={t('webhooks.eventsLabel')}
        mono
        choices={webhookEvents.map((name) => ({
          value: name,
          label: name,
          hint: plain(eventTypes[name].when),
        }))}
        chosen={filters.events}
        onChange={(events) => onChange({ events })}
        saved={savedMark?.('events')}
      />
      <ChipPicker
        label={t('webhooks.boards')}
        hint={t('webhooks.boardsHint')}
        none={t('webhooks.allBoards')}
        options={boards.map((board) => ({
          value: board.id,
          label: board.name,
          mark: <BoardDot id={board.id} />,
        }))}
        chosen={filters.kanbanIds}
        onChange={(kanbanIds) => onChange({ kanbanIds })}
        saved={savedMark?.('kanbanIds')}
      />
      {filters.events.includes('crm_field_update') && (
        <ChipPicker
          label={t('webhooks.fields')}
          hint={t('webhooks.fieldsHint')}
          none={t('webhooks.allFields')}
          options={fields}
          chosen={filters.fieldIds}
          onChange={(fieldIds) => onChange({ fieldIds })}
          saved={savedMark?.('fieldIds')}
        />
      )}
    </>
  );
}

/** The contract's descriptions are Markdown for the reference. */
const plain = (text: string) => text.replaceAll('`', '');

/** The fields of the chosen boards, or of all; those of several boards have the board's name. */
function useFieldOptions(kanbanIds: readonly string[]): Option[] {
  const boards = useKanbans().filter(({ id }) => kanbanIds.length === 0 || kanbanIds.includes(id));
  return [
    { value: 'title', label: t('record.field.title') },
    { value: 'status', label: t('record.field.status') },
    { value: 'assignedUserIds', label: t('record.field.assignees') },
    { value: 'labelIds', label: t('record.field.labels') },
    ...boards.flatMap((board) =>
      board.fields.map((field) => ({
        value: field.id,
        label: boards.length > 1 ? `${fieldLabel(field)} (${board.name})` : fieldLabel(field),
      })),
    ),
  ];
}
