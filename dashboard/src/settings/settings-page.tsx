import { Outlet } from '@tanstack/react-router';
import { PageHeader } from '../app/page-header.tsx';
import { t } from '../texts/texts.ts';

/** A list of sections at the left, the chosen one's forms beside it. */
export function SettingsPage() {
  return (
    <>
      <PageHeader title={t('settings.title')} />
      <Outlet />
    </>
  );
}
