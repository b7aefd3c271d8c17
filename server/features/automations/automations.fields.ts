/** The fields of all boards of an account, by their ids. */
import type { Actor } from '../accounts/accounts.ts';
import { type Definitions, type FieldDefinition, maySee } from '../kanbans/kanbans.ts';

/** `author`: only fields of boards that are open to them. */
export const fieldOfAccount =
  ({ kanbans }: Definitions, author?: Actor) =>
  (id: string): FieldDefinition | undefined => {
    for (const kanban of kanbans.values()) {
      const field = kanban.fields.get(id);
      if (field) return author && !maySee(author, kanban) ? undefined : field;
    }
    return undefined;
  };
