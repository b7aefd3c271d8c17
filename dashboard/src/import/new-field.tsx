/** The board's own dialog for a field, for a column that has none yet. */
import type { Field, Kanban } from '../../../contract/crm/kanbans.ts';
import type { FieldType } from '../../../contract/limits.ts';
import { FieldDialog } from '../board/settings/field-dialog.tsx';

export default function NewField({
  board,
  suggested,
  onClose,
  onSaved,
}: {
  board: Kanban;
  suggested: { name: string; type: FieldType };
  onClose(): void;
  onSaved(field: Field): Promise<unknown>;
}) {
  return (
    <FieldDialog
      board={board}
      groups={[]}
      field={null}
      suggested={suggested}
      onClose={onClose}
      onSaved={onSaved}
    />
  );
}
