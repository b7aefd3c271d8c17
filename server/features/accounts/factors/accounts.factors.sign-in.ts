/** The second step of a sign-in, and the sign-in with a passkey alone (docs/second-factor.md). */
import type {
  FactorKind,
  FactorProof,
  FactorRequired,
  PasskeyAssertion,
} from '../../../../contract/sign-in/second-factors.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { addressToCount } from '../../../platform/http/client-address.ts';
import { accountSuspended, unauthorized } from '../../../platform/http/errors.ts';
import { sha256Hex } from '../../../platform/secrets/secrets.ts';
import { auditLogin } from '../accounts.audit.ts';
import { checkSignInAddress } from '../addresses/accounts.addresses.ts';
import { findLoginById, type LoginUser } from '../login/accounts.login.sql.ts';
import {
  type Client,
  describeSignedIn,
  newSession,
  type SignedInWithCookie,
  startSession,
} from '../login/accounts.sessions.ts';
import { countingFailures, type FactorDeps, ProofRefused, prepareProof } from './accounts.factors.proof.ts';
import { selectFactorState, spendTicket } from './accounts.factors.sql.ts';
import { findCredential, notePasskeyUse, selectCredentials } from './accounts.passkeys.sql.ts';
import {
  assertionOptions,
  challengeIn,
  readUserHandle,
  relyingPartyOf,
  requireRelyingParty,
  verifyAssertion,
} from './accounts.passkeys.verify.ts';

/** A change of the password makes the tickets of the old one useless. */
const bindingOf = (user: LoginUser) => sha256Hex(user.passwordHash).slice(0, 16);

/** After the right password of a user who has a factor. */
export async function askForFactor(deps: FactorDeps, user: LoginUser): Promise<FactorRequired> {
  const { accountId, id: userId } = user;
  const now = deps.clock.now();
  const state = await selectFactorState(deps.db, accountId, userId);
  const factors: FactorKind[] = [];
  if (state?.hasTotp) factors.push('totp');
  const passkeyOptions = await ownPasskeyOptions(deps, user);
  if (passkeyOptions) factors.push('passkey');
  if (state && state.recoveryCodes > 0) factors.push('recovery_code');
  const { ticket, expiresAt } = deps.tickets.issue(
    'second-factor',
    { accountId, userId, binding: bindingOf(user) },
    now,
  );
  return { factorRequired: true, ticket, expiresAt, factors, passkeyOptions };
}

/** To answer with one of the user's own passkeys; null: there are none. */
export async function ownPasskeyOptions(
  deps: FactorDeps,
  { accountId, id: userId }: { accountId: string; id: string },
): Promise<object | null> {
  const party = relyingPartyOf(deps.config.publicUrl);
  const credentials = party ? await selectCredentials(deps.db, accountId, userId) : [];
  if (!party || credentials.length === 0) return null;
  const { ticket } = deps.tickets.issue('passkey-factor', { accountId, userId }, deps.clock.now());
  return assertionOptions(party, ticket, credentials);
}

export async function finishLogin(
  deps: FactorDeps,
  { ticket: text, proof }: { ticket: string; proof: FactorProof },
  client: Client,
): Promise<SignedInWithCookie> {
  const ticket = deps.tickets.read('second-factor', text, deps.clock.now());
  const owner = ticket?.owner;
  const user = owner ? await findLoginById(deps.db, owner.accountId, owner.userId) : null;
  if (!ticket || !user || owner?.binding !== bindingOf(user)) {
    throw unauthorized('the ticket is invalid, used or expired: sign in again');
  }
  const signedIn = await countingFailures(deps, user.id, proof, async () => {
    const use = await prepareProof(deps, user, proof);
    if (!use) return null;
    return start(deps, user, client, async (tx) => {
      // A ticket that was used before is no proof either: its code was used with it.
      if (!(await use(tx)) || !(await spendTicket(tx, user.accountId, ticket))) throw new ProofRefused();
    });
  });
  if (signedIn) return signedIn;
  await deps.db.transaction((tx) => auditLogin(tx, 'login_failed', user, client.address, deps.clock.now()));
  deps.logger.info({ address: client.address }, 'a second factor was wrong');
  throw unauthorized('the code is wrong or was used before');
}

/** For a passkey that says itself whose it is. Anyone may ask. */
export async function passkeySignInOptions(deps: FactorDeps): Promise<object> {
  const party = requireRelyingParty(deps.config.publicUrl);
  const { ticket } = deps.tickets.issue('passkey-sign-in', null, deps.clock.now());
  return assertionOptions(party, ticket, []);
}

/** The passkey is both factors: the authenticator has checked the person. */
export async function signInWithPasskey(
  deps: FactorDeps,
  passkey: PasskeyAssertion,
  client: Client,
): Promise<SignedInWithCookie> {
  const party = requireRelyingParty(deps.config.publicUrl);
  const refused = () => unauthorized('this passkey cannot be used here: sign in with your password');
  return deps.oneAtATime(addressToCount(client.address), async () => {
    const now = deps.clock.now();
    const challenge = challengeIn(passkey.response.clientDataJSON);
    const ticket = deps.tickets.read('passkey-sign-in', challenge, now);
    const owner = readUserHandle(passkey.response.userHandle ?? '');
    const credential =
      ticket && owner ? await findCredential(deps.db, owner.accountId, owner.userId, passkey.id) : null;
    if (!ticket || !owner || !credential) throw refused();
    const counter = await verifyAssertion(party, passkey, credential, { challenge, mustVerifyUser: true });
    const user = await findLoginById(deps.db, owner.accountId, owner.userId);
    if (counter === null || !user) throw refused();
    try {
      return await start(deps, user, client, async (tx) => {
        const isFirst = await spendTicket(tx, user.accountId, ticket);
        const fits = await notePasskeyUse(tx, user.accountId, credential.passkeyId, { counter, now });
        if (!isFirst || !fits) throw new ProofRefused();
      });
    } catch (error) {
      if (error instanceof ProofRefused) throw refused();
      throw error;
    }
  });
}

async function start(
  deps: FactorDeps,
  user: LoginUser,
  client: Client,
  use: (tx: Tx) => Promise<void>,
): Promise<SignedInWithCookie> {
  if (user.isSuspended) throw accountSuspended();
  checkSignInAddress(deps, user, client.address);
  const now = deps.clock.now();
  const session = newSession(deps, user.accountId, now);
  await deps.db.transaction(async (tx) => {
    await startSession(tx, user, session, client);
    await use(tx);
    await auditLogin(tx, 'login', user, client.address, now);
  });
  return { signedIn: await describeSignedIn(deps, user, session.id), cookie: session.cookie };
}
