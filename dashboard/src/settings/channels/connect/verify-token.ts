/** Verify tokens that were entered on this page: the service does not return them, and the provider's console needs them. */
const tokens = new Map<string, string>();

export function keepVerifyToken(channelId: string, credentials: { [name: string]: string } = {}): void {
  if (credentials.verifyToken) tokens.set(channelId, credentials.verifyToken);
}

export const verifyTokenOf = (channelId: string): string | undefined => tokens.get(channelId);
