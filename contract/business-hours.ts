/** When an account is open: named hours that channels, teams, rules and service levels refer to. */
import type { Static } from 'typebox';
import { limits } from './limits.ts';
import { Type } from './shapes/type.ts';
import { nullable } from './shapes/values.ts';
import { OpeningHours } from './widget/opening-hours.ts';

const Name = Type.String({ minLength: 1, maxLength: limits.nameLength });
const Names = Type.Record(Type.String(), Type.String({ maxLength: limits.nameLength }), {
  description: 'Of closed dates, such as `{ "2027-12-25": "Christmas" }`. Every key is one of `closedDates`.',
});

export const BusinessHours = Type.Object({
  id: Type.String(),
  name: Type.String(),
  isDefault: Type.Boolean({ description: 'Exactly one of an account is.' }),
  ...OpeningHours.properties,
  names: Names,
});
export type BusinessHours = Static<typeof BusinessHours>;

export const BusinessHoursCreate = Type.Object({
  name: Name,
  isDefault: Type.Optional(Type.Boolean({ description: 'True: the present default is no longer it.' })),
  timeZone: OpeningHours.properties.timeZone,
  week: OpeningHours.properties.week,
  closedDates: Type.Optional(OpeningHours.properties.closedDates),
  names: Type.Optional(Names),
});
export type BusinessHoursCreate = Static<typeof BusinessHoursCreate>;
export const BusinessHoursUpdate = Type.Partial(BusinessHoursCreate);
export type BusinessHoursUpdate = Static<typeof BusinessHoursUpdate>;

/** What refers to hours: the `usedBy` of a 409 `IN_USE`. */
export interface HoursUse {
  type: 'default' | 'channel' | 'team' | 'automation' | 'sla_policy';
  /** Null: the account's default. */
  id: string | null;
  name: string;
}

/** Of what refers to hours. */
export const HoursId = nullable(
  Type.String({ description: 'Business hours of the account; null: none of its own.' }),
);

export const HolidayCountries = Type.Object({
  items: Type.Array(Type.Object({ code: Type.String({ examples: ['BR'] }), name: Type.String() })),
});

export const HolidaysQuery = Type.Object({
  country: Type.String({ minLength: 2, maxLength: 2, description: 'ISO 3166-1.', examples: ['BR'] }),
  year: Type.Integer({ minimum: 2000, maximum: 2100, examples: [2027] }),
  language: Type.Optional(
    Type.String({
      minLength: 2,
      maxLength: 20,
      description: 'Of the names; the first of the country if it has no names in it.',
      examples: ['en'],
    }),
  ),
});
export const Holidays = Type.Object({
  items: Type.Array(Type.Object({ date: Type.String({ examples: ['2027-12-25'] }), name: Type.String() })),
});
export type Holidays = Static<typeof Holidays>;
