/** The account of what names none, as each database knows it. */
import { type Sql, sql } from './platform/db/sql.ts';
import { isId } from './platform/ids.ts';
import { sha256 } from './platform/secrets/secrets.ts';

export type LookedUp = 'token' | 'cookie' | 'ticket' | 'inbox' | 'channel' | 'help' | 'hook';

/** `since`: of several cells the one that used the value first counts. */
export const lookUps: { [kind in LookedUp]: (value: string) => Sql } = {
  token: (value) => sql`
    select account_id as "accountId", 0 as since from api_tokens where token_hash = ${sha256(value)}`,
  cookie: (value) => sql`
    select account_id as "accountId", 0 as since from user_sessions
    where family_hash = ${sha256(value.split('.', 1)[0]!)} or refresh_hash = ${sha256(value)}
      or previous_refresh_hash = ${sha256(value)}`,
  ticket: (value) => sql`
    select account_id as "accountId", 0 as since from live_tickets where ticket_hash = ${sha256(value)}`,
  inbox: (value) => sql`
    select account_id as "accountId", 0 as since from webhook_inboxes where key = ${value}`,
  hook: (value) => sql`
    select account_id as "accountId", 0 as since from automations where hook_hash = ${sha256(value)}`,
  help: (value) => sql`select account_id as "accountId", 0 as since from help_slugs where slug = ${value}`,
  channel: (value) =>
    isId(value)
      ? sql`select account_id as "accountId", 0 as since from channels where id = ${value}`
      : sql`select account_id as "accountId", first_used_at as since from web_identifiers where identifier = ${value}`,
};
