/** What a template's values can be taken from: the customer, and the filled fields of the card. */
import { useQuery } from '@tanstack/react-query';
import type { InboxSession } from '../../../../../contract/dashboard.ts';
import { firstNameOf } from '../../../../../contract/shapes/placeholders.ts';
import { recall, remember } from '../../../app/remembered.ts';
import { useKanbans } from '../../../data/queries.ts';
import { useMay } from '../../../data/session.ts';
import { fieldLabel } from '../../../fields/field-label.ts';
import { isEmptyValue, valueText } from '../../../fields/field-value.tsx';
import { recordQuery } from '../../../record/record-data.ts';
import { customerName } from '../../../texts/customer-name.ts';
import { t } from '../../../texts/texts.ts';

export interface CardValue {
  /** Stays the same when the field is renamed or the language changes. */
  id: string;
  label: string;
  value: string;
}

export function useCardValues(session: InboxSession): CardValue[] {
  const boards = useKanbans();
  const seesRecords = useMay('records.view');
  const { data: record } = useQuery({
    ...recordQuery(session.recordId ?? ''),
    enabled: session.recordId !== null && seesRecords,
  });
  const name = customerName(session);
  const firstName = firstNameOf(name);
  const fields = boards.find(({ id }) => id === session.kanbanId)?.fields ?? [];
  return [
    { id: 'customer', label: t('template.value.customer'), value: name },
    ...(firstName ? [{ id: 'firstName', label: t('template.value.firstName'), value: firstName }] : []),
    ...fields.flatMap((field) => {
      const value = record?.customFields[field.id];
      if (isEmptyValue(value)) return [];
      return [{ id: field.id, label: fieldLabel(field), value: oneLine(valueText(field, value)) }];
    }),
  ];
}

/** Providers reject line breaks in a value. */
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Where each value of a template came from last time, so that the next card fills it by itself. */
const sourcesOf = (channelId: string, template: string) => `template-sources:${channelId}:${template}`;

export const lastSources = (channelId: string, template: string) =>
  recall<(string | null)[]>(sourcesOf(channelId, template), []);

export const keepSources = (channelId: string, template: string, sources: readonly (string | null)[]) =>
  remember(sourcesOf(channelId, template), sources);
