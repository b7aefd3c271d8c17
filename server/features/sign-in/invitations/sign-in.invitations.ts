/** Invitations: a link for one e-mail address and one role. Following it creates a user of the account. */
import { randomUUID } from 'node:crypto';
import type { User } from '../../../../contract/accounts.ts';
import { limits, type Role } from '../../../../contract/limits.ts';
import { pageSize } from '../../../../contract/shapes/paging.ts';
import type { Invitation, InvitationInfo, InvitationSent } from '../../../../contract/sign-in/sign-in.ts';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { conflict, notFound } from '../../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../../platform/http/page-token.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { jobKind } from '../../../platform/jobs/job-kinds.ts';
import { enqueue } from '../../../platform/jobs/jobs.ts';
import { type Secrets, sha256 } from '../../../platform/secrets/secrets.ts';
import {
  type Actor,
  audit,
  checkEmail,
  checkPassword,
  chooseRole,
  createUser,
  differences,
  findAccount,
  findUserIds,
  hashPassword,
  type InvitationsOfRole,
  lockToManage,
  requireActive,
  requireToCoverRole,
  systemActor,
} from '../../accounts/accounts.ts';
import { accountOfLink, linkAddress, linkEnded, newLinkToken } from '../links/sign-in.links.ts';
import { type ResetSettings, requirePasswords } from '../links/sign-in.password-reset.ts';
import {
  countInvitations,
  countInvitationsWithRole,
  deleteInvitation,
  expireInvitationsOfRole,
  findInvitation,
  findInvitationByToken,
  insertInvitation,
  renewInvitation,
  selectInvitations,
  takeInvitation,
  updateInvitationRoles,
} from './sign-in.invitations.sql.ts';

export const invitationMailJobKind = jobKind('invitation-mail');
const lifetimeMs = 7 * 86_400_000;
/** Longer than servers that greylist want to wait. */
export const invitationMailAttempts = 12;
const maxOpen = 500;

export interface InvitationDeps {
  secrets: Secrets;
  config: ResetSettings & { publicUrl: string };
}

export async function invite(
  tx: Tx,
  deps: InvitationDeps,
  actor: Actor,
  now: number,
  input: { email: string; role: Role; roleId?: string | null },
): Promise<InvitationSent> {
  const email = checkEmail(input.email, 'email');
  const choice = { role: input.role, roleId: input.roleId ?? null };
  const { role, roleId } = await chooseRole(tx, await lockToManage(tx, actor), choice, 'invite');
  const { accountId } = actor;
  // Only of this account: whether another one has the address is not for its administrators to know.
  if ((await findUserIds(tx, accountId, [email])).size > 0) throw conflict('email is already in use');
  if ((await countInvitations(tx, accountId)) >= maxOpen) {
    throw conflict(`an account can have at most ${maxOpen} open invitations`);
  }
  const token = newLinkToken(accountId);
  const invitation = await insertInvitation(tx, accountId, {
    id: newId(now),
    email,
    role,
    roleId,
    invitedBy: { id: actor.id, name: actor.name },
    tokenHash: sha256(token),
    isMailed: deps.config.mail !== null,
    now,
    expiresAt: now + lifetimeMs,
  });
  if (!invitation) throw conflict('this address is already invited: send the invitation again instead');
  await audit(tx, actor, now, {
    action: 'invitation.created',
    target: { type: 'invitation', id: invitation.id },
    changes: differences({}, { email, role, ...(roleId && { roleId }) }),
  });
  return deliver(tx, deps, accountId, invitation, token);
}

/** `by`: a link is for the administrator to pass on, also where e-mail is sent. The server may have refused it. */
export async function renewLink(
  tx: Tx,
  deps: InvitationDeps,
  actor: Actor,
  now: number,
  { id, by }: { id: string; by: 'mail' | 'link' },
): Promise<InvitationSent> {
  const { accountId } = actor;
  const caller = await lockToManage(tx, actor);
  const before = await requireInvitation(tx, accountId, id);
  await chooseRole(tx, caller, before, 'invite');
  const token = newLinkToken(accountId);
  const isMailed = by === 'mail' && deps.config.mail !== null;
  const invitation = await renewInvitation(tx, accountId, id, {
    tokenHash: sha256(token),
    isMailed,
    now,
    expiresAt: now + lifetimeMs,
  });
  if (!invitation) throw notFound('invitation');
  await audit(tx, actor, now, {
    action: by === 'mail' ? 'invitation.sent' : 'invitation.link_created',
    target: { type: 'invitation', id },
    changes: { email: invitation.email },
  });
  return deliver(tx, deps, accountId, invitation, token);
}

