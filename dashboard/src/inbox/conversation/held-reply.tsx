import { Hand } from 'lucide-react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { useMay } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Markdown } from '../../ui/display/markdown.tsx';
import { useTemplates } from '../composer/window/use-templates.tsx';
import { useClosing } from '../composer/window/use-window.ts';
import { dropHeld, releaseHeld } from '../data/message-actions.ts';
import { isWindowReason, reasonInWords } from '../data/reasons.ts';
import { Citations } from './citations.tsx';
import { WhyAnswer } from './why/why-answer.tsx';

/** A reply of the AI that waits for someone's decision. */
export function HeldReply({ message, session }: { message: Message; session: InboxSession }) {
  // The window of replies of the AI, which may be shorter than that of people.
  const { isClosed } = useClosing(session.windowClosesAt);
  const templates = useTemplates(session);
  const mayDecide = useMay('conversations.reply');
  return (
    <section
      data-message={message.id}
      aria-label={t('inbox.held')}
      className="my-3 ml-10 rounded-panel border-2 border-dashed border-warning/60 bg-surface sm:ml-16"
    >
      <header className="flex items-center gap-2 px-3 pt-2 font-medium text-warning">
        <Hand aria-hidden className="size-4 shrink-0" />
        {t('inbox.held')}
      </header>
      <div className="px-3 py-2">
        <Markdown text={message.content} />
        <Citations citations={message.citations} />
        <WhyAnswer message={message} sessionId={session.sessionId} />
      </div>
      <footer className="flex flex-wrap items-center gap-2 border-t border-line px-3 py-2">
        <p className="min-w-48 flex-1 text-sm text-muted">{whyHeld(message, isClosed)}</p>
        {mayDecide && (
          <span className="flex gap-2">
            <Button onClick={() => dropHeld(session, message)}>{t('inbox.held.drop')}</Button>
            {!isClosed ? (
              <Button tone="primary" onClick={() => void releaseHeld(session, message)}>
                {t('inbox.held.release')}
              </Button>
            ) : (
              templates && (
                <Button tone="primary" onClick={templates.open}>
                  {t('template.choose')}
                </Button>
              )
            )}
          </span>
        )}
      </footer>
      {templates?.dialog}
    </section>
  );
}

function whyHeld({ statusReason }: Message, isClosed: boolean): string {
  if (statusReason === null) return t('inbox.held.why');
  return !isClosed && isWindowReason(statusReason) ? t('inbox.held.reopened') : reasonInWords(statusReason);
}
