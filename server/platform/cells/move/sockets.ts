/** Live connections by account: they end when it moves, and their clients connect to the new cell. */
import type { Duplex } from 'node:stream';

export interface SocketsOfAccounts {
  add(accountId: string | null, socket: Duplex): void;
  end(accountId: string): void;
}

export function createSocketsOfAccounts(): SocketsOfAccounts {
  const byAccount = new Map<string, Set<Duplex>>();
  return {
    add(accountId, socket) {
      if (accountId === null) return;
      const sockets = byAccount.get(accountId) ?? new Set();
      byAccount.set(accountId, sockets.add(socket));
      socket.once('close', () => {
        if (sockets.delete(socket) && sockets.size === 0 && byAccount.get(accountId) === sockets)
          byAccount.delete(accountId);
      });
    },
    end(accountId) {
      for (const socket of byAccount.get(accountId) ?? []) socket.destroy();
    },
  };
}
