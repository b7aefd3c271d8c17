import { useQuery } from '@tanstack/react-query';
import { Tag, Users } from 'lucide-react';
import { Suspense } from 'react';
import type { Kanban, KanbanField } from '../../../contract/crm/kanbans.ts';
import type { CrmRecord, RecordUpdate } from '../../../contract/crm/records.ts';
import { lazyView } from '../app/lazy-view.tsx';
import { usePersonOf, useUsers } from '../data/queries.ts';
import { useMay } from '../data/session.ts';
import { t, withTexts } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Picker } from '../ui/controls/picker.tsx';
import { Avatar } from '../ui/display/avatar.tsx';
import { FieldRow, Row } from './field-row.tsx';
import { fieldGroupsQuery } from './record-data.ts';

const LabelPicker = lazyView(
  withTexts('labels', () => import('../labels/label-picker.tsx')),
  'default',
);

interface RecordFieldsProps {
  record: CrmRecord;
  board: Kanban;
  onChange(change: RecordUpdate): void;
}

export function RecordFields({ record, board, onChange }: RecordFieldsProps) {
  const { data: groups = [] } = useQuery(fieldGroupsQuery(board.id));
  const mayEdit = useMay('records.edit');
  const fields = [...board.fields].sort((a, b) => a.order - b.order || a.name.localeCompare(b.name));
  const sections = [
    { id: null as string | null, name: null as string | null },
    ...[...groups]
      .sort((a, b) => a.order - b.order)
      .map(({ id, name }) => ({ id: id as string | null, name: name as string | null })),
  ];
  const isIn = (field: KanbanField, id: string | null) =>
    id === null
      ? field.groupId === null || !groups.some((group) => group.id === field.groupId)
      : field.groupId === id;
  return (
    <div className="flex flex-col gap-1 px-5 pb-4">
      <Row icon={<Users className="size-3.5" />} name={t('record.field.assignees')}>
        {mayEdit ? (
          <Assignees
            value={record.assignedUserIds}
            onChange={(assignedUserIds) => onChange({ assignedUserIds })}
          />
        ) : (
          <div className={peopleClass}>
            <People ids={record.assignedUserIds} />
          </div>
        )}
      </Row>
      <Row icon={<Tag className="size-3.5" />} name={t('record.field.labels')}>
        <Suspense fallback={<div className="h-8" />}>
          <LabelPicker ids={record.labelIds} isReadOnly={!mayEdit} onChange={onChange} />
        </Suspense>
      </Row>
      {sections.map((section) => {
        const own = fields.filter((field) => isIn(field, section.id));
        if (own.length === 0) return null;
        return (
          <section key={section.id ?? 'none'} className="flex flex-col gap-px">
            {section.name && <h3 className="mt-4 mb-1 text-sm font-medium text-faint">{section.name}</h3>}
            {own.map((field) => (
              <FieldRow
                key={field.id}
                field={field}
                value={record.customFields[field.id]}
                isReadOnly={!mayEdit}
                isUnverified={record.unverifiedFieldIds?.includes(field.id) === true}
                onCommit={(value) => onChange({ customFields: { [field.id]: value } })}
              />
            ))}
          </section>
        );
      })}
    </div>
  );
}

function Assignees({ value, onChange }: { value: string[]; onChange(ids: string[]): void }) {
  const users = useUsers();
  return (
    <Picker
      label={t('record.field.assignees')}
      several
      chosen={value}
      onChange={onChange}
      options={users.map(({ id, name }) => ({
        value: id,
        label: name,
        mark: <Avatar id={id} name={name} tip={false} />,
      }))}
      trigger={
        <button type="button" className={cx(peopleClass, 'rounded-control text-left hover:bg-hover')}>
          <span className="sr-only">{t('record.field.assignees')}</span>
          <People ids={value} />
        </button>
      }
    />
  );
}

const peopleClass = 'flex min-h-8 w-full flex-wrap items-center gap-x-3 gap-y-1 px-2 py-1';

function People({ ids }: { ids: readonly string[] }) {
  const personOf = usePersonOf();
  if (ids.length === 0) return <span className="text-faint">{t('record.nobody')}</span>;
  return ids.map((id) => {
    const name = personOf(id)?.name ?? t('record.gone');
    return (
      <span key={id} className="flex items-center gap-1.5">
        <span aria-hidden className="flex">
          <Avatar id={id} name={name} tip={false} />
        </span>
        {name}
      </span>
    );
  });
}
