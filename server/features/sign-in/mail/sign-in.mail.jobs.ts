/**
 * Sends invitations and links for a new password. If the process dies after the server has accepted a message, it is sent
 * again with the same Message-ID.
 */
import type { InvitationMailStatus } from '../../../../contract/sign-in/sign-in.ts';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db } from '../../../platform/db/db.ts';
import type { JobHandler } from '../../../platform/jobs/jobs.ts';
import type { Logger } from '../../../platform/logger.ts';
import { createMailer, isPermanent, type MailSettings } from '../../../platform/mail.ts';
import { type Secrets, sha256 } from '../../../platform/secrets/secrets.ts';
import {
  type AccountHomes,
  audit,
  findAccount,
  findInHomes,
  findLogin,
  systemActor,
} from '../../accounts/accounts.ts';
import { findInvitationByToken, updateMailStatus } from '../invitations/sign-in.invitations.sql.ts';
import { invitationMailAttempts } from '../invitations/sign-in.invitations.ts';
import { createLink, linkAddress } from '../links/sign-in.links.ts';
import { resetLinkMs, resetMailAttempts } from '../links/sign-in.password-reset.ts';
import { type WrittenMail, writeInvitation, writePasswordReset } from './sign-in.mail-text.ts';

export interface SignInMailDeps {
  db: Db;
  clock: Clock;
  logger: Logger;
  secrets: Secrets;
  accountHomes: AccountHomes;
  config: { mail: MailSettings | null; publicUrl: string };
}

/** Returns what the server said if it will never accept the message. */
type Send = (mail: WrittenMail & { to: string; id: string }, signal: AbortSignal) => Promise<string | null>;

/** A server's answer can have many lines. */
const maxProblem = 300;

export function invitationMailHandler(deps: SignInMailDeps): JobHandler {
  const send = sender(deps);
  return async ({ accountId, payload, attempt, signal }) => {
    const { invitationId, sealedToken, id } = payload as { [name: string]: string };
    const token = deps.secrets.open(sealedToken!, invitationId!);
    const tokenHash = sha256(token);
    const invitation = await findInvitationByToken(deps.db, accountId, tokenHash, deps.clock.now());
    // Withdrawn, accepted, expired, or it has another link meanwhile: this one no longer works.
    if (!invitation) return;
    const account = await findAccount(deps.db, accountId);
    const mail = writeInvitation(account?.language ?? 'en', {
      by: invitation.invitedBy.name,
      account: account?.name ?? '',
      link: linkAddress(deps.config.publicUrl, 'invitation', token),
    });
    const note = (status: InvitationMailStatus, problem: string | null) =>
      updateMailStatus(deps.db, accountId, tokenHash, { status, problem: problem && briefly(problem) });
    try {
      const refusal = await send({ ...mail, to: invitation.email, id: id! }, signal);
      await note(refusal === null ? 'sent' : 'failed', refusal);
    } catch (error) {
      // The administrator sees it at once, not only after the last attempt.
      if (!signal.aborted) {
        await note(attempt >= invitationMailAttempts ? 'failed' : 'delayed', wordsOf(error));
      }
      throw error;
    }
  };
}

/** Those of the mail server, if it answered. */
const wordsOf = (error: unknown) => (error as { response?: string }).response || (error as Error).message;
const briefly = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, maxProblem);

export function passwordResetHandler(deps: SignInMailDeps): JobHandler {
  const send = sender(deps);
  return async ({ payload, attempt, signal }) => {
    const { email, id } = payload as { [name: string]: string };
    const user = await findInHomes(deps.accountHomes, (db) => findLogin(db, email!));
    // A suspended account has no sign-in.
    if (!user || user.found.isSuspended) return;
    const { home, found } = user;
    const account = found.language ? null : await findAccount(home.db, found.accountId);
    const { token } = await home.db.transaction((tx) =>
      createLink(tx, found, 'password_reset', { now: deps.clock.now(), lifetimeMs: resetLinkMs }),
    );
    const link = linkAddress(deps.config.publicUrl, 'password_reset', token);
    const mail = writePasswordReset(found.language ?? account?.language ?? 'en', link);
    // Only the account's administrators learn of it: the person who asked must not learn whether the user exists.
    const note = (reason: string) =>
      home.db.transaction((tx) =>
        audit(tx, systemActor(found.accountId), deps.clock.now(), {
          action: 'user.reset_mail_failed',
          target: { type: 'user', id: found.id },
          changes: { reason: briefly(reason) },
        }),
      );
    try {
      const refusal = await send({ ...mail, to: found.email, id: id! }, signal);
      if (refusal !== null) await note(refusal);
    } catch (error) {
      if (!signal.aborted && attempt >= resetMailAttempts) await note(wordsOf(error));
      throw error;
    }
  };
}

function sender({ config, logger }: SignInMailDeps): Send {
  const mailer = config.mail && createMailer(config.mail);
  return async ({ id, ...mail }, signal) => {
    // The process that accepted the request has other settings than this one.
    if (!mailer) throw new Error('this worker cannot send e-mail: set SMTP_URL and MAIL_FROM');
    const domain = config.mail!.from.address.split('@').at(-1);
    try {
      await mailer.send({ ...mail, messageId: `<${id}@${domain}>` }, signal);
      return null;
    } catch (error) {
      if (!isPermanent(error)) throw error;
      const reason = wordsOf(error);
      logger.warn({ reason }, 'an e-mail for signing in was rejected');
      return reason;
    }
  };
}
