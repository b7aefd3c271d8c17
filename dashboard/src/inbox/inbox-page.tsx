import { Outlet } from '@tanstack/react-router';
import { PageHeader } from '../app/page-header.tsx';
import { t } from '../texts/texts.ts';

/** List, conversation, context side by side; one at a time on a phone. */
export function InboxPage() {
  return (
    <>
      <PageHeader title={t('inbox.title')} />
      <Outlet />
    </>
  );
}
