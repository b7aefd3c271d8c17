/** What other parts of the inbox show of the copilot: nothing where it is off, and its code is loaded when it is on. */
import { Suspense } from 'react';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { lazyView } from '../../app/lazy-view.tsx';
import { withTexts } from '../../texts/texts.ts';
import { useCopilotTasks } from './copilot-data.ts';
import { useTranslated } from './translated.ts';

const items = withTexts('copilot', () => import('./translate-items.tsx'));
const TranslateMessageItem = lazyView(items, 'TranslateMessageItem');
const TranslateAllItem = lazyView(items, 'TranslateAllItem');
const MessageTranslation = lazyView(
  withTexts('copilot', () => import('./message-translation.tsx')),
  'default',
);

interface OfMessage {
  sessionId: string;
  message: Message;
}

/** A note that the AI may not see is not for the model of the copilot. */
const isTranslatable = ({ content, isNote, isNoteVisibleToAi, deletedAt }: Message) =>
  content.trim() !== '' && (!isNote || isNoteVisibleToAi) && deletedAt === null;

export function Translation({ sessionId, message }: OfMessage) {
  const isShown = useTranslated(sessionId, message.id);
  if (!isShown || !isTranslatable(message)) return null;
  return (
    <Suspense>
      <MessageTranslation sessionId={sessionId} message={message} />
    </Suspense>
  );
}

export function TranslateMessage({ sessionId, message }: OfMessage) {
  const may = useCopilotTasks().includes('translate');
  if (!may || !isTranslatable(message)) return null;
  return (
    <Suspense>
      <TranslateMessageItem sessionId={sessionId} messageId={message.id} />
    </Suspense>
  );
}

export function TranslateAll({ sessionId }: { sessionId: string }) {
  const may = useCopilotTasks().includes('translate');
  return <Suspense>{may && <TranslateAllItem sessionId={sessionId} />}</Suspense>;
}
