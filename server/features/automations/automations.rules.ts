/** The enabled rules of accounts as a worker runs them: read once for each version, with their conditions compiled. */
import { LRUCache } from 'lru-cache';
import type { Db, Reader } from '../../platform/db/db.ts';
import { isOpen } from '../business-hours/business-hours.ts';
import type { AccountConfig, AccountConfigCache } from '../channels/channels.ts';
import { Conditions, type EvaluationContext } from '../conditions/conditions.ts';
import { fieldOfAccount } from './automations.fields.ts';
import { findVersion, type RuleContent, type RunnableRule, selectEnabled } from './automations.sql.ts';

export interface CompiledRule extends RunnableRule {
  compiled: Conditions | null;
}

export interface AccountRules {
  accountId: string;
  config: AccountConfig;
  rules: readonly CompiledRule[];
  context: EvaluationContext;
}

export interface RuleCache {
  /** At least as new as `version`. */
  of(accountId: string, version: number, reader?: Reader): Promise<AccountRules>;
  /** A version of a rule that a run began with; null: the rule is gone. */
  content(db: Reader, accountId: string, ruleId: string, version: number): Promise<RuleContent | null>;
}

const accountsKept = 500;
const versionsKept = 2_000;

export function createRuleCache({
  db,
  accountConfig,
}: {
  db: Db;
  accountConfig: AccountConfigCache;
}): RuleCache {
  const accounts = new LRUCache<string, { version: number; configVersion: number; rules: CompiledRule[] }>({
    max: accountsKept,
  });
  const versions = new LRUCache<string, RuleContent>({ max: versionsKept });
  return {
    async of(accountId, version, reader) {
      const config = await accountConfig.fresh(accountId, reader);
      let kept = accounts.get(accountId);
      if (!kept || kept.version < version || kept.configVersion !== config.version) {
        const found = await selectEnabled(reader ?? db, accountId);
        const rules = found.rules.map((rule) => ({
          ...rule,
          compiled: compile(config, rule.conditions, 'conditions'),
        }));
        kept = { version: found.version, configVersion: config.version, rules };
        accounts.set(accountId, kept);
      }
      return { accountId, config, rules: kept.rules, context: evaluationOf(config) };
    },
    async content(reader, accountId, ruleId, version) {
      const key = `${accountId}/${ruleId}/${version}`;
      const known = versions.get(key);
      if (known) return known;
      const found = await findVersion(reader, accountId, ruleId, version);
      if (found) versions.set(key, found);
      return found;
    },
  };
}

/** They were checked when the rule was saved. */
export const compile = (
  { definitions }: Pick<AccountConfig, 'definitions'>,
  value: unknown,
  path: string,
): Conditions | null =>
  value === null || value === undefined
    ? null
    : new Conditions(value, path, { fieldOf: fieldOfAccount(definitions) });

export const evaluationOf = ({ definitions, directory }: AccountConfig): EvaluationContext => ({
  fieldOf: fieldOfAccount(definitions),
  isOpen(hoursId, at) {
    const hours = directory.hours.byId.get(hoursId);
    return hours ? isOpen(hours, at) : null;
  },
});
