/** Verify tokens that were entered on this page: the service does not return them, and the provider's console needs them. */
const tokens = new Map<string, string>();

export function keepVerifyToken(channelId: string, credentials: { [name: string]: unknown } = {}): void {
  const { verifyToken } = credentials;
  if (typeof verifyToken === 'string') tokens.set(channelId, verifyToken);
}

export const verifyTokenOf = (channelId: string): string | undefined => tokens.get(channelId);
