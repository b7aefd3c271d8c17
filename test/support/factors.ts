/** Users with second factors. */
import assert from 'node:assert/strict';
import { hotp, stepOf } from '../../server/features/accounts/factors/accounts.totp.ts';
import { sql } from '../../server/platform/db/sql.ts';
import { type Answer, type Json, password, type TestService } from './service.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

export interface AppUser {
  id: string;
  email: string;
  jwt: string;
  recoveryCodes: string[];
  /** The code of now, or of another step. */
  code(steps?: number): string;
}

export function factorsOf(service: TestService) {
  const now = () => service.context.clock.now();
  const login = (email: string, options: { call?: TestService['call']; address?: string } = {}) =>
    (options.call ?? service.call)('POST', '/auth/login', {
      token: null,
      address: options.address,
      body: { email, password },
    });
  return {
    login,
    /** The second step. */
    finish: (ticket: string, proof: object, call = service.call): Promise<Answer> =>
      call('POST', '/auth/login/factor', { token: null, body: { ticket, ...proof } }),
    async ticketOf(email: string, call = service.call): Promise<string> {
      const { status, body, text } = await login(email, { call });
      assert.equal(status, 202, text);
      return body.ticket;
    },
    /** As if time had passed: the codes that were used so far are old. */
    forgetUsedCodes: (userId: string, db = service.context.db) =>
      db.query(sql`update user_totp set last_step = last_step - 100 where user_id = ${userId}`),
    async withApp(
      user: { id: string; email: string; jwt: string },
      call: TestService['call'] = service.call,
    ): Promise<AppUser> {
      const token = user.jwt;
      const setup = await call('POST', '/auth/factors/totp', { token, body: { password } });
      assert.equal(setup.status, 201, setup.text);
      const secret = fromBase32(setup.body.secret);
      const code = (steps = 0) => hotp(secret, stepOf(now()) + steps);
      const confirmed = await call('POST', '/auth/factors/totp/confirm', { token, body: { code: code() } });
      assert.equal(confirmed.status, 200, confirmed.text);
      return { ...user, code, recoveryCodes: confirmed.body.recoveryCodes as Json };
    },
  };
}
