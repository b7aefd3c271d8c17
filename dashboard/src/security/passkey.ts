/** Passkeys of the browser. The code for them is loaded when one is used. */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';

/** Browsers have them on https pages and on localhost, and only for names. */
export const passkeysWork = (): boolean =>
  'PublicKeyCredential' in window && isSecureContext && !/^[\d.]+$|:/.test(location.hostname);

/** The person cancelled, the time was up, or there is no passkey. Browsers do not say which. */
export class PasskeyNotUsed extends Error {}

export const askPasskey = (options: object): Promise<object> =>
  used(async () => {
    const { startAuthentication } = await import('@simplewebauthn/browser');
    return startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON });
  });

export const createPasskey = (options: object): Promise<object> =>
  used(async () => {
    const { startRegistration } = await import('@simplewebauthn/browser');
    return startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON });
  });

async function used(run: () => Promise<object>): Promise<object> {
  try {
    return await run();
  } catch {
    throw new PasskeyNotUsed();
  }
}
