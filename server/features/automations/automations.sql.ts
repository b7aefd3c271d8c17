/** Rules and their versions. */
import type { Automation } from '../../../contract/automation/automations.ts';
import type { RuleStep } from '../../../contract/automation/steps.ts';
import type { Trigger } from '../../../contract/automation/triggers.ts';
import { limits } from '../../../contract/limits.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { empty, sql } from '../../platform/db/sql.ts';

/** What a version of a rule says. Its conditions and steps were checked when it was saved. */
export interface RuleContent {
  name: string;
  trigger: Trigger;
  conditions: Record<string, unknown> | null;
  steps: RuleStep[];
  cooldownMinutes: number;
}

export interface StoredRule extends RuleContent {
  id: string;
  enabled: boolean;
  disabledReason: string | null;
  order: number;
  version: number;
  /** The keys that causes are written for, and the ids that the rule refers to. */
  listens: string[];
  refs: string[];
  hasHook: boolean;
  hasSecret: boolean;
  createdAt: number;
  updatedAt: number;
  updatedBy: { id: string; name: string };
}

const columns = sql`a.id, a.name, a.enabled, a.disabled_reason as "disabledReason", a.place as "order", a.version,
  a.trigger, a.conditions, a.steps, a.cooldown_minutes as "cooldownMinutes", a.listens, a.refs,
  a.hook_hash is not null as "hasHook", a.secret is not null as "hasSecret", a.created_at as "createdAt",
  a.updated_at as "updatedAt", a.updated_by as "updatedBy"`;

const statsDays = 30;
const dayMs = 86_400_000;

/** In their order. `uses`: only those that refer to this id. */
export async function selectAutomations(
  db: Reader,
  accountId: string,
  { id, uses, now }: { id?: string; uses?: string; now: number },
): Promise<Automation[]> {
  const one = id === undefined ? empty : sql`and a.id = ${id}`;
  const using = uses === undefined ? empty : sql`and a.refs @> array[${uses}::text]`;
  const rows = await db.query<StoredRule & Automation['stats']>(sql`
    select ${columns}, coalesce(s.runs, 0) as "runs30d", coalesce(s.failed, 0) as "failed30d",
      (select max(r.created_at) from automation_runs r where r.account_id = a.account_id and r.rule_id = a.id) as "lastRunAt"
    from automations a
    left join lateral (
      select count(*)::int as runs, (count(*) filter (where r.state = 'failed'))::int as failed
      from automation_runs r where r.account_id = a.account_id and r.rule_id = a.id
        and r.created_at >= ${now - statsDays * dayMs}) s on true
    where a.account_id = ${accountId} ${one} ${using}
    order by a.place, a.created_at, a.id`);
  return rows.map(({ runs30d, failed30d, lastRunAt, ...rule }) => ({
    ...shown(rule),
    stats: { runs30d, failed30d, lastRunAt },
  }));
}

function shown(rule: StoredRule): Omit<Automation, 'stats'> {
  const { listens: _listens, refs: _refs, hasHook: _hook, hasSecret: _secret, ...rest } = rule;
  return rest;
}

export async function selectNamesUsing(
  db: Reader,
  accountId: string,
  id: string,
): Promise<{ id: string; name: string }[]> {
  return db.query(sql`
    select id, name from automations where account_id = ${accountId} and refs @> array[${id}::text] order by place, id`);
}

/** Changes of an account's rules happen one after the other: their number and their order are limits of all of them. */
export async function lockAutomations(tx: Tx, accountId: string): Promise<StoredRule[]> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`${accountId}/automations`}::text, 0))`);
  return tx.query<StoredRule>(sql`
    select ${columns} from automations a where a.account_id = ${accountId} order by a.place, a.created_at, a.id
    for update of a`);
}

/** `enabledAt`: by the clock of the database, as the times of causes. */
const enabledNow = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

export async function insertAutomation(tx: Tx, accountId: string, rule: StoredRule): Promise<void> {
  await tx.query(sql`
    insert into automations (account_id, id, name, enabled, enabled_at, disabled_reason, place, version, trigger, conditions,
      steps, cooldown_minutes, listens, refs, created_at, updated_at, updated_by)
    values (${accountId}, ${rule.id}, ${rule.name}, ${rule.enabled},
      ${rule.enabled ? enabledNow : sql`null`}, null, ${rule.order}, ${rule.version},
      ${JSON.stringify(rule.trigger)}::jsonb, ${rule.conditions && JSON.stringify(rule.conditions)}::jsonb,
      ${JSON.stringify(rule.steps)}::jsonb, ${rule.cooldownMinutes}, ${rule.listens}::text[], ${rule.refs}::text[],
      ${rule.createdAt}, ${rule.updatedAt}, ${JSON.stringify(rule.updatedBy)}::jsonb)`);
  await insertVersion(tx, accountId, rule);
}

export async function updateAutomation(
  tx: Tx,
  accountId: string,
  rule: StoredRule,
  before: StoredRule,
): Promise<void> {
  const begins = rule.enabled && (!before.enabled || rule.version !== before.version);
  await tx.query(sql`
    update automations set name = ${rule.name}, enabled = ${rule.enabled},
      enabled_at = ${begins ? enabledNow : sql`enabled_at`}, disabled_reason = ${rule.disabledReason},
      version = ${rule.version}, trigger = ${JSON.stringify(rule.trigger)}::jsonb,
      conditions = ${rule.conditions && JSON.stringify(rule.conditions)}::jsonb,
      steps = ${JSON.stringify(rule.steps)}::jsonb, cooldown_minutes = ${rule.cooldownMinutes},
      listens = ${rule.listens}::text[], refs = ${rule.refs}::text[], updated_at = ${rule.updatedAt},
      updated_by = ${JSON.stringify(rule.updatedBy)}::jsonb,
      failures = ${begins ? sql`0` : sql`failures`}
    where account_id = ${accountId} and id = ${rule.id}`);
  if (rule.version !== before.version) await insertVersion(tx, accountId, rule);
}

async function insertVersion(tx: Tx, accountId: string, rule: StoredRule): Promise<void> {
  const { name, trigger, conditions, steps, cooldownMinutes } = rule;
  const content: RuleContent = { name, trigger, conditions, steps, cooldownMinutes };
  await tx.query(sql`
    insert into automation_versions (account_id, rule_id, version, rule)
    values (${accountId}, ${rule.id}, ${rule.version}, ${JSON.stringify(content)}::jsonb)`);
}

export async function deleteAutomation(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from automations where account_id = ${accountId} and id = ${id}`);
}

