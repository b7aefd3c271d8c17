/** Checks conditions that are saved: everything that they name must exist. */
import type { ConditionKind } from '../../../contract/conditions.ts';
import type { Reader } from '../../platform/db/db.ts';
import { badRequest } from '../../platform/http/errors.ts';
import { isId } from '../../platform/ids.ts';
import { patternProblem } from '../../platform/patterns.ts';
import type { AccountConfig } from '../channels/channels.ts';
import { type ConditionFields, Conditions, type Reference } from './conditions.read.ts';
import { selectKnownIds } from './conditions.sql.ts';

export interface CheckContext extends Omit<ConditionFields, 'kinds'> {
  db: Reader;
  accountId: string;
  config: Pick<AccountConfig, 'directory'>;
  hasHours(hoursId: string): boolean;
}

/** A 400 with the place of the first mistake, such as `conditions.and[1].op must be one of …`. Null: no conditions. */
export async function checkConditions(
  value: unknown,
  context: CheckContext,
  path: string,
  kinds?: readonly ConditionKind[],
): Promise<Conditions | null> {
  if (value === null || value === undefined) return null;
  const conditions = new Conditions(value, path, { ...context, kinds });
  const stored = conditions.references.filter(({ kind, id }) => isStored(kind) && isId(id));
  const known =
    stored.length === 0
      ? new Set<string>()
      : await selectKnownIds(
          context.db,
          context.accountId,
          stored.map(({ id }) => id),
        );
  for (const reference of conditions.references) {
    if (reference.kind === 'pattern') {
      const problem = await patternProblem(reference.id);
      if (problem) throw badRequest(`${reference.path} ${problem}`);
    } else if (!exists(reference, context, known)) throw badRequest(`${reference.path} does not exist`);
  }
  return conditions;
}

const isStored = (kind: Reference['kind']) => kind === 'user' || kind === 'team' || kind === 'label';

function exists(
  { kind, id }: Reference,
  { config, hasHours }: CheckContext,
  known: ReadonlySet<string>,
): boolean {
  switch (kind) {
    case 'channel':
      return config.directory.channels.has(id);
    case 'agent':
      return config.directory.agents.has(id);
    case 'hours':
      return hasHours(id);
    default:
      return known.has(`${kind} ${id}`);
  }
}
