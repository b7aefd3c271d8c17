/** A reply pauses the AI, unless the operator keeps it on for this reply or the workspace keeps it on by default. */
import { useQuery } from '@tanstack/react-query';
import type { InboxSession } from '../../../../../contract/dashboard.ts';
import { accountQuery } from '../../../data/account.ts';

export interface TakeOver {
  /** Whether Send pauses the AI. Null: as the workspace has it, which is still being read. */
  byDefault: boolean | null;
  /** The AI is paused already: there is nothing to decide. */
  isDecided: boolean;
}

export function useTakeOver({ aiPaused }: Pick<InboxSession, 'aiPaused'>): TakeOver {
  const { data: account } = useQuery(accountQuery);
  return { byDefault: account?.replyTakesOver ?? null, isDecided: aiPaused };
}
