/** What the steps of a macro or a rule work on: who acts, the conversation, its card and the account's configuration. */
import type { CrmRecord } from '../../../contract/crm/records.ts';
import type { LanguageName } from '../../../contract/limits.ts';
import type { Session } from '../../../contract/messaging/sessions.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { AppError } from '../../platform/http/errors.ts';
import { may, type RuleActor, type UserActor } from '../accounts/accounts.ts';
import type { AccountConfig, AccountConfigCache } from '../channels/channels.ts';
import type { Registry } from '../connectors/connectors.ts';
import { requireRecord } from '../records/records.ts';
import { requireOpenSession, requireSession } from '../sessions/sessions.ts';

/** What placeholders of a rule may name besides the conversation and its card. */
export interface StepValues {
  /** The JSON that a hook was called with. */
  payload?: unknown;
  /** The answers of calls, by the id of their step. */
  steps?: { readonly [stepId: string]: unknown };
}

export interface Scene {
  actor: UserActor | RuleActor;
  now: number;
  /** The boards that the actor may see; null: all. */
  visible: string[] | null;
  config: AccountConfig;
  providers: Registry;
  /** Null: what the rule runs for has none. */
  session: Session | null;
  /** The card of the conversation, or what the rule runs for, as the steps so far have left it. */
  record: CrmRecord | null;
  language: LanguageName;
  timeZone: string;
  values: StepValues;
}

export interface SceneInput extends Pick<Scene, 'actor' | 'now' | 'visible' | 'providers'> {
  accountConfig: AccountConfigCache;
  language?: LanguageName;
  timeZone?: string;
  values?: StepValues;
}

interface ScenePlace {
  sessionId: string | null;
  /** Left out: the card of the conversation. */
  recordId?: string | null;
}

/** The conversation is locked before the configuration, and that before records, as everywhere. */
export async function withScene<T>(
  tx: Tx,
  { accountConfig, language, timeZone = 'UTC', values = {}, ...input }: SceneInput,
  { sessionId, recordId }: ScenePlace,
  run: (scene: Scene) => Promise<T>,
): Promise<T> {
  const { actor, visible } = input;
  if (sessionId !== null) await requireOpenSession(tx, actor, visible, sessionId);
  return accountConfig.withAccountConfig(tx, actor.accountId, async (config) => {
    const session = sessionId === null ? null : await requireSession(tx, actor, visible, sessionId);
    const id = recordId === undefined ? (session?.recordId ?? null) : recordId;
    const record = await findCard(tx, input, id);
    const shown = { language: language ?? config.definitions.language, timeZone };
    return run({ ...input, ...shown, values, config, session, record });
  });
}

/** Null: there is none, or the actor may not see it. */
export async function findCard(
  db: Reader,
  { actor, visible }: Pick<Scene, 'actor' | 'visible'>,
  recordId: string | null,
): Promise<CrmRecord | null> {
  if (recordId === null || !may(actor, 'records.view')) return null;
  try {
    return await requireRecord(db, actor, visible, recordId);
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return null;
    throw error;
  }
}
