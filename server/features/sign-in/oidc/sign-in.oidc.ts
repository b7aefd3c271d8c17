/**
 * Signs in whom the provider vouches for. A user is found by the provider's name of the person (issuer and subject); the
 * first time by a verified e-mail address, which links them. Described in docs/sign-in.md.
 */
import type { Clock } from '../../../platform/db/clock.ts';
import { type Db, isUniqueViolation, type Tx } from '../../../platform/db/db.ts';
import { AppError } from '../../../platform/http/errors.ts';
import { isId } from '../../../platform/ids.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { OidcIdentity } from '../../../platform/oidc/oidc-client.ts';
import type { OidcSettings } from '../../../platform/oidc/oidc-settings.ts';
import {
  type AccountHome,
  type AccountHomes,
  audit,
  type Client,
  changeUser,
  createUser,
  endForeignPassword,
  findAccount,
  findInHomes,
  findLogin,
  findUser,
  generatePassword,
  hashPassword,
  lockRights,
  type RefreshCookie,
  type RoleChoice,
  requireActive,
  selectAccountIdsNamed,
  strongestRole,
  systemActor,
} from '../../accounts/accounts.ts';
import { redeemInvitation } from '../invitations/sign-in.invitations.ts';
import { accountOfLink } from '../links/sign-in.links.ts';
import { type BeginDeps, beginSession, type SignedInPerson } from '../sign-in.session.ts';
import { accountIn, emailIn, nameIn, rolesIn, SignInRefused, unknownRole } from './sign-in.claims.ts';
import { findIdentity, type IdentityOwner, insertIdentity } from './sign-in.oidc.sql.ts';

export interface OidcSignInDeps extends BeginDeps {
  settings: OidcSettings;
  accountHomes: AccountHomes;
  clock: Clock;
  logger: Logger;
}

export interface OidcSignIn {
  identity: OidcIdentity;
  client: Client;
  /** The token of an invitation that the person follows. */
  invitation: string | null;
}

/** Throws SignInRefused; then nothing has changed. */
export async function signInWithIdentity(deps: OidcSignInDeps, signIn: OidcSignIn): Promise<RefreshCookie> {
  try {
    return await findAndEnter(deps, signIn);
  } catch (error) {
    // The same person has just been created or linked by another request.
    const isRace = error instanceof AppError ? error.status === 409 : isUniqueViolation(error);
    if (!isRace) throw error;
    return findAndEnter(deps, signIn);
  }
}

async function findAndEnter(deps: OidcSignInDeps, signIn: OidcSignIn): Promise<RefreshCookie> {
  const { settings, accountHomes } = deps;
  const { issuer, subject, claims } = signIn.identity;
  // Before anything is looked up: a claim that is wrong refuses everybody alike.
  const roles = rolesIn(claims, settings);
  const account = accountIn(claims, settings);
  const known = await findInHomes(accountHomes, (db) => findIdentity(db, issuer, subject));
  if (known) {
    await checkAccount(known.home.db, known.found.accountId, account);
    return enter(deps, signIn, known.home, known.found, false, roles);
  }
  const email = emailIn(claims, settings);
  const user = await findInHomes(accountHomes, (db) => findLogin(db, email));
  if (user) {
    const { accountId, id: userId } = user.found;
    await checkAccount(user.home.db, accountId, account);
    return enter(deps, signIn, user.home, { accountId, userId }, true, roles);
  }
  return createAndEnter(deps, signIn, { email, roles, account });
}

/** The claim may name the account by its id or its name. */
async function checkAccount(db: Db, accountId: string, named: string | null): Promise<void> {
  if (named === null || named === accountId) return;
  if ((await findAccount(db, accountId))?.name !== named) {
    throw new SignInRefused('other_account', 'the user belongs to another account than the claim says');
  }
}

/** Of a user that exists. */
async function enter(
  deps: OidcSignInDeps,
  { identity, client }: OidcSignIn,
  home: AccountHome,
  { accountId, userId }: IdentityOwner,
  isNewLink: boolean,
  roles: ReturnType<typeof rolesIn>,
): Promise<RefreshCookie> {
  // It is not shown.
  const passwordHash = isNewLink ? await hashPassword(generatePassword()) : null;
  const now = deps.clock.now();
  return home.db.transaction(async (tx) => {
    if (roles) await lockRights(tx, systemActor(accountId));
    const user = await findUser(tx, accountId, userId);
    if (!user) throw new SignInRefused('no_user', 'the user was just removed');
    const person = { accountId, id: userId, name: user.name };
    if (passwordHash !== null) await link(tx, identity, person, client, now, passwordHash);
    // First: the new role decides from which addresses the person may come.
    if (roles) await follow(deps, tx, person, user, await chosenRole(tx, accountId, roles), now);
    const { session } = await beginSession(tx, deps, person, client, { now, method: 'oidc' });
    return session.cookie;
  });
}

