/** A form on a page of its own, in the settings: fields, the service's error, and its two buttons. */
import { ArrowLeft } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { describeError } from '../../../data/errors.ts';
import { t } from '../../../texts/texts.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Section } from '../../parts/section.tsx';

export interface FormPageProps {
  title: string;
  description?: ReactNode;
  action: string;
  ready: boolean;
  onSubmit(): Promise<unknown>;
  onBack(): void;
  /** Before the main button. */
  aside?: ReactNode;
  children: ReactNode;
}

export function FormPage(props: FormPageProps) {
  const { title, description, action, ready, onSubmit, onBack, aside, children } = props;
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!ready || busy) return;
    setBusy(true);
    setError('');
    try {
      await onSubmit();
    } catch (failure) {
      setError(describeError(failure).text);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Section
      parent={{ id: 'channels', label: t('settings.channels') }}
      title={title}
      description={description}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        {children}
        {error && (
          <p role="alert" className="text-danger">
            {error}
          </p>
        )}
        <div className="flex items-center justify-between gap-2 border-t border-line pt-4">
          <Button tone="quiet" icon={<ArrowLeft className="size-3.5" />} onClick={onBack}>
            {t('connectors.allKinds')}
          </Button>
          <span className="flex gap-2">
            {aside}
            <Button type="submit" tone="primary" busy={busy} disabled={!ready}>
              {action}
            </Button>
          </span>
        </div>
      </form>
    </Section>
  );
}
