import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { LoginAnswer } from '../../../../contract/accounts.ts';
import { Done } from '../../../../contract/shapes/errors.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import {
  FactorAdded,
  FactorBody,
  FactorConfirmation,
  Factors,
  NewRecoveryCodes,
  Passkey,
  PasskeyAdded,
  PasskeyOptions,
  PasskeyRegister,
  PasskeyRename,
  PasskeySignInBody,
  TotpConfirm,
  TotpSetup,
} from '../../../../contract/sign-in/second-factors.ts';
import type { Context } from '../../../context.ts';
import { conflict } from '../../../platform/http/errors.ts';
import type { App } from '../../../platform/http/http.ts';
import type { UserActor } from '../accounts.actor.ts';
import { requireLocalSignIn } from '../login/accounts.login.ts';
import type { Client, RefreshCookie } from '../login/accounts.sessions.ts';
import type { FactorDeps } from './accounts.factors.proof.ts';
import {
  finishLogin,
  ownPasskeyOptions,
  passkeySignInOptions,
  signInWithPasskey,
} from './accounts.factors.sign-in.ts';
import {
  addPasskey,
  addTotp,
  changePasskey,
  checkPasskey,
  checkTotpSetup,
  confirmPerson,
  describeFactors,
  removePasskey,
  removeTotp,
  renewRecoveryCodes,
  setUpTotp,
  startPasskey,
} from './accounts.factors.ts';

const tags = ['Second factors'];
const open = { access: { public: true } } as const;
/** Also while the account requires a factor that the user does not have yet. */
const signedIn = { access: { user: true, withoutFactor: true } } as const;

interface SignInTools {
  clientOf(request: FastifyRequest): Client;
  setCookie(reply: FastifyReply, cookie: RefreshCookie): unknown;
}

/** Before anyone is signed in. */
export function signInFactorRoutes(
  app: App,
  deps: Context & FactorDeps,
  { clientOf, setCookie }: SignInTools,
): void {
  app.post(
    '/auth/login/factor',
    {
      config: open,
      schema: {
        tags,
        summary: 'Sign in with a second factor, after the password',
        description:
          'With the ticket of `POST /auth/login` and one of `code`, `recoveryCode` and `passkey`. A code can be used once. After 5 wrong ones of a user within 5 minutes the answer is 429 with Retry-After.',
        body: FactorBody,
        response: { 200: LoginAnswer },
      },
    },
    async (request, reply) => {
      // The ticket may be of a process that still has passwords.
      requireLocalSignIn(deps.config, 'passwords');
      request.stopCounting();
      const { ticket, code, recoveryCode, passkey } = request.body;
      const proof = { code, recoveryCode, passkey };
      const answer = await finishLogin(deps, { ticket, proof }, clientOf(request));
      if (answer.cookie) setCookie(reply, answer.cookie);
      return reply.send(answer.signedIn);
    },
  );

  app.post(
    '/auth/passkeys/options',
    {
      config: open,
      schema: {
        tags,
        summary: 'Get the options to sign in with a passkey',
        response: { 200: PasskeyOptions },
      },
    },
    async () => ({ options: await passkeySignInOptions(deps) }),
  );

  app.post(
    '/auth/passkeys/sign-in',
    {
      config: open,
      schema: {
        tags,
        summary: 'Sign in with a passkey, without a password',
        description: 'Within 5 minutes after the options, once.',
        body: PasskeySignInBody,
        response: { 200: LoginAnswer },
      },
    },
    async (request, reply) => {
      requireLocalSignIn(deps.config, 'passkeys');
      request.stopCounting();
      const answer = await signInWithPasskey(deps, request.body.passkey, clientOf(request));
      if (answer.cookie) setCookie(reply, answer.cookie);
      return reply.send(answer.signedIn);
    },
  );
}

