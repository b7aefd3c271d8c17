/** Identifiers in the form in which they are compared: `+55 11 99999-8888` and `5511999998888@c.us` are one contact. */

const chatAppId = /^\+?(\d+)(?::\d+)?@(?:c\.us|g\.us|lid|s\..+)$/i;
const emailAddress = /^[^\s@]+@[^\s@]+$/;
const phoneCharacters = /^[\d\s+().-]+$/;
const shortestPhone = 7;

export function contactKey(identifier: string): string {
  const text = identifier.trim();
  const chatApp = chatAppId.exec(text);
  if (chatApp) return chatApp[1]!;
  if (isPhone(text)) return digitsOf(text);
  return emailAddress.test(text) ? text.toLowerCase() : text;
}

export function identifierTypeOf(identifier: string): string {
  const text = identifier.trim();
  if (chatAppId.test(text)) return 'chatapp';
  if (isPhone(text)) return 'phone';
  return emailAddress.test(text) ? 'email' : 'other';
}

function isPhone(text: string): boolean {
  return phoneCharacters.test(text) && digitsOf(text).length >= shortestPhone;
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}
