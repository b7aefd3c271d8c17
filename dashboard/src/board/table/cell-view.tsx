/** What a cell shows. */
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import type { Card } from '../../../../contract/dashboard.ts';
import { FieldValue } from '../../fields/field-value.tsx';
import { shownTitle } from '../../texts/customer-name.ts';
import { dateTime } from '../../texts/format.ts';
import { AvatarStack } from '../../ui/display/avatar.tsx';
import { Dot } from '../../ui/display/badge.tsx';
import type { TableColumn } from './table-look.ts';

export interface Person {
  id: string;
  name: string;
}

export interface CellViewProps {
  board: Kanban;
  card: Card;
  column: TableColumn;
  personOf(id: string): Person | null;
}

export function CellView({ board, card, column, personOf }: CellViewProps) {
  if (column.field) return <FieldValue field={column.field} value={card.customFields[column.id]} />;
  switch (column.id) {
    case 'title':
      return (
        <span className="truncate font-medium" title={shownTitle(card.title)}>
          {shownTitle(card.title)}
        </span>
      );
    case 'status':
      return <StatusName board={board} value={card.status} />;
    case 'assignedUserIds':
      return <People people={card.assignedUserIds.flatMap((id) => personOf(id) ?? [])} />;
    default:
      return <span className="tabular truncate text-muted">{dateTime(card[column.id as 'createdAt'])}</span>;
  }
}

export function StatusName({ board, value }: { board: Kanban; value: string }) {
  const status = board.statuses.find((one) => one.value === value);
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      {status && <Dot color={status.color} />}
      <span className="truncate">{status?.label ?? value}</span>
    </span>
  );
}

export function People({ people }: { people: readonly Person[] }) {
  if (people.length === 0) return null;
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <AvatarStack people={people} tip={false} />
      {people.length === 1 && <span className="truncate">{people[0]!.name}</span>}
    </span>
  );
}
