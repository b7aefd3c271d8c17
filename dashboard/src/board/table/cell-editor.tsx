/** Edits a cell in place, by the type of its column. */
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import type { Card } from '../../../../contract/dashboard.ts';
import { useUsers } from '../../data/queries.ts';
import { Picker } from '../../ui/controls/picker.tsx';
import type { Option } from '../../ui/controls/select.tsx';
import { Avatar } from '../../ui/display/avatar.tsx';
import { Dot } from '../../ui/display/badge.tsx';
import { hueOfOption } from '../../ui/hues.ts';
import { nameOfField } from '../filters/filter-words.ts';
import { CellInput } from './cell-input.tsx';
import { valueOfCell } from './cell-text.ts';
import type { Step } from './grid-state.ts';
import type { TableColumn } from './table-look.ts';

export interface CellEditorProps {
  board: Kanban;
  card: Card;
  column: TableColumn;
  /** Typed on the cell: replaces the value. */
  text?: string | undefined;
  onCommit(value: unknown): void;
  /** In which direction the active cell moves. Null: the focus has left the cell. */
  onClose(step: Step | null): void;
}

export function CellEditor(props: CellEditorProps) {
  const { board, card, column, onCommit } = props;
  const users = useUsers();
  const value = valueOfCell(card, column);
  if (column.id === 'status') {
    const options = board.statuses.map((status) => ({
      value: status.value,
      label: status.label,
      mark: <Dot color={status.color} />,
    }));
    return (
      <Choice {...props} options={options} chosen={[card.status]} onChange={([to]) => to && onCommit(to)} />
    );
  }
  if (column.id === 'assignedUserIds') {
    const options = users.map(({ id, name }) => ({
      value: id,
      label: name,
      mark: <Avatar id={id} name={name} tip={false} />,
    }));
    return <Choice {...props} several options={options} chosen={card.assignedUserIds} onChange={onCommit} />;
  }
  const field = column.field;
  if (field?.type === 'select' || field?.type === 'multiselect') {
    const several = field.type === 'multiselect';
    const chosen = several ? ((value as string[] | undefined) ?? []) : value ? [String(value)] : [];
    const options = [...new Set([...(field.options ?? []), ...chosen])].map((option) => ({
      value: option,
      label: option,
      mark: <Dot color={`var(--hue-${hueOfOption(option, field.options)})`} />,
    }));
    const write = (next: string[]) => onCommit(next.length === 0 ? null : several ? next : next[0]);
    return <Choice {...props} several={several} options={options} chosen={chosen} onChange={write} />;
  }
  return <CellInput {...props} value={value} label={nameOfField(board, column.id)} />;
}

interface ChoiceProps extends CellEditorProps {
  several?: boolean;
  options: readonly Option[];
  chosen: readonly string[];
  onChange(chosen: string[]): void;
}

function Choice({ board, column, text, several, options, chosen, onChange, onClose }: ChoiceProps) {
  const close = () => {
    const focused = document.activeElement;
    const isInList = focused?.closest('[data-radix-popper-content-wrapper]');
    onClose(!focused || focused === document.body || isInList ? [0, 0] : null);
  };
  return (
    <Picker
      open
      onOpenChange={(isOpen) => !isOpen && close()}
      label={nameOfField(board, column.id)}
      several={several}
      options={options}
      chosen={chosen}
      typed={text}
      onChange={onChange}
      trigger={
        <button
          type="button"
          tabIndex={-1}
          aria-label={nameOfField(board, column.id)}
          className="absolute inset-0"
        />
      }
    />
  );
}
