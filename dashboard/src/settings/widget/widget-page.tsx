import { PageHeader } from '../../app/page-header.tsx';
import { useIsAdmin } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { EmptyState } from '../../ui/states.tsx';
import WidgetSettings from './widget-settings.tsx';

export function WidgetPage() {
  if (!useIsAdmin())
    return <EmptyState title={t('error.forbidden.title')} text={t('error.forbidden.text')} />;
  return (
    <>
      <PageHeader title={t('widget.title')} />
      <WidgetSettings />
    </>
  );
}
