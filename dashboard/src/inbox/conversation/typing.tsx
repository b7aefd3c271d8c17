/** The customer is typing; what colleagues do is shown above the composer. */

import { useCollision } from '../../data/collisions.ts';
import { sendLive } from '../../data/live.ts';
import { t } from '../../texts/texts.ts';

const repeatMs = 3_000;

export function TypingLine({ sessionId }: { sessionId: string }) {
  const { isCustomerTyping } = useCollision(sessionId);
  return (
    <div aria-live="polite" className="flex h-5 items-center gap-2 px-1 text-sm text-muted">
      {isCustomerTyping && (
        <>
          <span aria-hidden className="flex gap-0.5">
            {[0, 150, 300].map((delay) => (
              <span
                key={delay}
                style={{ animationDelay: `${delay}ms` }}
                className="size-1 animate-bounce rounded-full bg-current"
              />
            ))}
          </span>
          {t('inbox.typing.customer')}
        </>
      )}
    </div>
  );
}

/** Reports to the team that someone is typing: at once, then every few seconds, and when they stop. */
export function createTypingReporter(sessionId: string) {
  let reportedAt = 0;
  return {
    wrote(): void {
      if (Date.now() - reportedAt < repeatMs) return;
      if (sendLive({ type: 'typing', sessionId, isTyping: true })) reportedAt = Date.now();
    },
    stopped(): void {
      if (reportedAt === 0) return;
      reportedAt = 0;
      sendLive({ type: 'typing', sessionId, isTyping: false });
    },
  };
}
