/**
 * Conditions on conversations as SQL. PostgreSQL cannot decide everything as the service does: the language of messages,
 * and texts with letters outside ASCII, whose folding is the service's own. So there are two conditions: what may match,
 * and what does. Parts are negated one by one, never groups, so both follow from those of the parts.
 */
import type { ConditionFieldName } from '../../../contract/conditions.ts';
import { join, type Sql, sql } from '../../platform/db/sql.ts';
import { isId } from '../../platform/ids.ts';
import { foldText, type Leaf, type NumberRange } from '../search/search.ts';
import type { ConditionPart, Conditions, ConditionTree } from './conditions.read.ts';
import { waitingSince } from './conditions.sql.ts';

export interface ConversationsWhere {
  /** Of the conversation `s`: everything that may match. */
  possible: Sql;
  /** What certainly matches; the rest of what is possible is to be evaluated. */
  certain: Sql;
  /** Whether the two are the same. */
  isExact: boolean;
}

type Bounds = Pick<ConversationsWhere, 'possible' | 'certain'>;

/** How the values of a field are found. A text or a list of texts is tested where it is. */
type Place =
  | { type: 'ids' | 'texts'; value: Sql }
  | { type: 'idList'; value: Sql }
  | { type: 'number'; value: Sql }
  | { type: 'boolean'; value: Sql }
  | Linked
  | { type: 'tested'; some(test: (value: Sql) => Sql): Sql };

/** A value in another table, where it is tested once for all conversations and not for each. */
interface Linked {
  type: 'linked';
  kind: 'texts' | 'number';
  some(accountId: string, test: (value: Sql) => Sql): Sql;
}

const contact = sql`contacts c where c.account_id = s.account_id and c.id = s.contact_id`;
const identifiers = (kind: 'email' | 'phone'): Place => ({
  type: 'tested',
  some: (test) => sql`exists (select from contact_identifiers i join contacts c
    on c.account_id = i.account_id and c.id = i.contact_id
    where i.account_id = s.account_id and i.contact_id = s.contact_id and i.kind = ${kind}::text
      and ${test(sql`i.value`)})`,
});

const minuteMs = 60_000;
const waitingMinutes = (at: number): Place => ({
  type: 'number',
  value: sql`((${at}::bigint - ${waitingSince})::float8 / ${minuteMs}::float8)`,
});

/** Those that are left out are not decided here. */
const places: { [field in ConditionFieldName]?: Place } = {
  'session.status': { type: 'texts', value: sql`s.status` },
  'session.channelId': { type: 'ids', value: sql`s.channel_id` },
  'session.channelType': {
    type: 'linked',
    kind: 'texts',
    some: (accountId, test) => sql`s.channel_id = any(array(
      select h.id from channels h where h.account_id = ${accountId} and ${test(sql`h.type`)}))`,
  },
  'session.agentId': { type: 'ids', value: sql`s.agent_id` },
  'session.assignedUserId': { type: 'ids', value: sql`s.assigned_user_id` },
  'session.teamId': { type: 'ids', value: sql`s.team_id` },
  'session.labelIds': { type: 'idList', value: sql`s.label_ids` },
  'session.aiPaused': { type: 'boolean', value: sql`s.ai_paused` },
  'session.unread': { type: 'number', value: sql`s.unread` },
  'session.createdAt': { type: 'number', value: sql`s.created_at` },
  'session.lastMessageAt': { type: 'number', value: sql`s.last_message_at` },
  'session.rating': {
    type: 'linked',
    kind: 'number',
    some: (accountId, test) => sql`s.session_id in (
      select r.session_id from (
        select distinct on (session_id) session_id, score from session_ratings
        where account_id = ${accountId} order by session_id, resolved_at desc) r
      where ${test(sql`r.score`)})`,
  },
  'contact.name': {
    type: 'tested',
    some: (test) => sql`exists (select from ${contact} and c.name <> '' and ${test(sql`c.name`)})`,
  },
  'contact.email': identifiers('email'),
  'contact.phone': identifiers('phone'),
  'contact.blocked': {
    type: 'number',
    value: sql`(select exists (select from contact_blocks b
      where b.account_id = c.account_id and b.contact_id = c.id)::int from ${contact})`,
  },
  'contact.sessionCount': {
    type: 'number',
    value: sql`(case when s.contact_id is not null then (select count(*) from sessions o
      where o.account_id = s.account_id and o.contact_id = s.contact_id) end)`,
  },
  'contact.createdAt': { type: 'number', value: sql`(select c.created_at from ${contact})` },
  'contact.labelIds': { type: 'idList', value: sql`'{}'::uuid[]` },
};

