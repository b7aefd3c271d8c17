/** Filters of lists of conversations, from conditions on `session.*`. */
import type { Reader } from '../../platform/db/db.ts';
import { type Actor, personOf } from '../accounts/accounts.ts';
import { isOpen, listHours } from '../business-hours/business-hours.ts';
import type { DefinitionsCache } from '../kanbans/kanbans.ts';
import type { SessionFilters } from '../sessions/sessions.ts';
import { evaluate } from './conditions.evaluate.ts';
import { Conditions } from './conditions.read.ts';
import { loadSubjects } from './conditions.subjects.ts';
import { conversationsWhere } from './conditions.where.sql.ts';

/** What a list of conversations can be filtered by. */
export const sessionKinds = ['session'] as const;
/** Nobody has this id. */
const nobody = '00000000-0000-0000-0000-000000000000';
const fieldOf = () => undefined;

export function createSessionFilters({
  db,
  definitions,
}: {
  db: Reader;
  definitions: Pick<DefinitionsCache, 'fresh'>;
}): SessionFilters {
  return {
    read(actor: Actor, filter: unknown) {
      const { accountId } = actor;
      const me = personOf(actor)?.id ?? nobody;
      const conditions = new Conditions(filter, 'filter', { fieldOf, kinds: sessionKinds, me });
      return {
        async at(moment) {
          const named = conditions.references.some(({ kind }) => kind === 'hours');
          const hours = new Map(
            named ? (await listHours(db, accountId)).map((one) => [one.id, one]) : undefined,
          );
          const isOpenAt = (hoursId: string, at: number) => {
            const one = hours.get(hoursId);
            return one ? isOpen(one, at) : null;
          };
          return {
            ...conversationsWhere(accountId, conditions, moment, isOpenAt),
            async refused(sessionIds) {
              const keys = sessionIds.map((sessionId) => ({ sessionId }));
              const known = await definitions.fresh(accountId);
              const subjects = await loadSubjects(db, accountId, known, keys, [conditions]);
              const refused = new Set<string>();
              for (const [index, sessionId] of sessionIds.entries()) {
                const subject = subjects[index]!;
                const { matched } = await evaluate(conditions, subject, moment, {
                  fieldOf,
                  isOpen: isOpenAt,
                });
                if (!matched) refused.add(sessionId);
              }
              return refused;
            },
          };
        },
      };
    },
  };
}
