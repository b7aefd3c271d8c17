import { useRef, useState } from 'preact/hooks';
import { t } from '../texts.ts';
import { Card, isEmail, TextInput } from './parts.tsx';
import type { Service } from './service.ts';

/** Name and e-mail address, before the visitor writes. */
export function AskForm({ service }: { service: Service }) {
  const ask = service.offers.ask!;
  const [name, setName] = useState(service.self.name ?? '');
  const [email, setEmail] = useState(service.self.email ?? '');
  const [isChecked, setChecked] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const isBusy = useRef(false);
  const box = useRef<HTMLDivElement>(null);
  const given = { name: name.trim(), email: email.trim() };
  const lacksName = ask.name === 'required' && !given.name;
  const lacksEmail = given.email ? !isEmail(given.email) : ask.email === 'required';
  const isOptional = ask.name !== 'required' && ask.email !== 'required';

  const submit = async () => {
    setChecked(true);
    if (lacksName || lacksEmail) {
      box.current?.querySelectorAll('input')[ask.name !== 'off' && !lacksName ? 1 : 0]?.focus();
      return;
    }
    if (isBusy.current) return;
    isBusy.current = true;
    try {
      await service.giveDetails({ name: given.name || null, email: given.email || null });
    } catch {
      setProblem(t('failed'));
    }
    isBusy.current = false;
  };
  const label = (text: string, asked: string) => (asked === 'optional' ? `${text} ${t('optional')}` : text);
  return (
    <footer ref={box}>
      <Card title={t('who')}>
        {ask.name !== 'off' && (
          <TextInput
            label={label(t('name'), ask.name)}
            autoComplete="name"
            required={ask.name === 'required'}
            value={name}
            error={isChecked && lacksName ? t('nameMissing') : null}
            onInput={setName}
            onEnter={submit}
          />
        )}
        {ask.email !== 'off' && (
          <TextInput
            label={label(t('email'), ask.email)}
            type="email"
            autoComplete="email"
            required={ask.email === 'required'}
            value={email}
            error={isChecked && lacksEmail ? t('emailWrong') : null}
            onInput={setEmail}
            onEnter={submit}
          />
        )}
        {problem && (
          <p class="notice" role="alert">
            {problem}
          </p>
        )}
        <div class="actions">
          {isOptional && (
            <button type="button" class="plain" onClick={() => service.finish({ asked: true })}>
              {t('skip')}
            </button>
          )}
          <button type="button" class="main" onClick={submit}>
            {t('continue')}
          </button>
        </div>
      </Card>
    </footer>
  );
}
