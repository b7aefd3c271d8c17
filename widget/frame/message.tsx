import { useState } from 'preact/hooks';
import type { VisitorMessage } from '../../contract/widget/widget-protocol.ts';
import { Attachment } from './attachment.tsx';
import type { Chat, Outgoing } from './chat.ts';
import { icons } from './icons.tsx';
import { Markdown } from './markdown.tsx';
import { fullTimeOf, t, timeOf } from './texts.ts';

const emojis = ['👍', '❤️', '😄', '🎉', '😕'];

export interface MessageProps {
  chat: Chat;
  message: VisitorMessage;
  /** The first of several by the same author names them; the last has the time. */
  isFirst: boolean;
  isLast: boolean;
  isSeen: boolean;
}

export function Message({ chat, message, isFirst, isLast, isSeen }: MessageProps) {
  const { from, text, at, attachments, reactions } = message;
  const isOwn = from === 'customer';
  const isGone = text === '' && attachments.length === 0;
  return (
    <div class={`message ${from}${isLast ? ' last' : ''}`} data-message={message.id}>
      {isFirst && !isOwn && <Author from={from} name={message.name} />}
      {isFirst && isOwn && <span class="hidden">{t('you')}</span>}
      <div class="line">
        <div class={`bubble${text || isGone ? '' : ' bare'}`}>
          {attachments.map((file) => (
            <Attachment key={file.fileKey} token={chat.token} file={file} />
          ))}
          {text && <Markdown text={text} />}
          {isGone && <em>{t('deleted')}</em>}
        </div>
        {!isOwn && !isGone && <React message={message} onReact={(emoji) => chat.react(message, emoji)} />}
      </div>
      <Sources pages={message.citations} />
      {reactions.length > 0 && (
        <div class="reactions">
          {reactions.map((emoji) =>
            isOwn ? (
              <span key={emoji}>{emoji}</span>
            ) : (
              <button
                key={emoji}
                type="button"
                aria-label={t('removeReaction', { emoji })}
                onClick={() => chat.react(message, null)}
              >
                {emoji}
              </button>
            ),
          )}
        </div>
      )}
      {isLast && (
        <div class="meta">
          <time dateTime={new Date(at).toISOString()} title={fullTimeOf(at)}>
            {timeOf(at)}
          </time>
          {isOwn && (
            <span
              class={isSeen ? 'seen' : ''}
              role="img"
              aria-label={t(isSeen ? 'seen' : 'sent')}
              title={t(isSeen ? 'seen' : 'sent')}
            >
              {isSeen ? icons.ticks : icons.tick}
            </span>
          )}
        </div>
      )}
    </div>
  );
}

/** The pages that the reply is based on. */
function Sources({ pages }: { pages: VisitorMessage['citations'] }) {
  const shown = pages.filter(({ url }) => /^https?:\/\//i.test(url));
  if (shown.length === 0) return null;
  return (
    <ul class="sources" aria-label={t('sources')}>
      {shown.map(({ title, url }) => (
        <li key={url}>
          <a class="source" href={url} target="_blank" rel="noopener noreferrer nofollow">
            {title}
          </a>
        </li>
      ))}
    </ul>
  );
}

function Author({ from, name }: { from: 'assistant' | 'human'; name: string | null }) {
  if (from === 'assistant') {
    return (
      <div class="author">
        <span class="mark">{icons.spark}</span>
        {name ?? t('assistant')}
        {name && name !== t('assistant') && <small>{t('assistant')}</small>}
      </div>
    );
  }
  return (
    <div class="author">
      <span class="mark person" aria-hidden="true">
        {initialsOf(name ?? t('team'))}
      </span>
      {name ?? t('team')}
      <small>{t('team')}</small>
    </div>
  );
}

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  return [words[0], words.length > 1 ? words.at(-1) : '']
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase();
}

function React({ message, onReact }: { message: VisitorMessage; onReact(emoji: string | null): void }) {
  const [isOpen, setOpen] = useState(false);
  const choose = (emoji: string) => {
    setOpen(false);
    onReact(message.reactions.includes(emoji) ? null : emoji);
  };
  return (
    <fieldset
      class={`react${isOpen ? ' open' : ''}`}
      aria-label={t('react')}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.stopPropagation();
        setOpen(false);
      }}
      onFocusOut={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOpen(false);
      }}
    >
      <button
        type="button"
        class="trigger"
        aria-label={t('react')}
        title={t('react')}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {icons.smile}
      </button>
      {isOpen && (
        <div class="emojis">
          {emojis.map((emoji) => (
            <button key={emoji} type="button" class="emoji" onClick={() => choose(emoji)}>
              {emoji}
            </button>
          ))}
        </div>
      )}
    </fieldset>
  );
}

export function Pending({ chat, message }: { chat: Chat; message: Outgoing }) {
  const { clientId, text, file, attachments, problem } = message;
  const names = file ? [file.name] : attachments.map(({ fileName }) => fileName);
  return (
    <div class={`message customer last ${problem ? 'failed' : 'pending'}`} data-outgoing={clientId}>
      <div class="line">
        <div class="bubble">
          {names.map((name) => (
            <span key={name} class="file">
              {icons.file}
              <b>{name}</b>
            </span>
          ))}
          {text && <Markdown text={text} />}
        </div>
      </div>
      <div class="meta">
        {problem ? (
          <>
            <span class="problem" title={problem.detail}>
              {problem.text ?? t('notSent')}
            </span>
            <button type="button" onClick={() => chat.retry(clientId)}>
              {t('retry')}
            </button>
            <button type="button" onClick={() => chat.discard(clientId)}>
              {t('discard')}
            </button>
          </>
        ) : (
          <span role="img" aria-label={t('sending')} title={t('sending')}>
            {icons.clock}
          </span>
        )}
      </div>
    </div>
  );
}
