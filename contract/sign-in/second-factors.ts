/** Second factors, passkeys and the rules of an account for signing in (docs/second-factor.md). */
import type { Static } from 'typebox';
import { AddressList } from '../accounts.ts';
import { limits } from '../limits.ts';
import { Type } from '../shapes/type.ts';
import { choice, nullable } from '../shapes/values.ts';

const factorKinds = ['totp', 'passkey', 'recovery_code'] as const;
export type FactorKind = (typeof factorKinds)[number];

const TypedPassword = Type.String({ maxLength: limits.passwordLength.max });
const Code = Type.String({ maxLength: 20, description: 'Six digits of the app.' });
const RecoveryCode = Type.String({ maxLength: 40, description: 'One of the recovery codes. It is used up.' });
const Ticket = Type.String({ maxLength: 1000 });

/** As the browser's WebAuthn API and `@simplewebauthn/browser` give and take them. */
const WebAuthnOptions = Type.Unsafe<object>({
  type: 'object',
  additionalProperties: true,
  description: 'Options for the WebAuthn API of the browser, in JSON form.',
});
const Text = Type.String({ maxLength: 20_000 });
const credential = {
  id: Type.String({ maxLength: 2_000 }),
  rawId: Type.String({ maxLength: 2_000 }),
  type: Type.String({ maxLength: 50 }),
};
export const PasskeyAssertion = Type.Object(
  {
    ...credential,
    response: Type.Object({
      clientDataJSON: Text,
      authenticatorData: Text,
      signature: Text,
      userHandle: Type.Optional(nullable(Type.String({ maxLength: 200 }))),
    }),
  },
  { description: 'What the browser made of the options.' },
);
export type PasskeyAssertion = Static<typeof PasskeyAssertion>;
const PasskeyAttestation = Type.Object(
  {
    ...credential,
    response: Type.Object({
      clientDataJSON: Text,
      attestationObject: Text,
      transports: Type.Optional(Type.Array(Type.String({ maxLength: 50 }), { maxItems: 20 })),
    }),
  },
  { description: 'What the browser made of the options.' },
);
export type PasskeyAttestation = Static<typeof PasskeyAttestation>;

/** One of the three. */
const proof = {
  code: Type.Optional(Code),
  recoveryCode: Type.Optional(RecoveryCode),
  passkey: Type.Optional(PasskeyAssertion),
};
export interface FactorProof {
  code?: string;
  recoveryCode?: string;
  passkey?: PasskeyAssertion;
}

export const FactorRequired = Type.Object(
  {
    factorRequired: Type.Literal(true),
    ticket: Type.String({ description: 'For `POST /auth/login/factor`, once.' }),
    expiresAt: Type.Number(),
    factors: Type.Array(choice(factorKinds), { description: 'What the user can answer with.' }),
    passkeyOptions: nullable(WebAuthnOptions),
  },
  { description: 'The password is right, but the user has a second factor: nobody is signed in yet.' },
);
export type FactorRequired = Static<typeof FactorRequired>;
export const FactorBody = Type.Object({ ticket: Ticket, ...proof });

export const PasskeyOptions = Type.Object({ options: WebAuthnOptions });
export const PasskeySignInBody = Type.Object({ passkey: PasskeyAssertion });

export const Passkey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  createdAt: Type.Number(),
  lastUsedAt: nullable(Type.Number()),
});
export type Passkey = Static<typeof Passkey>;
export const Factors = Type.Object({
  totp: Type.Boolean({ description: 'Whether an app is set up.' }),
  passkeys: Type.Array(Passkey),
  recoveryCodesLeft: Type.Integer(),
  isRequired: Type.Boolean({ description: 'Whether the account requires a second factor.' }),
  needsPassword: Type.Boolean({
    description:
      'Whether a change of factors needs the password. False in the first 10 minutes of a session that began with the provider.',
  }),
  passkeysAvailable: Type.Boolean({
    description: 'False while PUBLIC_URL is an IP address: passkeys belong to a name.',
  }),
});
export type Factors = Static<typeof Factors>;

/** A change of what signs a person in needs the password; once there is a second factor, that one too. */
export const FactorConfirmation = Type.Object({
  /** `needsPassword` of Factors says whether it can be left out. */
  password: Type.Optional(TypedPassword),
  ...proof,
});
export const TotpSetup = Type.Object({
  secret: Type.String({ description: 'In base32, to be typed into the app.' }),
  uri: Type.String({ description: 'The same as an otpauth address, to be shown as a QR code.' }),
});
export const TotpConfirm = Type.Object({ code: Code });
const RecoveryCodes = Type.Array(Type.String(), { description: 'Shown only once.' });
export const NewRecoveryCodes = Type.Object({ recoveryCodes: RecoveryCodes });
export const FactorAdded = Type.Object({
  recoveryCodes: nullable(
    Type.Array(Type.String(), { description: 'With the first factor only, and shown only once.' }),
  ),
});
const PasskeyName = Type.String({ minLength: 1, maxLength: limits.nameLength });
export const PasskeyRegister = Type.Object({ name: PasskeyName, passkey: PasskeyAttestation });
export const PasskeyRename = Type.Object({ name: PasskeyName });
export const PasskeyAdded = Type.Object({ passkey: Passkey, ...FactorAdded.properties });

const ConfirmLockout = Type.Boolean({
  description: 'Save the list although it does not contain your own address. Otherwise the response is 409.',
});
export const AccountSecurity = Type.Object({
  requireSecondFactor: Type.Boolean({
    description: 'Users without a second factor can only set one up.',
  }),
  adminAddresses: AddressList,
  yourAddress: Type.String({ description: 'The address of this request, as the service sees it.' }),
});
export type AccountSecurity = Static<typeof AccountSecurity>;
export const AccountSecurityUpdate = Type.Object({
  requireSecondFactor: Type.Optional(Type.Boolean()),
  adminAddresses: Type.Optional(AddressList),
  confirmLockout: Type.Optional(ConfirmLockout),
});
export const ApiTokenUpdate = Type.Object({
  allowedAddresses: Type.Optional(AddressList),
  confirmLockout: Type.Optional(ConfirmLockout),
});
