/** A reply pauses the AI, unless the operator keeps it on for this reply or the workspace keeps it on by default. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { accountQuery } from '../../data/account.ts';
import { t } from '../../texts/texts.ts';
import { Switch } from '../../ui/controls/switch.tsx';

interface TakeOver {
  /** Sent with the reply as `pauseAi`. Null: as the workspace has it, which is still being read. */
  pauseAi: boolean | null;
  /** Null while the AI is paused: there is nothing to decide. */
  control: ReactNode;
  /** The choice counts for one reply. */
  reset(): void;
}

export function useTakeOver({ aiPaused }: InboxSession): TakeOver {
  const [chosen, choose] = useState<boolean | null>(null);
  const { data: account } = useQuery(accountQuery);
  const pauseAi = chosen === null ? (account?.replyTakesOver ?? null) : !chosen;
  return {
    pauseAi,
    control: aiPaused ? null : (
      // Where there is no room beside Send, it has a line of its own above.
      <div className="mr-2.5 @max-md:order-first @max-md:mb-1.5 @max-md:ml-1 @max-md:basis-full">
        <Switch
          checked={pauseAi === false}
          disabled={pauseAi === null}
          onChange={choose}
          label={t('inbox.compose.keepAi')}
        />
      </div>
    ),
    reset: () => choose(null),
  };
}