/** By e-mail, or as a link for the person who invites. The job's row never has the token in plain. */
async function deliver(
  tx: Tx,
  { secrets, config }: InvitationDeps,
  accountId: string,
  invitation: Invitation,
  token: string,
): Promise<InvitationSent> {
  if (!invitation.isMailed)
    return { ...invitation, link: linkAddress(config.publicUrl, 'invitation', token) };
  await enqueue(tx, {
    accountId,
    kind: invitationMailJobKind,
    payload: {
      invitationId: invitation.id,
      sealedToken: secrets.seal(token, invitation.id),
      id: randomUUID(),
    },
    maxAttempts: invitationMailAttempts,
  });
  return { ...invitation, link: null };
}

export async function withdrawInvitation(tx: Tx, actor: Actor, now: number, id: string): Promise<void> {
  const caller = await lockToManage(tx, actor);
  await requireToCoverRole(tx, caller, await requireInvitation(tx, actor.accountId, id));
  const invitation = await deleteInvitation(tx, actor.accountId, id);
  if (!invitation) throw notFound('invitation');
  await audit(tx, actor, now, {
    action: 'invitation.withdrawn',
    target: { type: 'invitation', id },
    changes: { email: { from: invitation.email, to: null } },
  });
}

export async function listInvitations(
  db: Reader,
  accountId: string,
  tokens: PageTokens,
  query: { limit?: number; nextToken?: string },
): Promise<Page<Invitation>> {
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['invitations', accountId];
  const after = query.nextToken === undefined ? null : String(tokens.read(query.nextToken, scope)[0]);
  const rows = await selectInvitations(db, accountId, after, size + 1);
  return cutPage(rows, size, (last) => tokens.issue([last.id], scope));
}

export async function describeInvitation(
  { db, clock }: { db: Db; clock: Clock },
  token: string,
): Promise<InvitationInfo> {
  const { accountId, invitation } = await requireValid(db, token, clock.now());
  const account = await findAccount(db, accountId);
  const { email, role, invitedBy, expiresAt } = invitation;
  return { email, role, accountName: account?.name ?? '', invitedBy: invitedBy.name, expiresAt };
}

/** With a password. The person signs in with it afterwards, as always. */
export async function acceptInvitation(
  { db, clock, config }: { db: Db; clock: Clock; config: ResetSettings },
  input: { token: string; name: string; password: string; address: string },
): Promise<{ email: string }> {
  requirePasswords(config);
  const { invitation } = await requireValid(db, input.token, clock.now());
  const { email } = invitation;
  checkPassword(input.password, email, 'password');
  const passwordHash = await hashPassword(input.password);
  const { name, address } = input;
  await db.transaction(async (tx) => {
    const person = { email, name, passwordHash, address };
    const user = await redeemInvitation(tx, clock.now(), input.token, person);
    if (!user || user === 'other email') throw linkEnded();
  });
  return { email };
}

/** Null: it has expired, was used or withdrawn. The token is one of this account. */
export async function redeemInvitation(
  tx: Tx,
  now: number,
  token: string,
  person: { email: string; name: string; passwordHash: string; address: string },
): Promise<User | 'other email' | null> {
  const accountId = accountOfLink(token);
  if (accountId) await requireActive(tx, accountId);
  const invitation = accountId && (await takeInvitation(tx, accountId, sha256(token), now));
  if (!accountId || !invitation) return null;
  // The caller rolls back.
  if (invitation.email !== person.email) return 'other email';
  const { email, name, passwordHash, address } = person;
  const user = await createUser(tx, systemActor(accountId), now, {
    ...{ email, name, passwordHash },
    isOwnPassword: true,
    role: invitation.role,
    roleId: invitation.roleId,
  });
  const actor = { kind: 'user', accountId, id: user.id, name: user.name, address } as const;
  await audit(tx, actor, now, {
    action: 'invitation.accepted',
    target: { type: 'invitation', id: invitation.id },
    changes: { invitedBy: invitation.invitedBy.name, role: invitation.role },
  });
  return user;
}

export const invitationsOfRole: InvitationsOfRole = {
  count: countInvitationsWithRole,
  expire: expireInvitationsOfRole,
  replace: updateInvitationRoles,
};

async function requireInvitation(db: Reader, accountId: string, id: string): Promise<Invitation> {
  const invitation = isId(id) ? await findInvitation(db, accountId, id) : null;
  if (!invitation) throw notFound('invitation');
  return invitation;
}

async function requireValid(
  db: Reader,
  token: string,
  now: number,
): Promise<{ accountId: string; invitation: Invitation }> {
  const accountId = accountOfLink(token);
  const invitation = accountId && (await findInvitationByToken(db, accountId, sha256(token), now));
  if (!accountId || !invitation) throw linkEnded();
  return { accountId, invitation };
}
