/** A user's own second factors: set-up, removal, recovery codes; and their reset by an administrator. */
import { randomBytes } from 'node:crypto';
import { limits } from '../../../../contract/limits.ts';
import type {
  FactorProof,
  Factors,
  Passkey,
  PasskeyAttestation,
} from '../../../../contract/sign-in/second-factors.ts';
import { isUniqueViolation, type Tx } from '../../../platform/db/db.ts';
import { badRequest, conflict, forbidden, notFound } from '../../../platform/http/errors.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { sealedFor } from '../../../platform/secrets/sealed-columns.ts';
import type { Actor, UserActor } from '../accounts.actor.ts';
import { audit } from '../accounts.audit.ts';
import { findUser, isInstanceAdmin } from '../accounts.users.sql.ts';
import { checkOwnPassword } from '../login/accounts.login.ts';
import { deleteSessions, findProviderSession } from '../login/accounts.sessions.sql.ts';
import { manages } from '../roles/accounts.permissions.ts';
import { lockToManage, requireToCover } from '../roles/accounts.roles.ts';
import {
  countingFailures,
  type FactorDeps,
  hashRecoveryCode,
  ProofRefused,
  prepareProof,
} from './accounts.factors.proof.ts';
import {
  confirmTotp,
  deletePasskeys,
  deleteRecoveryCodes,
  deleteTotp,
  findTotp,
  insertRecoveryCodes,
  lockFactors,
  saveTotpSetup,
  selectFactorState,
  spendTicket,
} from './accounts.factors.sql.ts';
import {
  deletePasskey,
  insertPasskey,
  renamePasskey,
  selectCredentials,
  selectPasskeys,
} from './accounts.passkeys.sql.ts';
import {
  challengeIn,
  type RegisteredCredential,
  registrationOptions,
  relyingPartyOf,
  requireRelyingParty,
  verifyRegistration,
} from './accounts.passkeys.verify.ts';
import type { Ticket } from './accounts.tickets.ts';
import { base32, findStep, newTotpSecret, totpUri } from './accounts.totp.ts';

/** Within this time a code of the app must be entered. */
const setupMs = 15 * 60_000;
/** So long after a sign-in with the provider the password is not asked for. */
const freshMs = 10 * 60_000;

export async function describeFactors(deps: FactorDeps, actor: UserActor): Promise<Factors> {
  const { accountId, id } = actor;
  const state = await selectFactorState(deps.db, accountId, id);
  return {
    totp: state?.hasTotp ?? false,
    passkeys: await selectPasskeys(deps.db, accountId, id),
    recoveryCodesLeft: state?.recoveryCodes ?? 0,
    isRequired: state?.isRequired ?? false,
    needsPassword: await needsPassword(deps, actor),
    passkeysAvailable: relyingPartyOf(deps.config.publicUrl) !== null,
  };
}

/** Not just after a sign-in with the provider: users that it created do not know their password. */
async function needsPassword({ db, clock }: FactorDeps, actor: UserActor): Promise<boolean> {
  const session = await findProviderSession(db, actor.accountId, actor.sessionId);
  return !session || session.createdAt < clock.now() - freshMs;
}

/**
 * Before a change of what signs the user in: the password, and a factor if there is one. A stolen JWT alone changes
 * nothing.
 */
export async function confirmPerson(
  deps: FactorDeps,
  actor: UserActor,
  address: string,
  { password, ...proof }: { password?: string } & FactorProof,
): Promise<void> {
  if (password !== undefined) await checkOwnPassword(deps, actor, address, password, 'password');
  else if (await needsPassword(deps, actor)) throw badRequest('password is required');
  const state = await selectFactorState(deps.db, actor.accountId, actor.id);
  if (!state?.hasTotp && !state?.passkeys) return;
  const { code, recoveryCode, passkey } = proof;
  const given = { code, recoveryCode, passkey };
  const done = await countingFailures(deps, actor.id, given, async () => {
    const use = await prepareProof(deps, actor, given);
    if (!use) return null;
    await deps.db.transaction(async (tx) => {
      if (!(await use(tx))) throw new ProofRefused();
    });
    return true;
  });
  if (!done) throw wrongCode();
}

const wrongCode = () => badRequest('code is wrong or was used before');

export async function setUpTotp(
  tx: Tx,
  deps: FactorDeps,
  actor: UserActor,
): Promise<{ secret: string; uri: string }> {
  const secret = newTotpSecret();
  const sealed = deps.secrets.seal(secret.toString('base64'), sealedFor.totp(actor.id));
  const now = deps.clock.now();
  if (!(await saveTotpSetup(tx, actor.accountId, actor.id, { secret: sealed, now }))) {
    throw conflict('an app is set up already: remove it first');
  }
  const shown = base32(secret);
  return { secret: shown, uri: totpUri(shown, actor.email) };
}

