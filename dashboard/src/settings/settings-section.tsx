import { useParams } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { type ReactNode, Suspense } from 'react';
import { useSignedIn } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { EmptyState } from '../ui/display/states.tsx';
import { SectionSkeleton } from './parts/section.tsx';
import { groupsFor } from './settings-sections.tsx';

const useEntry = (id: string) =>
  groupsFor(useSignedIn())
    .flatMap(({ sections }) => sections)
    .find((section) => section.id === id);

export function SettingsSection() {
  const { section } = useParams({ from: '/shell/settings/$section' });
  const entry = useEntry(section);
  if (!entry) return <NotHere />;
  return (
    <Loaded key={section}>
      <entry.view />
    </Loaded>
  );
}

export function SettingsItem() {
  const { section, itemId } = useParams({ from: '/shell/settings/$section/$itemId' });
  const entry = useEntry(section);
  if (!entry?.item) return <NotHere />;
  return (
    <Loaded key={itemId}>
      <entry.item itemId={itemId} />
    </Loaded>
  );
}

const Loaded = ({ children }: { children: ReactNode }) => (
  <Suspense fallback={<SectionSkeleton />}>{children}</Suspense>
);

/** The same for what does not exist and for what this person may not use. */
const NotHere = () => (
  <EmptyState
    icon={<Compass className="size-4" />}
    title={t('settings.missing.title')}
    text={t('settings.missing.text')}
  />
);