/** The provider's role counts, except for the last administrator and the one of the instance. */
async function follow(
  { logger }: OidcSignInDeps,
  tx: Tx,
  { accountId, id }: SignedInPerson,
  before: RoleChoice,
  next: RoleChoice,
  now: number,
): Promise<void> {
  if (next.role === before.role && next.roleId === before.roleId) return;
  try {
    await changeUser(tx, systemActor(accountId), now, id, next);
  } catch (error) {
    // The rule refuses before it writes: the transaction goes on.
    if (!(error instanceof AppError) || error.status !== 409) throw error;
    logger.warn(
      { accountId, userId: id, reason: error.message },
      'a role of the provider was not taken over',
    );
  }
}

/** Of several known names the role with the most rights counts. */
async function chosenRole(tx: Tx, accountId: string, names: readonly string[]): Promise<RoleChoice> {
  const found = await strongestRole(tx, accountId, names);
  if (!found) throw unknownRole('the account has none of the roles that the provider sent');
  return found;
}

async function link(
  tx: Tx,
  { issuer, subject }: OidcIdentity,
  { accountId, id, name }: SignedInPerson & { name: string },
  { address }: Client,
  now: number,
  /** Takes the place of a password that an administrator has set. */
  passwordHash?: string,
): Promise<void> {
  if (!(await insertIdentity(tx, accountId, { userId: id, issuer, subject, now }))) {
    // Two first sign-ins at the same moment.
    if ((await findIdentity(tx, issuer, subject))?.userId === id) return;
    throw new SignInRefused('already_linked', 'the user is linked to another person of the provider');
  }
  const isReplaced =
    passwordHash !== undefined && (await endForeignPassword(tx, now, { accountId, id }, passwordHash));
  const actor = { kind: 'user', accountId, id, name, address } as const;
  await audit(tx, actor, now, {
    action: 'user.identity_linked',
    target: { type: 'user', id },
    changes: { issuer, subject, ...(isReplaced && { password: 'removed: somebody else had set it' }) },
  });
}

async function createAndEnter(
  deps: OidcSignInDeps,
  { identity, client, invitation }: OidcSignIn,
  wanted: { email: string; roles: ReturnType<typeof rolesIn>; account: string | null },
): Promise<RefreshCookie> {
  const { settings, accountHomes, clock } = deps;
  const { email } = wanted;
  if (invitation === null && !settings.createsUsers) {
    throw new SignInRefused('no_user', 'there is no user with this e-mail address');
  }
  const name = nameIn(identity.claims, email);
  const place =
    invitation === null ? await accountFor(deps, wanted.account) : await placeOf(deps, invitation);
  const roles = wanted.roles ?? (settings.defaultRole === null ? null : [settings.defaultRole]);
  if (invitation === null && !roles) throw unknownRole('the provider sent no role');
  const home = await accountHomes.of(place);
  if (invitation !== null) await checkAccount(home.db, place, wanted.account);
  // It is not shown: the person signs in with the provider, or resets it.
  const passwordHash = await hashPassword(generatePassword());
  const now = clock.now();
  return home.db.transaction(async (tx) => {
    await requireActive(tx, place);
    const input = { email, name, passwordHash };
    const user =
      invitation === null
        ? await createUser(tx, systemActor(place), now, {
            ...input,
            ...(await chosenRole(tx, place, roles!)),
          })
        : await redeemInvitation(tx, now, invitation, { ...input, address: client.address });
    if (!user) throw new SignInRefused('invitation_expired', 'the invitation has expired or was used');
    if (user === 'other email') throw new SignInRefused('other_email', 'the invitation is for someone else');
    const person = { accountId: place, id: user.id, name: user.name };
    await link(tx, identity, person, client, now);
    if (invitation !== null && wanted.roles) {
      await follow(deps, tx, person, user, await chosenRole(tx, place, wanted.roles), now);
    }
    const { session } = await beginSession(tx, deps, person, client, { now, method: 'oidc' });
    return session.cookie;
  });
}

async function placeOf({ accountHomes }: OidcSignInDeps, invitation: string): Promise<string> {
  const account = accountOfLink(invitation);
  if (account === null) throw new SignInRefused('invitation_expired', 'this is not an invitation');
  const home = await accountHomes.of(account);
  if (!(await findAccount(home.db, account))) {
    throw new SignInRefused('invitation_expired', 'the account of the invitation is gone');
  }
  return account;
}

/** The account for a new user: the claim's, the default, or the only one there is. */
async function accountFor({ settings, accountHomes }: OidcSignInDeps, named: string | null): Promise<string> {
  const wanted = named ?? settings.defaultAccount;
  const refused = () =>
    new SignInRefused('unknown_account', `there is not exactly one account "${wanted.slice(0, 100)}"`);
  if (isId(wanted)) {
    const home = await accountHomes.of(wanted);
    const account = await findAccount(home.db, wanted);
    if (account) return account.id;
    throw refused();
  }
  const homes = await accountHomes.all();
  const found = await Promise.all(homes.map(({ db }) => selectAccountIdsNamed(db, wanted)));
  const [only, ...others] = found.flat();
  if (only === undefined || others.length > 0) throw refused();
  return only;
}
