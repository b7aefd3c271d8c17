import type { WidgetSettings } from '../../../contract/widget/widget.ts';
import type { WidgetLook } from '../../../contract/widget/widget-protocol.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { isActive } from '../../platform/jobs/suspended.ts';

/** What the widget offers besides the chat itself. */
export type WidgetOffers = Pick<
  WidgetSettings,
  | 'talkToPerson'
  | 'askFor'
  | 'askName'
  | 'askEmail'
  | 'hours'
  | 'hoursId'
  | 'awayMessage'
  | 'aiHours'
  | 'askRating'
  | 'offerTranscript'
>;

/** A channel from its widget's point of view. */
export interface Widget extends Omit<WidgetLook, 'channel'>, WidgetOffers {
  accountId: string;
  channelId: string;
  identifier: string;
  channelName: string;
  defaultAgentId: string;
  allowedOrigins: string[];
  /** Sealed. */
  identitySecret: string | null;
  identityGeneration: number;
  isSuspended: boolean;
}

const columns = sql`c.account_id as "accountId", c.id as "channelId", c.identifier, c.name as "channelName",
  c.default_agent_id as "defaultAgentId",
  coalesce(w.title, '') as title, coalesce(w.color, '#5059d1') as color, coalesce(w.greeting, '') as greeting,
  coalesce(w.side, 'right') as side, coalesce(w.theme, 'auto') as theme, coalesce(w.language, 'auto') as language,
  coalesce(w.allowed_origins, '{}') as "allowedOrigins", w.identity_secret as "identitySecret",
  coalesce(w.identity_generation, 0) as "identityGeneration", not ${isActive(sql`c.account_id`)} as "isSuspended",
  coalesce(w.talk_to_person, false) as "talkToPerson", coalesce(w.ask_for, 'off') as "askFor",
  coalesce(w.ask_name, 'optional') as "askName", coalesce(w.ask_email, 'required') as "askEmail",
  c.hours_id as "hoursId", case when h.id is null then null else json_build_object('timeZone', h.time_zone,
    'week', h.week, 'closedDates', h.closed_dates) end as hours,
  coalesce(w.away_message, '') as "awayMessage", coalesce(w.ai_hours, 'always') as "aiHours",
  coalesce(w.ask_rating, false) as "askRating", coalesce(w.offer_transcript, false) as "offerTranscript"`;
const tables = sql`channels c left join widget_settings w on w.account_id = c.account_id and w.channel_id = c.id
  left join business_hours h on h.account_id = c.account_id and h.id = c.hours_id`;

export async function findWidget(db: Reader, accountId: string, channelId: string): Promise<Widget | null> {
  return first(db, sql`c.account_id = ${accountId} and c.id = ${channelId}`);
}

/** For the widget itself: only if the channel is one for websites. */
export async function findWebWidget(
  db: Reader,
  accountId: string,
  channelId: string,
): Promise<Widget | null> {
  return first(db, sql`c.type = 'web' and c.account_id = ${accountId} and c.id = ${channelId}`);
}

/** A site's request names no account; channel ids are unique in the instance. */
export async function findWidgetByChannel(db: Reader, channelId: string): Promise<Widget | null> {
  return first(db, sql`c.type = 'web' and c.id = ${channelId}`);
}

/**
 * Only the channel that first used the identifier on this instance, and only while it still does. Any other channel
 * of that name could take over the visitors of sites that embed the first one.
 */
export async function findWidgetByIdentifier(db: Reader, identifier: string): Promise<Widget | null> {
  return first(
    db,
    sql`c.type = 'web' and c.identifier = ${identifier} and (c.account_id, c.id) = (
      select i.account_id, i.channel_id from web_identifiers i
      where i.identifier = ${identifier} and i.retired_at is null)`,
  );
}

async function first(db: Reader, condition: Sql): Promise<Widget | null> {
  const [row] = await db.query<Widget>(sql`select ${columns} from ${tables} where ${condition} limit 1`);
  return row ?? null;
}

export async function saveWidget(
  tx: Tx,
  accountId: string,
  widget: Omit<
    Widget,
    'accountId' | 'identifier' | 'channelName' | 'defaultAgentId' | 'isSuspended' | 'hours' | 'hoursId'
  >,
): Promise<void> {
  const { channelId, title, color, greeting, side, theme, language } = widget;
  const { allowedOrigins, identitySecret, identityGeneration } = widget;
  const { talkToPerson, askFor, askName, askEmail, awayMessage, aiHours } = widget;
  const { askRating, offerTranscript } = widget;
  await tx.query(sql`
    insert into widget_settings (account_id, channel_id, title, color, greeting, side, theme, language,
      allowed_origins, identity_secret, identity_generation, talk_to_person, ask_for, ask_name, ask_email,
      away_message, ai_hours, ask_rating, offer_transcript)
    values (${accountId}, ${channelId}, ${title}, ${color}, ${greeting}, ${side}, ${theme}, ${language},
      ${allowedOrigins}::text[], ${identitySecret}, ${identityGeneration}, ${talkToPerson}, ${askFor}, ${askName},
      ${askEmail}, ${awayMessage}, ${aiHours}, ${askRating},
      ${offerTranscript})
    on conflict (account_id, channel_id) do update set title = excluded.title, color = excluded.color,
      greeting = excluded.greeting, side = excluded.side, theme = excluded.theme, language = excluded.language,
      allowed_origins = excluded.allowed_origins, identity_secret = excluded.identity_secret,
      identity_generation = excluded.identity_generation, talk_to_person = excluded.talk_to_person,
      ask_for = excluded.ask_for, ask_name = excluded.ask_name, ask_email = excluded.ask_email,
      away_message = excluded.away_message, ai_hours = excluded.ai_hours,
      ask_rating = excluded.ask_rating, offer_transcript = excluded.offer_transcript`);
}
