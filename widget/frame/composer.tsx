import { useEffect, useRef, useState } from 'preact/hooks';
import { attachmentKinds, visitorLimits } from '../../contract/limits.ts';
import { clock } from './attachment.tsx';
import type { Chat } from './chat.ts';
import { tellHost } from './host.ts';
import { icons } from './icons.tsx';
import type { Service } from './service/service.ts';
import { Suggestions } from './suggestions.tsx';
import { t } from './texts.ts';

const accepted = Object.values(attachmentKinds).flatMap(({ types }) => [...types]);
const typingEveryMs = 2_000;
const typingEndsMs = 4_000;

export interface ComposerProps {
  chat: Chat;
  /** Kept by the caller: it outlives the line to write in. */
  text: string;
  onText(text: string): void;
  /** 'recorded' hands the recording over once. */
  recording: 'no' | 'asked' | 'yes';
  onRecord(): void;
  onRecorded(isWanted: boolean): void;
  notice: string | null;
  onNotice(text: string | null): void;
  /** Articles of the help center for what is written. */
  suggests: boolean;
  /** Null: there is no button to ask for a person. */
  person: Pick<Service, 'requestPerson' | 'isPersonWanted'> | null;
}

export function Composer(props: ComposerProps) {
  const { chat, text, onText, recording, onRecord, onRecorded, notice, onNotice, suggests, person } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const lastTyping = useRef(0);
  const ends = useRef<ReturnType<typeof setTimeout>>(undefined);

  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again whenever the text changes
  useEffect(() => {
    const own = area.current;
    if (!own) return;
    own.style.height = 'auto';
    own.style.height = `${Math.min(own.scrollHeight, 132)}px`;
  }, [text]);

  const stopTyping = () => {
    clearTimeout(ends.current);
    if (lastTyping.current) chat.write(false);
    lastTyping.current = 0;
  };
  const change = (value: string) => {
    onText(value);
    tellHost({ type: 'keep', draft: value });
    if (!value.trim()) {
      stopTyping();
      return;
    }
    const now = Date.now();
    if (now - lastTyping.current > typingEveryMs) {
      lastTyping.current = now;
      chat.write(true);
    }
    clearTimeout(ends.current);
    ends.current = setTimeout(stopTyping, typingEndsMs);
  };
  const send = () => {
    if (!text.trim()) return;
    stopTyping();
    chat.say(text.trim());
    onNotice(null);
    change('');
    area.current?.focus();
  };
  const mayUpload = (): boolean => {
    onNotice(chat.mayUpload ? null : t('writeFirst'));
    if (!chat.mayUpload) area.current?.focus();
    return chat.mayUpload;
  };
  const attach = (files: Iterable<File> | null | undefined) => {
    if (!mayUpload()) return;
    for (const file of files ?? []) {
      const kind = Object.values(attachmentKinds).find(({ types }) =>
        (types as readonly string[]).includes(file.type),
      );
      if (!kind) onNotice(t('notAllowed'));
      else if (file.size > Math.min(kind.maxBytes, visitorLimits.fileBytes)) onNotice(t('tooLarge'));
      else chat.say('', { file: { blob: file, name: file.name || 'file' } });
    }
    if (picker.current) picker.current.value = '';
  };

  return (
    <footer>
      {notice && (
        <p class="notice" role="alert">
          {notice}
        </p>
      )}
      {suggests && <Suggestions token={chat.token} text={text} />}
      {person && (
        <button
          type="button"
          class="ask-person"
          disabled={person.isPersonWanted}
          onClick={() => {
            person.requestPerson();
            area.current?.focus();
          }}
        >
          {t('person')}
        </button>
      )}
      {recording === 'yes' ? (
        <Recording onEnd={onRecorded} />
      ) : (
        <div class="composer">
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            accept={accepted.join(',')}
            onChange={({ currentTarget }) => attach(currentTarget.files)}
          />
          <button
            type="button"
            class="tool"
            aria-label={t('attach')}
            title={t('attach')}
            onClick={() => mayUpload() && picker.current?.click()}
          >
            {icons.attach}
          </button>
          <textarea
            ref={area}
            rows={1}
            value={text}
            maxLength={20_000}
            aria-label={t('write')}
            placeholder={t('write')}
            onInput={({ currentTarget }) => change(currentTarget.value)}
            onPaste={(event) => {
              const files = event.clipboardData?.files;
              if (!files?.length) return;
              event.preventDefault();
              attach(files);
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
              event.preventDefault();
              send();
            }}
          />
          {text.trim() ? (
            <button type="button" class="send" aria-label={t('send')} title={t('send')} onClick={send}>
              {icons.send}
            </button>
          ) : (
            <button
              type="button"
              class="tool"
              aria-label={t('record')}
              title={t('record')}
              disabled={recording === 'asked'}
              onClick={() => mayUpload() && onRecord()}
            >
              {icons.microphone}
            </button>
          )}
        </div>
      )}
    </footer>
  );
}

function Recording({ onEnd }: { onEnd(isWanted: boolean): void }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const began = Date.now();
    const timer = setInterval(() => setSeconds((Date.now() - began) / 1_000), 250);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="composer recorder">
      <button
        type="button"
        class="tool"
        aria-label={t('cancel')}
        title={t('cancel')}
        onClick={() => onEnd(false)}
      >
        {icons.close}
      </button>
      <span class="pulse" aria-hidden="true" />
      <span role="status">{t('recording')}</span>
      <time>{clock(seconds)}</time>
      <button type="button" class="send" aria-label={t('stop')} title={t('stop')} onClick={() => onEnd(true)}>
        {icons.send}
      </button>
    </div>
  );
}
