/** Roles of an account: the two built-in ones, and those that its administrators make. */
import type { Static } from 'typebox';
import { limits, roles, scopes } from '../limits.ts';
import { Type } from '../shapes/type.ts';
import { choice, nullable } from '../shapes/values.ts';
import {
  type PermissionGroup,
  type Permission as PermissionName,
  permissionGroups,
  permissions,
} from './permissions.ts';

export const Permission = Type.Unsafe<PermissionName>(choice(permissions));

const PermissionInfo = Type.Object({
  name: Permission,
  group: Type.Unsafe<PermissionGroup>(choice(permissionGroups)),
  needs: nullable(
    Type.Unsafe<PermissionName>({
      ...choice(permissions),
      description: 'A role that has the permission must have this one too.',
    }),
  ),
  scope: Type.Unsafe<(typeof scopes)[number]>({
    ...choice(scopes),
    description: 'What an API token needs beside it.',
  }),
});
export const PermissionList = Type.Object({ items: Type.Array(PermissionInfo) });

export const Role = Type.Object({
  id: Type.String({ description: '`admin` and `operator` are the built-in roles.' }),
  name: Type.String(),
  description: Type.String(),
  isBuiltIn: Type.Boolean({ description: 'Built-in roles cannot be changed.' }),
  permissions: Type.Array(Permission),
  userCount: Type.Integer({ description: 'How many users have it.' }),
  createdAt: nullable(Type.Number({ description: 'Null for built-in roles.' })),
  updatedAt: nullable(Type.Number()),
});
export type Role = Static<typeof Role>;
export const RoleList = Type.Object({ items: Type.Array(Role) });

const RoleNameText = Type.String({
  minLength: 1,
  maxLength: limits.nameLength,
  description: `Unique in the account, without regard to case. Neither ${roles.join(' nor ')}.`,
});
const Description = Type.String({ maxLength: limits.roleDescription });
const Permissions = Type.Array(Permission, {
  uniqueItems: true,
  maxItems: permissions.length,
  examples: [['records.view', 'conversations.view']],
});
export const RoleCreate = Type.Object({
  name: RoleNameText,
  description: Type.Optional(Description),
  permissions: Permissions,
});
export type RoleCreate = Static<typeof RoleCreate>;
export const RoleUpdate = Type.Partial(RoleCreate);
export type RoleUpdate = Static<typeof RoleUpdate>;
export const RoleDeleteQuery = Type.Object({
  replacement: Type.Optional(
    Type.String({
      description:
        'The role that its users and invitations get: an id, or `operator`. Required while somebody has the role.',
    }),
  ),
});

/** Of a user: beside `role`, which stays `admin` or `operator`. */
export const RoleId = nullable(
  Type.String({
    description:
      'The role of the account that the user has (GET /roles). Null: the built-in role in `role`. With one, `role` is `operator`.',
  }),
);
