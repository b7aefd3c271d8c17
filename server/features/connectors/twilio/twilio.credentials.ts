import type { Link } from '../connectors.provider.ts';

const pairOf = ({ settings, credentials }: Link) =>
  Buffer.from(`${settings.accountSid}:${credentials.authToken}`).toString('base64');

export const authorization = (link: Link): Record<string, string> => ({
  authorization: `Basic ${pairOf(link)}`,
});

/** Twilio does not repeat them; a gateway in front of it might. */
export function withoutCredentials(link: Link, text: string): string {
  return [pairOf(link), ...Object.values(link.credentials)].reduce(
    (clean, secret) => (secret === '' ? clean : clean.replaceAll(secret, '…')),
    text,
  );
}