/** The set-up that a code fits to. Before the transaction: wrong codes are counted. */
export async function checkTotpSetup(
  deps: FactorDeps,
  actor: UserActor,
  code: string,
): Promise<{ secret: string; step: number }> {
  const now = deps.clock.now();
  const totp = await findTotp(deps.db, actor.accountId, actor.id);
  if (!totp || totp.confirmedAt !== null || totp.createdAt < now - setupMs) throw noSetup();
  const step = await countingFailures(deps, actor.id, { code }, async () => {
    const secret = Buffer.from(deps.secrets.open(totp.secret, sealedFor.totp(actor.id)), 'base64');
    return findStep(secret, code, now, null);
  });
  if (step === null) throw badRequest('code is wrong: check the time of your phone');
  return { secret: totp.secret, step };
}

const noSetup = () => conflict('there is no set-up to confirm: start it again');

export async function addTotp(
  tx: Tx,
  actor: UserActor,
  now: number,
  checked: { secret: string; step: number },
): Promise<string[] | null> {
  const codes = await beforeAdding(tx, actor);
  if (!(await confirmTotp(tx, actor.accountId, actor.id, { ...checked, now }))) throw noSetup();
  await audit(tx, actor, now, { action: 'user.totp_added', target: { type: 'user', id: actor.id } });
  return codes;
}

export async function removeTotp(tx: Tx, actor: UserActor, now: number): Promise<void> {
  await lockFactors(tx, actor.accountId, actor.id);
  if (!(await deleteTotp(tx, actor.accountId, actor.id))) throw notFound('app');
  await afterRemoving(tx, actor);
  await audit(tx, actor, now, { action: 'user.totp_removed', target: { type: 'user', id: actor.id } });
}

export async function startPasskey(deps: FactorDeps, actor: UserActor): Promise<object> {
  const party = requireRelyingParty(deps.config.publicUrl);
  const { accountId, id: userId } = actor;
  const existing = await selectCredentials(deps.db, accountId, userId);
  if (existing.length >= limits.passkeysPerUser) {
    throw conflict(`a user can have ${limits.passkeysPerUser} passkeys: remove one first`);
  }
  const { ticket } = deps.tickets.issue('passkey-registration', { accountId, userId }, deps.clock.now());
  return registrationOptions(party, ticket, actor, existing);
}

export interface CheckedPasskey {
  ticket: Ticket;
  credential: RegisteredCredential;
}

export async function checkPasskey(
  deps: FactorDeps,
  actor: UserActor,
  passkey: PasskeyAttestation,
): Promise<CheckedPasskey> {
  const party = requireRelyingParty(deps.config.publicUrl);
  const challenge = challengeIn(passkey.response.clientDataJSON);
  const ticket = deps.tickets.read('passkey-registration', challenge, deps.clock.now());
  const isOwn = ticket?.owner?.userId === actor.id && ticket.owner.accountId === actor.accountId;
  const credential = isOwn ? await verifyRegistration(party, passkey, challenge) : null;
  if (!ticket || !credential)
    throw badRequest('passkey is invalid, or its options have expired: start again');
  return { ticket, credential };
}

export async function addPasskey(
  tx: Tx,
  actor: UserActor,
  now: number,
  { ticket, credential, name: typed }: CheckedPasskey & { name: string },
): Promise<{ passkey: Passkey; recoveryCodes: string[] | null }> {
  const name = checkName(typed);
  const recoveryCodes = await beforeAdding(tx, actor);
  if (!(await spendTicket(tx, actor.accountId, ticket))) throw conflict('this passkey was added already');
  const passkey = await insertPasskey(tx, actor.accountId, {
    id: newId(now),
    userId: actor.id,
    name,
    credentialId: credential.id,
    publicKey: credential.publicKey,
    counter: credential.counter,
    transports: credential.transports,
    now,
  }).catch((error) => {
    if (isUniqueViolation(error, 'user_passkeys_credential'))
      throw conflict('this passkey was added already');
    throw error;
  });
  await audit(tx, actor, now, {
    action: 'user.passkey_added',
    target: { type: 'user', id: actor.id },
    changes: { passkey: { from: null, to: name } },
  });
  return { passkey, recoveryCodes };
}

