/**
 * Service levels: policies with the times in which customers are answered and conversations resolved. A change takes the
 * lock on the account's configuration and requests a pass, which brings it to open conversations.
 */
import { limits } from '../../../contract/limits.ts';
import type { SlaPolicy, SlaPolicyCreate, SlaPolicyUpdate } from '../../../contract/service-levels.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { badRequest, limitReached, notFound } from '../../platform/http/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { type Actor, audit, differences, lockAccountConfig } from '../accounts/accounts.ts';
import { checkHoursId, type UsesOfHours } from '../business-hours/business-hours.ts';
import type { AccountConfigCache } from '../channels/channels.ts';
import { checkConditions } from '../conditions/conditions.ts';
import { filterKinds } from './service-levels.settle.ts';
import {
  deletePolicy,
  findPolicy,
  requestPass,
  type StoredPolicy,
  selectPolicies,
  selectPoliciesWithHours,
  upsertPolicy,
} from './service-levels.sql.ts';

export { settle as settleServiceLevels } from './service-levels.settle.ts';
export { serviceLevelsJobKind } from './service-levels.sql.ts';

export const policiesWithHours: UsesOfHours = {
  find: async (db, accountId, hoursId) =>
    (await selectPoliciesWithHours(db, accountId, hoursId)).map((policy) => ({
      type: 'sla_policy',
      ...policy,
    })),
  async changed(tx, accountId, hoursId, now) {
    const policies = await selectPoliciesWithHours(tx, accountId, hoursId);
    if (policies.length > 0) await requestPass(tx, accountId, now);
  },
};

export async function listPolicies(db: Reader, accountId: string): Promise<SlaPolicy[]> {
  return (await selectPolicies(db, accountId)).map(shown);
}

export async function requirePolicy(db: Reader, accountId: string, id: string): Promise<SlaPolicy> {
  return shown(await requireStored(db, accountId, id));
}

async function requireStored(db: Reader, accountId: string, id: string): Promise<StoredPolicy> {
  const policy = isId(id) ? await findPolicy(db, accountId, id) : null;
  if (!policy) throw notFound('policy');
  return policy;
}

/** Without the targets that it does not have. */
function shown(policy: StoredPolicy): SlaPolicy {
  const { firstResponseMinutes, nextResponseMinutes, resolutionMinutes, ...others } = policy;
  return {
    ...others,
    ...(firstResponseMinutes !== null && { firstResponseMinutes }),
    ...(nextResponseMinutes !== null && { nextResponseMinutes }),
    ...(resolutionMinutes !== null && { resolutionMinutes }),
  };
}

interface PolicyDeps {
  accountConfig: Pick<AccountConfigCache, 'fresh'>;
}

export async function createPolicy(
  tx: Tx,
  deps: PolicyDeps,
  actor: Actor,
  now: number,
  input: SlaPolicyCreate,
): Promise<SlaPolicy> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const policies = await selectPolicies(tx, accountId);
  if (policies.length >= limits.slaPolicies) {
    throw limitReached(`an account can have at most ${limits.slaPolicies} service levels`);
  }
  const last = policies.at(-1)?.order ?? 0;
  const policy: StoredPolicy = {
    id: newId(now),
    name: input.name.trim(),
    order: input.order ?? Math.min(last + 1, limits.order.max),
    filter: input.filter ?? null,
    firstResponseMinutes: input.firstResponseMinutes ?? null,
    nextResponseMinutes: input.nextResponseMinutes ?? null,
    resolutionMinutes: input.resolutionMinutes ?? null,
    hoursId: input.hoursId ?? null,
    pauseWhileSnoozed: input.pauseWhileSnoozed ?? false,
    pauseWhileWaitingForCustomer: input.pauseWhileWaitingForCustomer ?? false,
    aiCounts: input.aiCounts ?? false,
    warnBeforeMinutes: input.warnBeforeMinutes ?? 0,
  };
  await save(tx, deps, accountId, policy, now);
  await audit(tx, actor, now, {
    action: 'sla_policy.created',
    target: { type: 'sla_policy', id: policy.id },
    changes: differences({}, shown(policy)),
  });
  return shown(policy);
}

export async function changePolicy(
  tx: Tx,
  deps: PolicyDeps,
  actor: Actor,
  now: number,
  id: string,
  change: SlaPolicyUpdate,
): Promise<SlaPolicy> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const before = await requireStored(tx, accountId, id);
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const after: StoredPolicy = { ...before, ...picked(given), name: change.name?.trim() ?? before.name };
  await save(tx, deps, accountId, after, now);
  await audit(tx, actor, now, {
    action: 'sla_policy.updated',
    target: { type: 'sla_policy', id },
    changes: differences(before, after),
  });
  return shown(after);
}

const changeable = [
  'order',
  'filter',
  'firstResponseMinutes',
  'nextResponseMinutes',
  'resolutionMinutes',
  'hoursId',
  'pauseWhileSnoozed',
  'pauseWhileWaitingForCustomer',
  'aiCounts',
  'warnBeforeMinutes',
] as const;

const picked = (given: SlaPolicyUpdate): Partial<StoredPolicy> =>
  Object.fromEntries(changeable.flatMap((name) => (name in given ? [[name, given[name]]] : [])));

async function save(
  tx: Tx,
  { accountConfig }: PolicyDeps,
  accountId: string,
  policy: StoredPolicy,
  now: number,
): Promise<void> {
  if (!policy.name) throw badRequest('name is required');
  const { firstResponseMinutes, nextResponseMinutes, resolutionMinutes } = policy;
  if (firstResponseMinutes === null && nextResponseMinutes === null && resolutionMinutes === null) {
    throw badRequest('one of firstResponseMinutes, nextResponseMinutes and resolutionMinutes is required');
  }
  await checkHoursId(tx, accountId, policy.hoursId);
  const config = await accountConfig.fresh(accountId, tx);
  const { byId } = config.directory.hours;
  await checkConditions(
    policy.filter,
    { db: tx, accountId, config, fieldOf: () => undefined, hasHours: (id) => byId.has(id) },
    'filter',
    filterKinds,
  );
  await upsertPolicy(tx, accountId, policy);
  await requestPass(tx, accountId, now);
}

/** Its conversations go with it. */
export async function erasePolicies(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) await deletePolicy(tx, accountId, id);
}

/** Its conversations get the next policy that matches them, or none. */
export async function removePolicy(tx: Tx, actor: Actor, now: number, id: string): Promise<void> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const { name } = await requireStored(tx, accountId, id);
  await deletePolicy(tx, accountId, id);
  await requestPass(tx, accountId, now);
  await audit(tx, actor, now, {
    action: 'sla_policy.deleted',
    target: { type: 'sla_policy', id },
    changes: { name: { from: name, to: null } },
  });
}
