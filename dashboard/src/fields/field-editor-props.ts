import type { KanbanField } from '../../../contract/crm/kanbans.ts';

export interface FieldEditorProps {
  field: Pick<KanbanField, 'name' | 'isSystem' | 'type' | 'options' | 'currency'>;
  value: unknown;
  /** null clears. */
  onCommit(value: unknown): void;
  /** With a border, as in a form; otherwise it looks like text until it gets the focus. */
  framed?: boolean;
  id?: string;
  label?: string;
}

export const bareClass =
  'w-full rounded-control border border-transparent bg-transparent px-2 text-ellipsis transition-colors hover:bg-hover focus:border-accent focus:bg-surface focus:outline-none';
