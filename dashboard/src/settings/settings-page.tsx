import { Link, Navigate, Outlet, useParams } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { PageHeader } from '../app/page-header.tsx';
import { useSignedIn } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { groupsFor } from './settings-sections.tsx';

const wide = matchMedia('(min-width: 768px)');
const useIsWide = () =>
  useSyncExternalStore(
    (listener) => {
      wide.addEventListener('change', listener);
      return () => wide.removeEventListener('change', listener);
    },
    () => wide.matches,
  );

/** A list of sections at the left, the chosen one beside it; on a phone one after the other. */
export function SettingsPage() {
  const signedIn = useSignedIn();
  const { section } = useParams({ strict: false });
  const isWide = useIsWide();
  const groups = groupsFor(signedIn);
  if (!section && isWide) {
    return <Navigate to="/settings/$section" params={{ section: 'profile' }} replace />;
  }
  return (
    <>
      <PageHeader title={t('settings.title')} />
      <div className="flex min-h-0 flex-1">
        <nav
          ref={sideMenu}
          aria-label={t('settings.sections')}
          className={cx(
            'shrink-0 overflow-y-auto border-line p-2 max-md:w-full md:w-52 md:border-r',
            section && 'max-md:hidden',
          )}
        >
          {groups.map((group) => (
            <div key={group.label()} className="mb-3">
              <h2 className="px-2 pt-1 pb-1 text-sm font-medium text-faint">{group.label()}</h2>
              <ul className="flex flex-col gap-px">
                {group.sections.map(({ id, label, icon }) => (
                  <li key={id}>
                    <Link
                      to="/settings/$section"
                      params={{ section: id }}
                      className="flex h-7 items-center gap-2 rounded-control px-2 text-muted transition-colors hover:bg-hover hover:text-ink max-md:h-10"
                      activeProps={{ className: 'bg-pressed font-medium text-ink!' }}
                    >
                      {icon}
                      <span className="min-w-0 flex-1 truncate">{label()}</span>
                      <ChevronRight className="size-4 text-faint md:hidden" />
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
        {section && <Outlet />}
      </div>
    </>
  );
}

/** Toasts are placed beside the menu, so that they cover no link. */
function sideMenu(menu: HTMLElement | null): (() => void) | undefined {
  if (!menu) return;
  const { style } = document.documentElement;
  style.setProperty('--side-menu', '13rem');
  return () => style.removeProperty('--side-menu');
}
