/** The three steps of the first conversation: it is written, it is on the board, a person takes it over. */
import { Link } from '@tanstack/react-router';
import { ExternalLink, MessageCircle } from 'lucide-react';
import type { ReactNode } from 'react';
import type { FirstRun } from '../../../contract/first-run.ts';
import { useKanbans } from '../data/queries.ts';
import { customerName } from '../texts/customer-name.ts';
import { language, t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Dot } from '../ui/display/badge.tsx';

interface Props {
  first: FirstRun;
}

const look =
  'inline-flex h-7 w-fit shrink-0 items-center gap-1.5 rounded-control px-2.5 font-medium whitespace-nowrap';
const primaryLink = cx(look, 'bg-accent text-on-accent hover:bg-accent-hover');
export const plainLink = cx(look, 'border border-line-strong bg-surface text-ink hover:bg-hover');

export const StepText = ({ children }: { children: ReactNode }) => (
  <p className="text-pretty text-muted">{children}</p>
);

export function ChatStep({ first: { chat, conversation } }: Props) {
  if (!chat) {
    return (
      <>
        <StepText>{t('start.chat.missing')}</StepText>
        <Link to="/settings/$section" params={{ section: 'channels' }} className={plainLink}>
          {t('start.chat.channels')}
        </Link>
      </>
    );
  }
  const address = `/widget/preview?channel=${chat.channelId}&guide=${language()}`;
  const questions = [t('start.chat.try1'), t('start.chat.try2'), t('start.chat.try3')];
  return (
    <>
      <StepText>{t('start.chat.text')}</StepText>
      <a href={address} target="_blank" rel="noreferrer" className={conversation ? plainLink : primaryLink}>
        {t('start.chat.open')}
        <ExternalLink aria-hidden className="size-3.5" />
      </a>
      {conversation ? (
        <Heard>{t('start.chat.heard', { name: nameOf(conversation) })}</Heard>
      ) : (
        <div>
          <h3 className="text-sm font-medium text-faint">{t('start.chat.try')}</h3>
          <ul className="mt-1 flex flex-col gap-0.5 text-muted">
            {questions.map((question) => (
              <li key={question}>“{question}”</li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

const nameOf = ({ sessionName, sessionId }: NonNullable<FirstRun['conversation']>) =>
  customerName({ sessionName, sessionId, externalUserId: null });

const Heard = ({ children }: { children: ReactNode }) => (
  <p role="status" className="flex items-center gap-1.5">
    <MessageCircle aria-hidden className="size-3.5 text-success" />
    {children}
  </p>
);

export function CardStep({ first: { conversation } }: Props) {
  const boards = useKanbans();
  const board = boards.find(({ id }) => id === conversation?.kanbanId);
  return (
    <>
      <StepText>{t('start.card.text')}</StepText>
      {conversation?.recordId && board ? (
        <>
          <CardPicture board={board} title={conversation.recordTitle ?? ''} status={conversation.status} />
          <Link
            to="/boards/$boardId/records/$recordId"
            params={{ boardId: board.slug, recordId: conversation.recordId }}
            className={plainLink}
          >
            {t('start.card.open')}
          </Link>
        </>
      ) : (
        <p className="text-faint">{t('start.card.waiting')}</p>
      )}
    </>
  );
}

function CardPicture({
  board,
  title,
  status,
}: {
  board: { name: string; statuses: { value: string; label: string; color: string }[] };
  title: string;
  status: string | null;
}) {
  const column = board.statuses.find(({ value }) => value === status);
  return (
    <div className="landed flex w-72 max-w-full flex-col gap-1 rounded-panel border border-line bg-raised p-3">
      <span className="flex items-center gap-1.5 text-sm text-muted">
        {column && <Dot color={column.color} />}
        <span className="truncate">
          {board.name}
          {column && ` · ${column.label}`}
        </span>
      </span>
      <span className="truncate font-medium">{title}</span>
    </div>
  );
}

export function TakeOverStep({ first: { conversation, steps } }: Props) {
  const isDone = steps.some(({ step, doneAt }) => step === 'takeOver' && doneAt !== null);
  return (
    <>
      <StepText>{t('start.takeOver.text')}</StepText>
      {conversation ? (
        <>
          {!isDone && (
            <p role="status">
              {conversation.aiPaused
                ? t('start.takeOver.you')
                : conversation.answered
                  ? t('start.takeOver.ai')
                  : t('start.takeOver.unanswered')}
            </p>
          )}
          <Link
            to="/inbox/$sessionId"
            params={{ sessionId: conversation.sessionId }}
            className={isDone ? plainLink : primaryLink}
          >
            {t('start.takeOver.open')}
          </Link>
        </>
      ) : (
        <p className="text-faint">{t('start.card.waiting')}</p>
      )}
    </>
  );
}