/** Conditions of conversations `s` at this time. */
export function conversationsWhere(
  accountId: string,
  conditions: Conditions,
  at: number,
  isOpen: (hoursId: string, at: number) => boolean | null,
): ConversationsWhere {
  let isExact = true;
  const boundsOf = (tree: ConditionTree): Bounds => {
    if (!('and' in tree || 'or' in tree)) {
      const part = boundsOfPart(tree);
      isExact &&= part.possible === part.certain;
      return part;
    }
    const parts = ('and' in tree ? tree.and : tree.or).map(boundsOf);
    const both = (side: keyof Bounds) =>
      sql`(${join(
        parts.map((part) => part[side]),
        'and' in tree ? ' and ' : ' or ',
      )})`;
    return { possible: both('possible'), certain: both('certain') };
  };
  const boundsOfPart = (part: ConditionPart): Bounds => {
    if (part.test === 'hours') return same(isOpen(part.hoursId, at) === part.isOpen ? always : never);
    if (part.test === 'pattern') return undecided;
    const place =
      part.field === 'session.waitingMinutes' ? waitingMinutes(at) : places[part.field as ConditionFieldName];
    if (!place) return undecided;
    const { possible, certain } = boundsOfLeaf(accountId, place, part);
    if (!part.isNegated) return { possible, certain };
    const opposite = (one: Sql) => sql`(${one}) is not true`;
    const unlikely = opposite(certain);
    return { possible: unlikely, certain: possible === certain ? unlikely : opposite(possible) };
  };
  return { ...boundsOf(conditions.at(at)), isExact };
}

const always = sql`true`;
const never = sql`false`;
const undecided: Bounds = { possible: always, certain: never };
const same = (condition: Sql): Bounds => ({ possible: condition, certain: condition });

function boundsOfLeaf(accountId: string, place: Place, leaf: Leaf): Bounds {
  if (place.type === 'linked') return same(ofLinked(accountId, place, leaf));
  switch (leaf.test) {
    case 'isEmpty':
      return same(isEmpty(place));
    case 'hasAny':
      return same(hasAny(place, leaf.values));
    case 'hasAll':
      return same(hasAll(place, leaf.values));
    case 'inRanges':
      if (place.type === 'boolean') return same(isTrueOrFalse(place.value, leaf.ranges));
      return same(place.type === 'number' ? inRanges(place.value, leaf.ranges) : never);
    case 'text': {
      if (place.type !== 'tested') return same(never);
      const values = leaf.values.map(foldText);
      const matches = (value: Sql) => matchesAscii(value, leaf.operator, values);
      return {
        possible: place.some((value) => sql`(${isBeyondAscii(value)} or ${matches(value)})`),
        certain: place.some((value) => sql`(not ${isBeyondAscii(value)} and ${matches(value)})`),
      };
    }
  }
}

function ofLinked(accountId: string, { kind, some }: Linked, leaf: Leaf): Sql {
  if (leaf.test === 'isEmpty') return sql`not ${some(accountId, () => always)}`;
  if (leaf.test === 'inRanges' && kind === 'number') {
    return some(accountId, (value) => inRanges(value, leaf.ranges));
  }
  if (leaf.test !== 'hasAny' || kind !== 'texts') return never;
  return some(accountId, (value) => isOneOf(value, leaf.values, 'text'));
}

