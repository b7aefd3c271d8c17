import { useEffect, useRef, useState } from 'preact/hooks';
import { icons } from '../icons.tsx';
import { t } from '../texts.ts';
import { Card, isEmail, TextInput } from './parts.tsx';
import type { Service } from './service.ts';

/** The visitor confirms the address in the form before anything is sent. */
export function Transcript({ service, onDone }: { service: Service; onDone(): void }) {
  const [email, setEmail] = useState(service.self.email ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const status = useRef<HTMLParagraphElement>(null);
  const isBusy = useRef(false);
  useEffect(() => box.current?.querySelector('input')?.focus(), []);
  const send = async () => {
    const address = email.trim();
    if (!isEmail(address)) {
      setProblem(t('emailWrong'));
      return;
    }
    if (isBusy.current) return;
    isBusy.current = true;
    try {
      setProblem(null);
      await service.sendTranscript(address);
      setSentTo(address);
      // The field disappears: its focus moves here.
      if (box.current?.contains(document.activeElement)) status.current?.focus();
    } catch {
      setProblem(t('failed'));
    }
    isBusy.current = false;
  };
  return (
    <div class="offer" ref={box}>
      <Card title={t('transcriptTo')}>
        <button type="button" class="tool hide" aria-label={t('hide')} title={t('hide')} onClick={onDone}>
          {icons.close}
        </button>
        {sentTo === null && (
          <>
            <TextInput
              label={t('email')}
              type="email"
              autoComplete="email"
              required
              value={email}
              error={problem}
              onInput={setEmail}
              onEnter={send}
            />
            <div class="actions">
              <button type="button" class="main" onClick={send}>
                {t('transcriptSend')}
              </button>
            </div>
          </>
        )}
        <p class="hint" role="status" tabIndex={-1} ref={status}>
          {sentTo === null ? '' : t('transcriptSent', { email: sentTo })}
        </p>
      </Card>
    </div>
  );
}