/** Of a signed-in user, about their own factors. */
export function factorRoutes(app: App, deps: Context & FactorDeps): void {
  const { write, clock, authenticator } = deps;
  const actorOf = (request: FastifyRequest) => request.actor as UserActor;
  /** Before a change of factors: the person shows again who they are. */
  const confirmed = async (request: FastifyRequest<{ Body: Static<typeof FactorConfirmation> }>) => {
    const actor = actorOf(request as FastifyRequest);
    request.stopCounting();
    await confirmPerson(deps, actor, request.clientAddress, request.body);
    return actor;
  };
  const params = Type.Object({ id: Type.String() });

  app.get(
    '/auth/factors',
    { config: signedIn, schema: { tags, summary: 'Your second factors', response: { 200: Factors } } },
    (request) => describeFactors(deps, actorOf(request)),
  );

  app.post(
    '/auth/factors/passkey-options',
    {
      config: signedIn,
      schema: {
        tags,
        summary: 'Get the options to confirm a change with one of your passkeys',
        response: { 200: PasskeyOptions },
      },
    },
    async (request) => {
      const options = await ownPasskeyOptions(deps, actorOf(request));
      if (!options) throw conflict('you have no passkey');
      return { options };
    },
  );

  app.post(
    '/auth/factors/totp',
    {
      config: signedIn,
      schema: {
        tags,
        summary: 'Start to set up an authenticator app',
        description: 'It counts after `POST /auth/factors/totp/confirm` within 15 minutes.',
        body: FactorConfirmation,
        response: { 201: TotpSetup },
      },
    },
    async (request, reply) => {
      const actor = await confirmed(request);
      return write(request, reply, async (tx) => ({ status: 201, body: await setUpTotp(tx, deps, actor) }));
    },
  );

  app.post(
    '/auth/factors/totp/confirm',
    {
      config: signedIn,
      schema: {
        tags,
        summary: 'Finish to set up an authenticator app with one of its codes',
        description: 'With the first factor come recovery codes, and your other sessions end.',
        body: TotpConfirm,
        response: { 200: FactorAdded },
      },
    },
    async (request, reply) => {
      const actor = actorOf(request);
      const checked = await checkTotpSetup(deps, actor, request.body.code);
      return write(request, reply, async (tx) => {
        tx.afterCommit(authenticator.forget);
        const recoveryCodes = await addTotp(tx, actor, clock.now(), checked);
        return { status: 200, body: { recoveryCodes } };
      });
    },
  );

  app.post(
    '/auth/factors/totp/remove',
    {
      config: signedIn,
      schema: {
        tags,
        summary: 'Remove your authenticator app',
        body: FactorConfirmation,
        response: { 200: Done },
      },
    },
    async (request, reply) => {
      const actor = await confirmed(request);
      return write(request, reply, async (tx) => {
        tx.afterCommit(authenticator.forget);
        await removeTotp(tx, actor, clock.now());
        return { status: 200, body: { message: 'app removed' } };
      });
    },
  );

  app.post(
    '/auth/factors/recovery-codes',
    {
      config: signedIn,
      schema: {
        tags,
        summary: 'Replace your recovery codes',
        body: FactorConfirmation,
        response: { 200: NewRecoveryCodes },
      },
    },
    async (request, reply) => {
      const actor = await confirmed(request);
      return write(request, reply, async (tx) => ({
        status: 200,
        body: { recoveryCodes: await renewRecoveryCodes(tx, actor, clock.now()) },
      }));
    },
  );

  app.post(
    '/auth/passkeys/registration',
    {
      config: signedIn,
      schema: {
        tags,
        summary: 'Get the options to add a passkey',
        body: FactorConfirmation,
        response: { 200: PasskeyOptions },
      },
    },
    async (request) => {
      const actor = await confirmed(request);
      return { options: await startPasskey(deps, actor) };
    },
  );

  app.post(
    '/auth/passkeys',
    {
      config: signedIn,
      schema: {
        tags,
        summary: 'Add a passkey that the browser has created',
        description: 'With the first factor come recovery codes, and your other sessions end.',
        body: PasskeyRegister,
        response: { 201: PasskeyAdded },
      },
    },
    async (request, reply) => {
      const actor = actorOf(request);
      const checked = await checkPasskey(deps, actor, request.body.passkey);
      return write(request, reply, async (tx) => {
        tx.afterCommit(authenticator.forget);
        const { name } = request.body;
        return { status: 201, body: await addPasskey(tx, actor, clock.now(), { ...checked, name }) };
      });
    },
  );

  app.patch(
    '/auth/passkeys/:id',
    {
      config: signedIn,
      schema: { tags, summary: 'Rename a passkey', params, body: PasskeyRename, response: { 200: Passkey } },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: await changePasskey(tx, actorOf(request), request.params.id, request.body),
      })),
  );

  app.post(
    '/auth/passkeys/:id/remove',
    {
      config: signedIn,
      schema: {
        tags,
        summary: 'Remove a passkey',
        params,
        body: FactorConfirmation,
        response: { 200: Done },
      },
    },
    async (request, reply) => {
      const actor = await confirmed(request);
      return write(request, reply, async (tx) => {
        tx.afterCommit(authenticator.forget);
        await removePasskey(tx, actor, clock.now(), request.params.id);
        return { status: 200, body: { message: 'passkey removed' } };
      });
    },
  );
}
