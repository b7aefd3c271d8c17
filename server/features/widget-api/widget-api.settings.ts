/** The settings of a channel's widget, and how a site names the channel. */
import { randomBytes } from 'node:crypto';
import type { WidgetSettings, WidgetSettingsUpdate } from '../../../contract/widget/widget.ts';
import type { WidgetLook } from '../../../contract/widget/widget-protocol.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { accountSuspended, badRequest, notFound } from '../../platform/http/errors.ts';
import { isId } from '../../platform/ids.ts';
import { sealedFor } from '../../platform/secrets/sealed-columns.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { type Actor, audit, differences, lockAccountConfig } from '../accounts/accounts.ts';
import {
  checkHours,
  checkHoursId,
  dropHoursOfChannel,
  isSameHours,
  requireHours,
  type UsesOfHours,
  writeHoursOfChannel,
} from '../business-hours/business-hours.ts';
import { setChannelHours } from '../channels/channels.ts';
import {
  findWidget,
  findWidgetByChannel,
  findWidgetByIdentifier,
  saveWidget,
  type Widget,
  type WidgetOffers,
} from './widget-api.settings.sql.ts';

export async function requireWidget(db: Reader, accountId: string, channelId: string): Promise<Widget> {
  const widget = isId(channelId) ? await findWidget(db, accountId, channelId) : null;
  if (!widget) throw notFound('channel');
  return widget;
}

/** Ids of this service are UUIDs of version 7. */
const channelIdForm = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;

/**
 * The channel of `?channel=`: by its id or, for sites that embedded it by name, by its identifier. Text in the format
 * of an id is only ever an id: otherwise the id of a deleted channel could be used as an identifier to get its visitors.
 */
export async function findWidgetOfSite(db: Reader, channel: string): Promise<Widget | null> {
  if (channel.includes('\0') || !channel.isWellFormed()) return null;
  const isIdOfChannel = isId(channel) && channelIdForm.test(channel);
  const widget = await (isIdOfChannel
    ? findWidgetByChannel(db, channel)
    : findWidgetByIdentifier(db, channel));
  if (widget?.isSuspended) throw accountSuspended();
  return widget;
}

export function toSettings(
  widget: Widget,
  { baseUrl, isMailConfigured }: { baseUrl: string; isMailConfigured: boolean },
): WidgetSettings {
  const { title, color, greeting, side, theme, language, allowedOrigins, identitySecret } = widget;
  return {
    title,
    color,
    greeting,
    side,
    theme,
    language,
    allowedOrigins,
    ...offersOf(widget),
    isMailConfigured,
    hasIdentitySecret: identitySecret !== null,
    scriptUrl: `${baseUrl}/widget.js?channel=${widget.channelId}`,
  };
}

function offersOf(widget: WidgetOffers): WidgetOffers {
  const { talkToPerson, askFor, askName, askEmail, hours, hoursId, awayMessage, aiHours } = widget;
  const { askRating, offerTranscript } = widget;
  return {
    talkToPerson,
    askFor,
    askName,
    askEmail,
    hours,
    hoursId,
    awayMessage,
    aiHours,
    askRating,
    offerTranscript,
  };
}

export function lookOf(widget: Widget): WidgetLook {
  const { channelId, title, color, greeting, side, theme, language } = widget;
  return { channel: channelId, title: title || widget.channelName, color, greeting, side, theme, language };
}