/** A single value as such: indexes are found by it, and read in their order. */
function isOneOf(value: Sql, values: readonly string[], type: 'text' | 'uuid'): Sql {
  const [only, ...more] = values;
  if (type === 'text') {
    return only !== undefined && more.length === 0
      ? sql`${value} = ${only}::text`
      : sql`${value} = any(${values}::text[])`;
  }
  return only !== undefined && more.length === 0
    ? sql`${value} = ${only}::uuid`
    : sql`${value} = any(${values}::uuid[])`;
}

function isEmpty(place: Exclude<Place, Linked>): Sql {
  if (place.type === 'tested') return sql`not ${place.some(() => always)}`;
  return place.type === 'idList' ? sql`${place.value} = '{}'` : sql`${place.value} is null`;
}

function hasAny(place: Exclude<Place, Linked>, values: readonly string[]): Sql {
  if (place.type === 'texts') return isOneOf(place.value, values, 'text');
  const ids = values.filter(isId);
  if (place.type === 'ids') return isOneOf(place.value, ids, 'uuid');
  return place.type === 'idList' ? withLabels(place.value, sql`${place.value} && ${ids}::uuid[]`) : never;
}

function hasAll(place: Exclude<Place, Linked>, values: readonly string[]): Sql {
  if (place.type !== 'idList' || !values.every(isId)) return never;
  return withLabels(place.value, sql`${place.value} @> ${values}::uuid[]`);
}

/** The index on labels has only conversations that have some. */
const withLabels = (value: Sql, test: Sql): Sql => sql`(${value} <> '{}' and ${test})`;

/** As the column itself: an expression would hide from the planner how many conversations have it. */
function isTrueOrFalse(value: Sql, ranges: readonly NumberRange[]): Sql {
  const wanted = [1, 0].filter((one) => ranges.some(({ from, to }) => from <= one && one <= to));
  if (wanted.length !== 1) return wanted.length === 0 ? never : always;
  return wanted[0] === 1 ? value : sql`not ${value}`;
}

/** Whole numbers as such, for the same reason: compared with a fraction, a column is converted first. */
const numeric = (value: number): Sql =>
  Number.isSafeInteger(value) ? sql`${value}::bigint` : sql`${value}::float8`;

function inRanges(value: Sql, ranges: readonly NumberRange[]): Sql {
  const exact = ranges.filter(({ from, to }) => from === to).map(({ from }) => from);
  const others = ranges
    .filter(({ from, to }) => from !== to)
    .map(({ from, to, isFromOpen, isToOpen }) => {
      const after = isFromOpen ? sql`${value} > ${numeric(from)}` : sql`${value} >= ${numeric(from)}`;
      const before = isToOpen ? sql`${value} < ${numeric(to)}` : sql`${value} <= ${numeric(to)}`;
      if (to === Infinity) return after;
      return from === -Infinity ? before : sql`(${after} and ${before})`;
    });
  const all = exact.length > 0 ? [sql`${value} = any(${exact}::float8[])`, ...others] : others;
  return sql`(${join(all, ' or ')})`;
}

const isBeyondAscii = (value: Sql) => sql`(octet_length(${value}) <> char_length(${value}))`;

/** Of a text in ASCII, whose folding is its lower case in any locale. */
function matchesAscii(value: Sql, operator: (Leaf & { test: 'text' })['operator'], values: string[]): Sql {
  const folded = sql`lower(${value} collate "C")`;
  if (operator === 'is') return sql`${folded} = any(${values}::text[])`;
  const [wanted] = values;
  return operator === 'contains'
    ? sql`strpos(${folded}, ${wanted}::text) > 0`
    : sql`starts_with(${folded}, ${wanted}::text)`;
}
