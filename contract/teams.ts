import type { Static } from 'typebox';
import { HoursId } from './business-hours.ts';
import { limits } from './limits.ts';
import { Type } from './shapes/type.ts';

const Name = Type.String({ minLength: 1, maxLength: limits.nameLength });
const UserIds = Type.Array(Type.String(), { maxItems: limits.teamMembers, uniqueItems: true });

export const Team = Type.Object({
  id: Type.String(),
  name: Type.String(),
  userIds: Type.Array(Type.String(), { description: 'Its members.' }),
  hoursId: HoursId,
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
});
export type Team = Static<typeof Team>;

export const TeamCreate = Type.Object({
  name: Name,
  userIds: Type.Optional(UserIds),
  hoursId: Type.Optional(HoursId),
});
export type TeamCreate = Static<typeof TeamCreate>;
export const TeamUpdate = Type.Partial(TeamCreate);
export type TeamUpdate = Static<typeof TeamUpdate>;
