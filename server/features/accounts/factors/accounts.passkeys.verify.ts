/** WebAuthn with this service as relying party. Input of a client is either valid or null, never an error. */
import type { PasskeyAssertion, PasskeyAttestation } from '../../../../contract/sign-in/second-factors.ts';
import { conflict } from '../../../platform/http/errors.ts';
import { isId } from '../../../platform/ids.ts';
import { isIpAddress } from '../../../platform/outbound/outbound-address.ts';
import type { CredentialName, StoredCredential } from './accounts.passkeys.sql.ts';

/** Loaded with the first passkey: its 280 modules are a tenth of a start. */
const loadWebAuthn = () => import('@simplewebauthn/server');

/** As the browser sees the service. Null: PUBLIC_URL is an IP address, which WebAuthn does not accept. */
export interface RelyingParty {
  id: string;
  origin: string;
}

export function relyingPartyOf(publicUrl: string): RelyingParty | null {
  const { hostname, origin } = new URL(publicUrl);
  return isIpAddress(hostname.replace(/^\[|\]$/g, '')) ? null : { id: hostname, origin };
}

export function requireRelyingParty(publicUrl: string): RelyingParty {
  const party = relyingPartyOf(publicUrl);
  if (!party) throw conflict('passkeys need a name: PUBLIC_URL is an IP address');
  return party;
}

/** Account and user, 16 bytes each: a passkey alone says whose it is, and in which cell. */
function userHandleOf(accountId: string, userId: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(`${accountId}${userId}`.replaceAll('-', ''), 'hex'));
}

export function readUserHandle(handle: string): { accountId: string; userId: string } | null {
  const hex = Buffer.from(handle, 'base64url').toString('hex');
  if (hex.length !== 64) return null;
  const [accountId, userId] = [uuidOf(hex.slice(0, 32)), uuidOf(hex.slice(32))];
  return isId(accountId) && isId(userId) ? { accountId, userId } : null;
}

function uuidOf(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const timeout = 5 * 60_000;
/** Ed25519, ES256 and RS256, which all authenticators have one of. The default asks Node for experimental ones. */
const algorithms = [-8, -7, -257];

/** `credentials` empty: any passkey of this service, which then says whose it is. */
export async function assertionOptions(
  party: RelyingParty,
  challenge: string,
  credentials: readonly CredentialName[],
): Promise<object> {
  const { generateAuthenticationOptions } = await loadWebAuthn();
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge,
    timeout,
    // Without a password the authenticator checks the person; beside a password it need not.
    userVerification: credentials.length === 0 ? 'required' : 'preferred',
    allowCredentials: credentials.map(({ id, transports }) => ({ id, transports })),
  });
}

export async function registrationOptions(
  party: RelyingParty,
  challenge: string,
  user: { accountId: string; id: string; email: string; name: string },
  existing: readonly CredentialName[],
): Promise<object> {
  const { generateRegistrationOptions } = await loadWebAuthn();
  return generateRegistrationOptions({
    rpName: 'Talkboard',
    rpID: party.id,
    userID: userHandleOf(user.accountId, user.id),
    userName: user.email,
    userDisplayName: user.name,
    challenge,
    timeout,
    attestationType: 'none',
    supportedAlgorithmIDs: algorithms,
    excludeCredentials: existing.map(({ id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
  });
}

/** The challenge that a browser answers to: what `issue` of the tickets returned. */
export function challengeIn(clientDataJson: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString('utf8'));
    return Buffer.from(String(challenge), 'base64url').toString('utf8');
  } catch {
    return '';
  }
}

/** The new counter; null: not signed by this passkey, for this service and this challenge. */
export async function verifyAssertion(
  party: RelyingParty,
  passkey: PasskeyAssertion,
  credential: StoredCredential,
  { challenge, mustVerifyUser }: { challenge: string; mustVerifyUser: boolean },
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  try {
    const { id, rawId, response } = passkey;
    const { clientDataJSON, authenticatorData, signature } = response;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId,
        type: passkey.type as 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, authenticatorData, signature },
      },
      expectedChallenge: Buffer.from(challenge).toString('base64url'),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: mustVerifyUser,
      credential: {
        id: credential.id,
        publicKey: new Uint8Array(credential.publicKey),
        counter: credential.counter,
      },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    return null;
  }
}

export interface RegisteredCredential {
  id: string;
  publicKey: Buffer;
  counter: number;
  transports: string[];
}

export async function verifyRegistration(
  party: RelyingParty,
  passkey: PasskeyAttestation,
  challenge: string,
): Promise<RegisteredCredential | null> {
  const { verifyRegistrationResponse } = await loadWebAuthn();
  try {
    const { id, rawId, response } = passkey;
    const { clientDataJSON, attestationObject } = response;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId,
        type: passkey.type as 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject },
      },
      expectedChallenge: Buffer.from(challenge).toString('base64url'),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: algorithms,
    });
    if (!verified) return null;
    const { credential } = registrationInfo;
    return {
      id: credential.id,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: response.transports ?? [],
    };
  } catch {
    return null;
  }
}
