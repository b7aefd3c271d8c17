/** Below a reply of the AI: what it was made of, loaded when somebody asks. */
import { lazy, Suspense, useId, useState } from 'react';
import type { Message } from '../../../../../contract/messaging/messages.ts';
import { t, withTexts } from '../../../texts/texts.ts';
import { Spinner } from '../../../ui/controls/button.tsx';

const WhyPanel = lazy(withTexts('why', () => import('./why-panel.tsx')));

export function WhyAnswer({ message, sessionId }: { message: Message; sessionId: string }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <div className="flex max-w-full min-w-0 flex-col gap-1 px-1">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
        className="self-end rounded-control text-xs text-faint hover:text-ink hover:underline"
      >
        {t('inbox.why')}
      </button>
      <div id={id} hidden={!isOpen} className="max-w-full self-end">
        {isOpen && (
          <Suspense fallback={<Spinner />}>
            <WhyPanel sessionId={sessionId} replyId={message.id} />
          </Suspense>
        )}
      </div>
    </div>
  );
}