export async function changePasskey(
  tx: Tx,
  actor: UserActor,
  id: string,
  { name }: { name: string },
): Promise<Passkey> {
  const change = { id, name: checkName(name) };
  const passkey = isId(id) ? await renamePasskey(tx, actor.accountId, actor.id, change) : null;
  if (!passkey) throw notFound('passkey');
  return passkey;
}

export async function removePasskey(tx: Tx, actor: UserActor, now: number, id: string): Promise<void> {
  await lockFactors(tx, actor.accountId, actor.id);
  const name = isId(id) ? await deletePasskey(tx, actor.accountId, actor.id, id) : null;
  if (name === null) throw notFound('passkey');
  await afterRemoving(tx, actor);
  await audit(tx, actor, now, {
    action: 'user.passkey_removed',
    target: { type: 'user', id: actor.id },
    changes: { passkey: { from: name, to: null } },
  });
}

function checkName(typed: string): string {
  const name = typed.trim();
  if (!name) throw badRequest('name is required');
  return name;
}

export async function renewRecoveryCodes(tx: Tx, actor: UserActor, now: number): Promise<string[]> {
  await lockFactors(tx, actor.accountId, actor.id);
  const state = await selectFactorState(tx, actor.accountId, actor.id);
  if (!state?.hasTotp && !state?.passkeys) throw conflict('there is no second factor: set one up first');
  const codes = await replaceCodes(tx, actor);
  await audit(tx, actor, now, {
    action: 'user.recovery_codes_renewed',
    target: { type: 'user', id: actor.id },
  });
  return codes;
}

/** With the first factor come the recovery codes, and the user's other sessions, which had no factor, end. */
async function beforeAdding(tx: Tx, actor: UserActor): Promise<string[] | null> {
  await lockFactors(tx, actor.accountId, actor.id);
  const state = await selectFactorState(tx, actor.accountId, actor.id);
  if (state?.hasTotp || state?.passkeys) return null;
  await deleteSessions(tx, actor.accountId, actor.id, actor.sessionId);
  return replaceCodes(tx, actor);
}

async function afterRemoving(tx: Tx, actor: UserActor): Promise<void> {
  const state = await selectFactorState(tx, actor.accountId, actor.id);
  if (state?.hasTotp || state?.passkeys) return;
  if (state?.isRequired) {
    throw conflict('this account requires a second factor: set up another one before you remove the last');
  }
  await deleteRecoveryCodes(tx, actor.accountId, actor.id);
}

async function replaceCodes(tx: Tx, { accountId, id }: UserActor): Promise<string[]> {
  const codes = Array.from({ length: limits.recoveryCodes }, newRecoveryCode);
  await deleteRecoveryCodes(tx, accountId, id);
  await insertRecoveryCodes(
    tx,
    accountId,
    id,
    codes.map((code) => hashRecoveryCode(id, code)),
  );
  return codes;
}

/** 80 bits, such as `k3vq-7b2m-xw4d-ru5n`. */
function newRecoveryCode(): string {
  return base32(randomBytes(10))
    .toLowerCase()
    .replace(/(.{4})(?!$)/g, '$1-');
}

/** Everything that the user has, and all of their sessions. For someone who has lost their phone. */
export async function resetFactors(tx: Tx, actor: Actor, now: number, userId: string): Promise<void> {
  const { accountId } = actor;
  const caller = await lockToManage(tx, actor);
  const user = isId(userId) ? await findUser(tx, accountId, userId) : null;
  if (!user) throw notFound('user');
  if (actor.kind === 'user' && actor.id === userId) {
    throw conflict('remove your own factors in your profile, with your password and a code');
  }
  const rights = await requireToCover(tx, caller, userId, { locks: true });
  if (actor.kind === 'token' && manages(rights)) {
    const whose = user.role === 'admin' ? "an administrator's" : "a manager's";
    throw forbidden(`a token cannot reset ${whose} second factor: sign in to do this`);
  }
  const isForInstance = actor.kind === 'system' || (actor.kind === 'user' && actor.isInstanceAdmin);
  if (!isForInstance && (await isInstanceAdmin(tx, accountId, userId))) {
    throw forbidden("only the instance administrator may reset the instance administrator's second factor");
  }
  const totp = await deleteTotp(tx, accountId, userId);
  const passkeys = await deletePasskeys(tx, accountId, userId);
  await deleteRecoveryCodes(tx, accountId, userId);
  await deleteSessions(tx, accountId, userId, null);
  await audit(tx, actor, now, {
    action: 'user.factors_reset',
    target: { type: 'user', id: userId },
    changes: { totp: { from: totp, to: false }, passkeys: { from: passkeys, to: 0 } },
  });
}