export async function updateOrder(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  await tx.query(sql`
    update automations a set place = n.place
    from unnest(${ids}::uuid[]) with ordinality as n (id, place)
    where a.account_id = ${accountId} and a.id = n.id and a.place <> n.place`);
}

export async function updateHook(tx: Tx, accountId: string, id: string, hash: Buffer | null): Promise<void> {
  await tx.query(sql`
    update automations set hook_hash = ${hash} where account_id = ${accountId} and id = ${id}`);
}

export async function updateSecret(
  tx: Tx,
  accountId: string,
  id: string,
  sealed: string | null,
): Promise<void> {
  await tx.query(
    sql`update automations set secret = ${sealed} where account_id = ${accountId} and id = ${id}`,
  );
}

export async function findSecret(db: Reader, accountId: string, id: string): Promise<string | null> {
  const [row] = await db.query<{ secret: string | null }>(
    sql`select secret from automations where account_id = ${accountId} and id = ${id}`,
  );
  return row?.secret ?? null;
}

/** An enabled rule as the worker runs it. */
export interface RunnableRule extends RuleContent {
  id: string;
  version: number;
  enabledAt: number;
}

/** In their order. */
export async function selectEnabled(
  db: Reader,
  accountId: string,
): Promise<{ version: number; rules: RunnableRule[] }> {
  const [row] = await db.query<{ version: number; rules: RunnableRule[] }>(sql`
    select l.version, coalesce((
      select json_agg(json_build_object('id', a.id, 'name', a.name, 'trigger', a.trigger, 'conditions', a.conditions,
        'steps', a.steps, 'cooldownMinutes', a.cooldown_minutes, 'version', a.version, 'enabledAt', a.enabled_at)
        order by a.place, a.created_at, a.id)
      from automations a where a.account_id = l.account_id and a.enabled), '[]') as rules
    from automation_listeners l where l.account_id = ${accountId}`);
  return row ?? { version: 0, rules: [] };
}

export async function findVersion(
  db: Reader,
  accountId: string,
  ruleId: string,
  version: number,
): Promise<RuleContent | null> {
  const [row] = await db.query<{ rule: RuleContent }>(sql`
    select rule from automation_versions
    where account_id = ${accountId} and rule_id = ${ruleId} and version = ${version}`);
  return row?.rule ?? null;
}

/** Counts a run that ended. Returns whether the rule was switched off because too many failed one after the other. */
export async function noteEnd(
  tx: Tx,
  accountId: string,
  ruleId: string,
  failure: string | null,
  now: number,
): Promise<boolean> {
  if (failure === null) {
    await tx.query(sql`
      update automations set failures = 0 where account_id = ${accountId} and id = ${ruleId} and failures <> 0`);
    return false;
  }
  const max = limits.automation.failuresInARow;
  const [row] = await tx.query<{ isOff: boolean }>(sql`
    update automations set failures = failures + 1, enabled = enabled and failures + 1 < ${max},
      disabled_reason = case when enabled and failures + 1 >= ${max}
        then ${`it failed ${max} times in a row: ${failure}`} else disabled_reason end,
      updated_at = case when enabled and failures + 1 >= ${max} then ${now} else updated_at end
    where account_id = ${accountId} and id = ${ruleId}
    returning failures = ${max} and not enabled as "isOff"`);
  return row?.isOff ?? false;
}

/** By id, without those that were deleted. */
export async function selectRuleNames(
  db: Reader,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<{ id: string; name: string }>(sql`
    select id, name from automations where account_id = ${accountId} and id = any(${[...new Set(ids)]}::uuid[])`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
