/** Checks a second factor: a code, a recovery code or a passkey. Each can be used once, also by two requests at a time. */
import type { FactorProof } from '../../../../contract/sign-in/second-factors.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { badRequest } from '../../../platform/http/errors.ts';
import { sealedFor } from '../../../platform/secrets/sealed-columns.ts';
import { sha256 } from '../../../platform/secrets/secrets.ts';
import { closeAttempt, deleteAttempt } from '../login/accounts.login.sql.ts';
import { bookAttempt, type LoginDeps } from '../login/accounts.login.ts';
import { findTotp, spendTicket, takeRecoveryCode, takeStep } from './accounts.factors.sql.ts';
import { findCredential, notePasskeyUse } from './accounts.passkeys.sql.ts';
import { challengeIn, relyingPartyOf, verifyAssertion } from './accounts.passkeys.verify.ts';
import type { SignInTickets } from './accounts.tickets.ts';
import { findStep } from './accounts.totp.ts';

export interface FactorDeps extends LoginDeps {
  config: LoginDeps['config'] & { publicUrl: string };
  tickets: SignInTickets;
}

interface Owner {
  accountId: string;
  id: string;
}

/** Inside the transaction of what the factor is for. False: someone else used it meanwhile. */
type UseProof = (tx: Tx) => Promise<boolean>;

/** Thrown in a transaction to undo it. */
export class ProofRefused extends Error {}

/** Everything that needs no transaction. Null: wrong. */
export async function prepareProof(
  deps: FactorDeps,
  { accountId, id: userId }: Owner,
  proof: FactorProof,
): Promise<UseProof | null> {
  checkOne(proof);
  const { code, recoveryCode, passkey } = proof;
  const now = deps.clock.now();
  if (code !== undefined) {
    const totp = await findTotp(deps.db, accountId, userId);
    if (!totp || totp.confirmedAt === null) return null;
    const secret = Buffer.from(deps.secrets.open(totp.secret, sealedFor.totp(userId)), 'base64');
    const step = findStep(secret, code, now, totp.lastStep);
    return step === null ? null : (tx) => takeStep(tx, accountId, userId, step);
  }
  if (recoveryCode !== undefined) {
    const hash = hashRecoveryCode(userId, recoveryCode);
    return (tx) => takeRecoveryCode(tx, accountId, userId, hash);
  }
  const challenge = challengeIn(passkey!.response.clientDataJSON);
  const ticket = deps.tickets.read('passkey-factor', challenge, now);
  const credential = await findCredential(deps.db, accountId, userId, passkey!.id);
  const party = relyingPartyOf(deps.config.publicUrl);
  if (!ticket || ticket.owner?.userId !== userId || !credential || !party) return null;
  const counter = await verifyAssertion(party, passkey!, credential, { challenge, mustVerifyUser: false });
  if (counter === null) return null;
  return async (tx) =>
    (await spendTicket(tx, accountId, ticket)) &&
    (await notePasskeyUse(tx, accountId, credential.passkeyId, { counter, now }));
}

function checkOne({ code, recoveryCode, passkey }: FactorProof): void {
  if ([code, recoveryCode, passkey].filter((one) => one !== undefined).length !== 1) {
    throw badRequest('one of code, recoveryCode and passkey is required');
  }
}

/** As typed: case and separators do not matter. 80 random bits need no slow hash. */
export function hashRecoveryCode(userId: string, code: string): Buffer {
  return sha256(`${userId}:${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`);
}

/**
 * Counts wrong answers per user, from all addresses together: six digits can be guessed by many clients. Recovery codes
 * are counted apart: guessing codes must not lock out their owner. `work` resolves with null for a
 * wrong one.
 */
export async function countingFailures<T>(
  deps: LoginDeps,
  userId: string,
  { recoveryCode }: FactorProof,
  work: () => Promise<T | null>,
): Promise<T | null> {
  const counted = recoveryCode === undefined ? 'factor' : 'recovery';
  const attempt = await bookAttempt(deps, `${counted}:${userId}`, '');
  const settle = (isWrong: boolean) =>
    deps.instanceDb.transaction((tx) => (isWrong ? closeAttempt(tx, attempt) : deleteAttempt(tx, attempt)));
  let result: T | null;
  try {
    result = await work();
  } catch (error) {
    if (!(error instanceof ProofRefused)) {
      // It was not checked: a busy or broken service must not count.
      await settle(false).catch(() => {});
      throw error;
    }
    result = null;
  }
  await settle(result === null);
  return result;
}
