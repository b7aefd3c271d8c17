import { useRouter } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
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
