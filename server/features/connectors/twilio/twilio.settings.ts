/** The settings of a Twilio account. A wrong one is found here rather than with the first message. */
import { Type } from '../../../../contract/shapes/type.ts';
import type { Settings } from '../connectors.provider.ts';

const setting = Type.String({ minLength: 1, maxLength: 255 });
const defaultBase = 'https://api.twilio.com';

export const twilioSettings = Type.Object({
  accountSid: setting,
  from: Type.Optional(setting),
  messagingServiceSid: Type.Optional(setting),
  apiBase: Type.Optional(Type.String({ minLength: 1, maxLength: 2_048, default: defaultBase })),
});

/** With the country code; a short code has none. A sender of letters, which Twilio has too, cannot be replied to. */
const isNumber = (text: string) => /^\+[1-9]\d{6,14}$|^\d{3,8}$/.test(text);
const isNamedSender = (text: string) => /^(?=.*[a-z])[a-z0-9 ]{1,11}$/i.test(text);

export function checkTwilio({ accountSid, from, messagingServiceSid, apiBase }: Settings): string | null {
  if (!from && !messagingServiceSid) return 'connector.from or connector.messagingServiceSid is required';
  // Another server may have others.
  if (apiBase !== undefined && apiBase !== defaultBase) return null;
  const isSid = (begin: string, text: string) => new RegExp(`^${begin}[0-9a-z]{32}$`, 'i').test(text);
  if (!isSid('AC', String(accountSid))) {
    return 'connector.accountSid must be AC and 32 letters and digits, as the Twilio console shows it';
  }
  if (from && !isNumber(String(from)) && !isNamedSender(String(from))) {
    return 'connector.from must be a number with its country code, such as +15550001111, or a short code';
  }
  if (messagingServiceSid && !isSid('MG', String(messagingServiceSid))) {
    return 'connector.messagingServiceSid must be MG and 32 letters and digits, as the Twilio console shows it';
  }
  return null;
}