export async function changeWidget(
  tx: Tx,
  actor: Actor,
  now: number,
  channelId: string,
  change: WidgetSettingsUpdate,
  usesOfHours: readonly UsesOfHours[],
): Promise<Widget> {
  // One after the other: two changes of different settings must not undo each other.
  await lockAccountConfig(tx, actor.accountId);
  const before = await requireWidget(tx, actor.accountId, channelId);
  const after: Widget = {
    ...before,
    title: change.title?.trim() ?? before.title,
    color: change.color?.toLowerCase() ?? before.color,
    greeting: change.greeting?.trim() ?? before.greeting,
    side: change.side ?? before.side,
    theme: change.theme ?? before.theme,
    language: change.language ?? before.language,
    allowedOrigins: change.allowedOrigins ? checkOrigins(change.allowedOrigins) : before.allowedOrigins,
    ...changedOffers(before, change),
  };
  await saveWidget(tx, actor.accountId, after);
  const hoursId = await changedHours(tx, actor, now, before, change, usesOfHours);
  if (hoursId !== before.hoursId) {
    await setChannelHours(tx, actor.accountId, channelId, hoursId);
    await dropHoursOfChannel(tx, actor, now, channelOf(before), usesOfHours);
  }
  const { hours } = await requireWidget(tx, actor.accountId, channelId);
  Object.assign(after, { hours, hoursId });
  await audit(tx, actor, now, {
    action: 'widget.updated',
    target: { type: 'channel', id: channelId },
    changes: differences({ ...before, identitySecret: undefined }, { ...after, identitySecret: undefined }),
  });
  return after;
}

/** Null clears the hours; what is left out stays as it is. */
function changedOffers(before: WidgetOffers, change: WidgetSettingsUpdate): WidgetOffers {
  const after = offersOf({
    ...before,
    ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
  });
  return { ...after, awayMessage: after.awayMessage.trim() };
}

const channelOf = ({ channelId, channelName, hoursId }: Widget) => ({
  id: channelId,
  name: channelName,
  hoursId,
});

/** Both may be written together if they agree: a client may send back what it has read. */
async function changedHours(
  tx: Tx,
  actor: Actor,
  now: number,
  before: Widget,
  { hours, hoursId = before.hoursId }: WidgetSettingsUpdate,
  uses: readonly UsesOfHours[],
): Promise<string | null> {
  await checkHoursId(tx, actor.accountId, hoursId);
  if (hours === undefined) return hoursId;
  if (hoursId === before.hoursId) {
    if (hours === null) return null;
    return (await writeHoursOfChannel(tx, actor, now, channelOf(before), hours, uses)).id;
  }
  const named = hoursId === null ? null : await requireHours(tx, actor.accountId, hoursId);
  const agrees = hours && named ? isSameHours(checkHours(hours, 'hours.'), named) : hours === named;
  if (!agrees) throw badRequest('hours are not those of hoursId: set one of them');
  return hoursId;
}

/** The previous secret becomes invalid immediately, and with it every token that it issued. */
export async function rotateIdentitySecret(
  tx: Tx,
  actor: Actor,
  now: number,
  secrets: Secrets,
  channelId: string,
): Promise<string> {
  await lockAccountConfig(tx, actor.accountId);
  const before = await requireWidget(tx, actor.accountId, channelId);
  const secret = randomBytes(32).toString('hex');
  await saveWidget(tx, actor.accountId, {
    ...before,
    identitySecret: secrets.seal(secret, sealedFor.widgetIdentity(channelId)),
    identityGeneration: before.identityGeneration + 1,
  });
  await audit(tx, actor, now, {
    action: 'widget.secret_rotated',
    target: { type: 'channel', id: channelId },
  });
  return secret;
}

function checkOrigins(texts: readonly string[]): string[] {
  const origins = texts.map((text) => {
    const url = URL.parse(text.trim());
    const isOrigin =
      url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash;
    if (!isOrigin || url.username || url.password) {
      throw badRequest(
        `allowedOrigins: ${text.slice(0, 100)} is not an origin such as https://www.example.com`,
      );
    }
    return url.origin;
  });
  return [...new Set(origins)];
}

/** The service's own pages are always allowed: the settings show a preview of the widget. */
export function allowsOrigin(
  { allowedOrigins }: Pick<Widget, 'allowedOrigins'>,
  origin: string | undefined,
  ownOrigins: readonly string[],
): boolean {
  if (allowedOrigins.length === 0) return true;
  return origin !== undefined && (allowedOrigins.includes(origin) || ownOrigins.includes(origin));
}
