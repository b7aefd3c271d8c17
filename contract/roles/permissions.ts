/** The named permissions that roles are made of. Without schemas: the dashboard reads this without TypeBox. */
import { isManagingScope, type Role, type Scope } from '../limits.ts';

export const permissionGroups = [
  'records',
  'conversations',
  'knowledge',
  'reports',
  'settings',
  'people',
] as const;
export type PermissionGroup = (typeof permissionGroups)[number];

/**
 * `scope`: what a token needs beside it. Permissions with a managing scope are the rights of administrators, all others
 * those of operators. `needs`: a role that has the permission must have this one too.
 */
const list = [
  { name: 'records.view', group: 'records', scope: 'crm:read', needs: null },
  { name: 'records.edit', group: 'records', scope: 'crm:write', needs: 'records.view' },
  { name: 'records.delete', group: 'records', scope: 'crm:write', needs: 'records.view' },
  { name: 'records.export', group: 'records', scope: 'crm:read', needs: 'records.view' },
  { name: 'records.import', group: 'records', scope: 'crm:write', needs: 'records.edit' },
  { name: 'conversations.view', group: 'conversations', scope: 'messages:read', needs: null },
  {
    name: 'conversations.reply',
    group: 'conversations',
    scope: 'messages:write',
    needs: 'conversations.view',
  },
  { name: 'notes.write', group: 'conversations', scope: 'notes:write', needs: 'conversations.view' },
  { name: 'contacts.edit', group: 'conversations', scope: 'messages:write', needs: 'conversations.view' },
  { name: 'contacts.block', group: 'conversations', scope: 'contacts:block', needs: null },
  { name: 'knowledge.view', group: 'knowledge', scope: 'knowledge:read', needs: null },
  { name: 'knowledge.manage', group: 'knowledge', scope: 'knowledge:write', needs: 'knowledge.view' },
  { name: 'reports.view', group: 'reports', scope: 'crm:read', needs: null },
  { name: 'audit.view', group: 'reports', scope: 'manage', needs: null },
  { name: 'boards.manage', group: 'settings', scope: 'manage', needs: null },
  { name: 'fields.manage', group: 'settings', scope: 'manage', needs: null },
  { name: 'labels.manage', group: 'settings', scope: 'manage', needs: null },
  { name: 'shared.manage', group: 'settings', scope: 'manage', needs: null },
  { name: 'channels.manage', group: 'settings', scope: 'manage', needs: null },
  { name: 'agents.manage', group: 'settings', scope: 'manage', needs: null },
  { name: 'agents.force_publish', group: 'settings', scope: 'manage', needs: 'agents.manage' },
  { name: 'automation.manage', group: 'settings', scope: 'manage', needs: null },
  { name: 'webhooks.manage', group: 'settings', scope: 'manage', needs: null },
  { name: 'account.manage', group: 'settings', scope: 'manage', needs: null },
  { name: 'users.manage', group: 'people', scope: 'manage', needs: null },
  { name: 'tokens.manage', group: 'people', scope: 'manage', needs: null },
  { name: 'security.manage', group: 'people', scope: 'manage', needs: null },
  { name: 'privacy.manage', group: 'people', scope: 'manage', needs: null },
] as const satisfies readonly {
  name: string;
  group: PermissionGroup;
  scope: Scope;
  needs: string | null;
}[];

export type Permission = (typeof list)[number]['name'];

export interface PermissionRule {
  name: Permission;
  group: PermissionGroup;
  scope: Scope;
  needs: Permission | null;
}

export const permissionRules: readonly PermissionRule[] = list;
export const permissions: readonly Permission[] = list.map(({ name }) => name);

export const scopeOfPermission = Object.fromEntries(list.map(({ name, scope }) => [name, scope])) as Record<
  Permission,
  Scope
>;

/** The rights of the built-in roles. */
export const permissionsOfRole: Readonly<Record<Role, readonly Permission[]>> = {
  admin: permissions,
  operator: list.filter(({ scope }) => !isManagingScope(scope)).map(({ name }) => name),
};
