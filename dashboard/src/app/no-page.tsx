import { useRouter } from '@tanstack/react-router';
import { Compass, Lock } from 'lucide-react';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { EmptyState } from '../ui/display/states.tsx';

export function NoPage() {
  const to = useRouter();
  return (
    <EmptyState
      className="h-full"
      icon={<Compass className="size-4" />}
      title={t('error.noPage.title')}
      text={t('error.noPage.text')}
      action={<Button onClick={() => void to.navigate({ to: '/' })}>{t('error.noPage.home')}</Button>}
    />
  );
}

/** A page that the user's role does not have, reached by its address. */
export function NoAccess() {
  const to = useRouter();
  return (
    <EmptyState
      className="h-full"
      icon={<Lock className="size-4" />}
      title={t('error.noAccess.title')}
      text={t('error.noAccess.text')}
      action={<Button onClick={() => void to.navigate({ to: '/' })}>{t('error.noPage.home')}</Button>}
    />
  );
}
