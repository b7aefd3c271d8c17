/** Ways to sign in, invitations and links that are used once. */
import type { Static } from 'typebox';
import { Email, Name, Password, RoleName } from '../accounts.ts';
import { RoleId } from '../roles/roles.ts';
import { Type } from '../shapes/type.ts';
import { choice, nullable } from '../shapes/values.ts';

/** Where the provider sends people back to, below PUBLIC_URL. */
export const oidcCallbackPath = '/auth/oidc/callback';

export const SignInMethods = Type.Object({
  password: Type.Boolean({ description: 'Whether people can sign in with a password.' }),
  passwordReset: Type.Boolean({
    description: 'Whether a link for a new password can be requested. Otherwise an administrator creates it.',
  }),
  provider: nullable(
    Type.Object({
      name: Type.String(),
      url: Type.String({
        description:
          'The path to open in a browser. `next` in its query is where the dashboard goes afterwards.',
      }),
    }),
  ),
});
export type SignInMethods = Static<typeof SignInMethods>;

/** What became of the e-mail: it waits, the mail server accepted it, it is tried again, or it never will be sent. */
const invitationMailStatuses = ['sending', 'sent', 'delayed', 'failed'] as const;
export type InvitationMailStatus = (typeof invitationMailStatuses)[number];

export const Invitation = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: RoleName,
  roleId: RoleId,
  invitedBy: Type.Object({ id: Type.String(), name: Type.String() }),
  createdAt: Type.Number(),
  sentAt: Type.Number({ description: 'When the link that is valid now was created.' }),
  expiresAt: Type.Number({ description: '7 days after `sentAt`.' }),
  isMailed: Type.Boolean({ description: 'Whether the link goes to the person by e-mail.' }),
  mailStatus: nullable(
    choice(invitationMailStatuses, {
      description:
        'What became of the e-mail: `sent` if the mail server accepted it, `delayed` if it is tried again, `failed` if it was refused or tried too often. Null without an e-mail.',
    }),
  ),
  mailProblem: nullable(
    Type.String({ description: 'Why the e-mail is delayed or has failed, in the words of the mail server.' }),
  ),
});
export type Invitation = Static<typeof Invitation>;
export const InvitationCreate = Type.Object({
  email: Email,
  role: RoleName,
  roleId: Type.Optional(RoleId),
});
export const InvitationSent = Type.Object({
  ...Invitation.properties,
  link: nullable(
    Type.String({
      description: 'Shown only once, and only if no e-mail is sent: pass it on to the person.',
    }),
  ),
});
export type InvitationSent = Static<typeof InvitationSent>;

const LinkToken = Type.String({ maxLength: 200, description: 'What follows # in the link.' });
export const LinkBody = Type.Object({ token: LinkToken });
export const ProviderStart = Type.Object({ invitation: LinkToken });
export const ProviderAddress = Type.Object({ url: Type.String() });
export type ProviderAddress = Static<typeof ProviderAddress>;
export const InvitationInfo = Type.Object({
  email: Type.String(),
  role: RoleName,
  accountName: Type.String(),
  invitedBy: Type.String(),
  expiresAt: Type.Number(),
});
export type InvitationInfo = Static<typeof InvitationInfo>;
export const InvitationAccept = Type.Object({ token: LinkToken, name: Name, password: Password });
export const InvitationAccepted = Type.Object({ email: Type.String() });

export const PasswordResetRequest = Type.Object({ email: Type.String({ maxLength: 320 }) });
export const PasswordResetConfirm = Type.Object({ token: LinkToken, password: Password });
export const PasswordResetLink = Type.Object({
  link: Type.String({ description: 'Shown only once. Pass it on to the user.' }),
  expiresAt: Type.Number(),
});
