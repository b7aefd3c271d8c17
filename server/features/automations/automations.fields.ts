/** The fields of all boards of an account, by their ids. */
import type { Definitions, FieldDefinition } from '../kanbans/kanbans.ts';

export const fieldOfAccount =
  ({ kanbans }: Definitions) =>
  (id: string): FieldDefinition | undefined => {
    for (const kanban of kanbans.values()) {
      const field = kanban.fields.get(id);
      if (field) return field;
    }
    return undefined;
  };
