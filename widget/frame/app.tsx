import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { FrameLook, VisitorMessage, WidgetLook } from '../../contract/widget/widget-protocol.ts';
import type { Chat } from './chat.ts';
import { Composer } from './composer.tsx';
import { type FromHost, hearHost, tellHost } from './host.ts';
import { icons } from './icons.tsx';
import { Message, Pending } from './message.tsx';
import { AskForm } from './service/ask-form.tsx';
import { Away } from './service/away.tsx';
import { Rating } from './service/rating.tsx';
import type { Service } from './service/service.ts';
import { Transcript } from './service/transcript.tsx';
import { ArticleSearch } from './suggestions.tsx';
import { dayOf, speak, t } from './texts.ts';

const nearEndPx = 80;

export interface AppProps {
  chat: Chat;
  service: Service;
  look: FrameLook;
}

export function App({ chat, service, look }: AppProps) {
  const [, setVersion] = useState(0);
  const [draft, setDraft] = useState<string | null>(null);
  const [notice, setNotice] = useState<string | null>(null);
  const [recording, setRecording] = useState<'no' | 'asked' | 'yes'>('no');
  const [isMailing, setMailing] = useState(false);
  const isWanted = useRef(true);
  const dialog = useRef<HTMLDivElement>(null);

  const hear = (message: FromHost) => {
    switch (message.type) {
      case 'begin':
        speak(message.language);
        chat.begin(message.queue);
        service.done = message.done ?? {};
        setDraft(typeof message.draft === 'string' ? message.draft : '');
        chat.isOpen = message.isOpen;
        break;
      case 'session':
        service.self = { isKnown: message.isKnown, name: message.name, email: message.email };
        return chat.use(message.token);
      case 'unreachable':
        return chat.unreachable();
      case 'open':
        chat.isOpen = true;
        focusFirst(dialog.current);
        break;
      case 'close':
        chat.isOpen = false;
        break;
      case 'recording':
        return setRecording('yes');
      case 'no-microphone':
        setRecording('no');
        return setNotice(t('noMicrophone'));
      case 'recorded': {
        setRecording('no');
        const { blob } = message;
        const extension = blob.type.includes('mp4') ? 'm4a' : 'webm';
        if (isWanted.current && blob.size > 0)
          chat.say('', { file: { blob, name: `voice-message.${extension}` } });
      }
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for as long as the frame lives
  useEffect(() => {
    chat.onChange = () => setVersion((version) => version + 1);
    hearHost(hear);
    tellHost({ type: 'ready' });
  }, []);
  const hasBegun = draft !== null;
  useEffect(() => {
    if (hasBegun) focusFirst(dialog.current);
  }, [hasBegun]);
  const isAsked = service.isAsked;
  const isReady = service.isReady;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the form and the line to write in take each other's place
  useEffect(() => {
    if (isReady && dialog.current?.contains(document.activeElement) !== true) focusFirst(dialog.current);
  }, [isAsked, isReady]);
  useEffect(() => service.settle(() => setNotice(t('failed'))));
  const resolvedAt = service.ratesResolution;

  return (
    <div
      class="chat"
      role="dialog"
      aria-label={look.title}
      ref={dialog}
      onKeyDown={(event) => {
        if (event.key === 'Escape') tellHost({ type: 'close' });
        if (event.key === 'Tab') keepInside(event, dialog.current!);
      }}
    >
      <Header
        chat={chat}
        look={look}
        isOpen={service.hours.isOpen}
        onMail={service.offers.offerTranscript && chat.messages.length > 0 ? () => setMailing(true) : null}
      />
      <Status chat={chat} />
      <Away
        service={service}
        isAnswered={chat.state.answering === 'human'}
        onChange={() => chat.onChange()}
      />
      <Messages chat={chat} look={look} hasAsked={service.offers.talkToPerson} />
      {isMailing && (
        <Transcript
          service={service}
          onDone={() => {
            setMailing(false);
            focusFirst(dialog.current);
          }}
        />
      )}
      {resolvedAt !== null && (
        <Rating
          service={service}
          resolvedAt={resolvedAt}
          isHidden={isMailing}
          onHide={() => {
            service.finish({ rated: resolvedAt });
            focusFirst(dialog.current);
          }}
        />
      )}
      {look.hasArticles && chat.hasBegun && chat.messages.length + chat.outgoing.length === 0 && (
        <ArticleSearch token={chat.token} />
      )}
      {draft !== null && isReady && isAsked && <AskForm service={service} />}
      {draft !== null && isReady && !isAsked && (
        <Composer
          chat={chat}
          text={draft}
          onText={setDraft}
          recording={recording}
          onRecord={() => {
            setNotice(null);
            setRecording('asked');
            tellHost({ type: 'record' });
          }}
          onRecorded={(wanted) => {
            isWanted.current = wanted;
            tellHost({ type: 'stop' });
          }}
          notice={notice}
          onNotice={setNotice}
          suggests={look.hasArticles}
          person={service.offersPerson ? service : null}
        />
      )}
    </div>
  );
}

function focusFirst(dialog: HTMLElement | null): void {
  dialog
    ?.querySelector<HTMLElement>('footer input:not([hidden]), footer textarea')
    ?.focus({ preventScroll: true });
}

/** The chat is left by Escape, not by accident. */
function keepInside(event: KeyboardEvent, dialog: HTMLElement): void {
  const stops = [
    ...dialog.querySelectorAll<HTMLElement>('button, a[href], textarea, input, [tabindex="0"]'),
  ].filter((one) => one.offsetParent !== null && !one.hasAttribute('disabled'));
  const edge = event.shiftKey ? stops[0] : stops.at(-1);
  if (document.activeElement !== edge) return;
  event.preventDefault();
  (event.shiftKey ? stops.at(-1) : stops[0])?.focus();
}

interface HeaderProps {
  chat: Chat;
  look: WidgetLook;
  /** By the opening hours. */
  isOpen: boolean;
  onMail: (() => void) | null;
}

function Header({ chat, look, isOpen, onMail }: HeaderProps) {
  const { answering, name } = chat.state;
  const person = chat.messages.findLast(({ from }) => from === 'human')?.name ?? null;
  const line =
    answering === 'waiting'
      ? t(isOpen ? 'waiting' : 'waitingClosed')
      : answering === 'human'
        ? person
          ? t('humanNamed', { name: person })
          : t('humanHere')
        : name && name !== t('assistant')
          ? t('assistantNamed', { name })
          : t('assistantHere');
  return (
    <header>
      <div>
        <h1>{look.title}</h1>
        <p class={`presence ${answering}`} role="status">
          {answering === 'assistant' ? icons.spark : <span class="dot" aria-hidden="true" />}
          {line}
        </p>
      </div>
      {onMail && (
        <button type="button" aria-label={t('transcript')} title={t('transcript')} onClick={onMail}>
          {icons.mail}
        </button>
      )}
      <button
        type="button"
        aria-label={t('close')}
        title={t('close')}
        onClick={() => tellHost({ type: 'close' })}
      >
        {icons.close}
      </button>
    </header>
  );
}

/** Shown with a delay: short interruptions are not reported. */
function Status({ chat }: { chat: Chat }) {
  const [isLate, setLate] = useState(false);
  const { connection } = chat;
  const isLost = connection === 'offline' || connection === 'connecting';
  useEffect(() => {
    const timer = setTimeout(() => setLate(isLost), isLost ? 1_500 : 0);
    return () => clearTimeout(timer);
  }, [isLost]);
  if (connection === 'unreachable') {
    return (
      <p class="status" role="status">
        {t('unreachable')}{' '}
        <button type="button" onClick={() => tellHost({ type: 'start' })}>
          {t('retry')}
        </button>
      </p>
    );
  }
  if (!isLost || !isLate) return null;
  return (
    <p class="status" role="status">
      {t(connection === 'offline' || !navigator.onLine ? 'offline' : 'connecting')}
    </p>
  );
}

function Messages({ chat, look, hasAsked }: { chat: Chat; look: WidgetLook; hasAsked: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const before = useRef({ first: '', height: 0, count: 0 });
  const [hasNews, setNews] = useState(false);
  const { messages, outgoing } = chat;
  const seenUpTo = lastSeen(messages, chat.state.unseen);

  useLayoutEffect(() => {
    const own = box.current!;
    const first = messages[0]?.id ?? '';
    const count = messages.length + outgoing.length;
    // Keeps the scroll position when earlier messages are added above.
    if (before.current.first && first !== before.current.first && !isAtEnd.current) {
      own.scrollTop += own.scrollHeight - before.current.height;
    } else if (isAtEnd.current || outgoing.length > 0) own.scrollTop = own.scrollHeight;
    else if (count > before.current.count) setNews(true);
    before.current = { first, height: own.scrollHeight, count };
  });

  const toEnd = () => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
    setNews(false);
  };
  return (
    <div class="view">
      <div
        class="messages"
        ref={box}
        role="log"
        aria-label={t('messages')}
        aria-live="polite"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls is reached by the keyboard too
        tabIndex={0}
        onScroll={({ currentTarget }) => {
          const { scrollHeight, scrollTop, clientHeight } = currentTarget;
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearEndPx;
          if (isAtEnd.current) setNews(false);
          if (scrollTop < 40 && chat.older) void chat.loadOlder();
        }}
      >
        {chat.older ? (
          <button
            type="button"
            class="earlier"
            onClick={() => void chat.loadOlder()}
            disabled={chat.isLoadingOlder}
          >
            {t('earlier')}
          </button>
        ) : (
          <div class="message assistant greeting last">
            <div class="line">
              <div class="bubble">
                <div class="text">
                  <p>{look.greeting || t('greeting')}</p>
                </div>
              </div>
            </div>
          </div>
        )}
        {messages.map((message, index) => {
          const previous = messages[index - 1];
          const next = messages[index + 1];
          const isNewDay = !previous || dayOf(previous.at) !== dayOf(message.at);
          return (
            <>
              {isNewDay && (
                <p key={`day-${message.id}`} class="day">
                  {dayOf(message.at)}
                </p>
              )}
              <Message
                key={message.id}
                chat={chat}
                message={message}
                isFirst={isNewDay || !isSameAuthor(previous, message)}
                isLast={!next || !isSameAuthor(message, next) || next.at - message.at > 300_000}
                isSeen={message.position <= seenUpTo}
              />
            </>
          );
        })}
        {outgoing.map((message) => (
          <Pending key={message.clientId} chat={chat} message={message} />
        ))}
        {hasAsked && chat.state.answering === 'waiting' && <p class="asked">{t('personAsked')}</p>}
        <Typing chat={chat} />
      </div>
      {hasNews && (
        <button type="button" class="news" onClick={toEnd}>
          {icons.down}
          {t('newMessages')}
        </button>
      )}
    </div>
  );
}

function Typing({ chat }: { chat: Chat }) {
  if (!chat.typing && !(chat.isAnswerExpected && chat.state.answering === 'assistant')) return null;
  const name = chat.typing ?? chat.state.name;
  return (
    <div class="message assistant typing">
      <div class="bubble" role="img" aria-label={name ? t('typing', { name }) : t('someoneTyping')}>
        <i />
        <i />
        <i />
      </div>
    </div>
  );
}

const isSameAuthor = (a: VisitorMessage | undefined, b: VisitorMessage) =>
  a?.from === b.from && a.name === b.name;

/** Answered, or no longer unseen by the team. */
function lastSeen(messages: readonly VisitorMessage[], unseen: number): number {
  const own = messages.filter(({ from }) => from === 'customer');
  const looked = own.at(-1 - unseen)?.position ?? 0;
  const answered = messages.findLast(({ from }) => from !== 'customer')?.position ?? 0;
  return Math.max(looked, answered);
}
