/**
 * The normalised form in which identifiers are compared: `+55 11 99999-8888`, `tel:005511999998888` and
 * `5511999998888@c.us` are one contact. Everything that compares identifiers uses contactKey. Keys are stored
 * (sessions, blocked_contacts), so a changed rule needs a new contactKeyVersion: see sessions.contact-keys.ts.
 */

export const contactKeyVersion = 2;

const prefix = /^(?:tel|sms|mailto|whatsapp):/i;
const chatAppId = /^\+?(\d+)(?::\d+)?@(?:c\.us|g\.us|s\.[^\s@]+)$/i;
/** An anonymous id of a chat app. Its digits are not a phone number. */
const hiddenId = /^(\d+)(?::\d+)?@lid$/i;
const emailAddress = /^[^\s@]+@[^\s@]+$/;
const phoneCharacters = /^[\d\s+().-]+$/;
const shortestPhone = 7;

export function contactKey(identifier: string): string {
  const text = plainText(identifier);
  const chatApp = chatAppId.exec(text);
  if (chatApp) return chatApp[1]!;
  const hidden = hiddenId.exec(text);
  if (hidden) return `${hidden[1]}@lid`;
  if (isPhone(text)) return digitsOf(text).replace(/^00/, '');
  return emailAddress.test(text) ? text.toLowerCase() : text;
}

export function identifierTypeOf(identifier: string): string {
  const text = plainText(identifier);
  if (chatAppId.test(text) || hiddenId.test(text)) return 'chatapp';
  if (isPhone(text)) return 'phone';
  return emailAddress.test(text) ? 'email' : 'other';
}

/** Of a normalised value: a phone number has become its digits. */
export const isPhoneKey = (key: string) => /^\d+$/.test(key) && key.length >= shortestPhone;
export const isEmailKey = (key: string) => emailAddress.test(key) && !hiddenId.test(key);

/** Full-width digits become digits; zero-width and other invisible characters are removed. */
function plainText(identifier: string): string {
  return identifier
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .trim()
    .replace(prefix, '')
    .trim();
}

function isPhone(text: string): boolean {
  return phoneCharacters.test(text) && digitsOf(text).length >= shortestPhone;
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}
