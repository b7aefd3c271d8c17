/** The frame around every view of a signed-in user. */
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useSessionState } from '../data/session.ts';
import { t, withTexts } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { loadViewsWhenIdle } from './lazy-view.tsx';
import { OpenRail } from './page-header.tsx';
import { Rail } from './rail.tsx';
import { useRemembered } from './remembered.ts';
import { UnsentChanges, useHasUnsentChanges } from './resume-changes.ts';
import { useShortcut } from './shortcuts.tsx';
import { chooseTheme, isDark } from './theme.ts';

// It lists the sections of the settings, so it needs their texts.
const Palette = lazy(
  withTexts(
    'palette',
    withTexts('settings', () => import('../palette/palette.tsx')),
  ),
);
const ShortcutsHelp = lazy(() => import('./shortcuts-help.tsx'));
const NewBoard = lazy(() => import('../board/new-board.tsx'));

export function Shell() {
  const session = useSessionState();
  const hasUnsentChanges = useHasUnsentChanges();
  const navigate = useNavigate();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [folded, setFolded] = useRemembered('rail-folded', false);
  const [drawer, setDrawer] = useState(false);
  const [opened, setOpened] = useState<'commands' | 'help' | 'new-board' | null>(null);
  /** What had the focus before the palette, and what was typed before it was loaded. */
  const beforePalette = useRef<{ focus: HTMLElement | null; text: string }>({ focus: null, text: '' });
  const [isPaletteReady, setPaletteReady] = useState(false);
  const openPalette = () => {
    if (opened === 'commands') return setOpened(null);
    beforePalette.current = { focus: document.activeElement as HTMLElement | null, text: '' };
    // The next key may come before React would render.
    flushSync(() => {
      setPaletteReady(false);
      setOpened('commands');
    });
  };
  const isOpen = (what: typeof opened) => ({
    open: opened === what,
    onOpenChange: (open: boolean) => setOpened(open ? what : null),
  });

  useEffect(loadViewsWhenIdle, []);
  useEffect(() => {
    if (session.kind === 'signedOut')
      void navigate({ to: '/login', search: { next: path === '/' ? undefined : path } });
  }, [session.kind, navigate, path]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the drawer
  useEffect(() => setDrawer(false), [path]);

  useShortcut('mod+k', openPalette, { label: t('shortcuts.commands'), group: 'general' });
  useShortcut('?', () => setOpened('help'), { label: t('shortcuts.help'), group: 'general' });
  useShortcut('g i', () => void navigate({ to: '/inbox' }), {
    label: t('shortcuts.goInbox'),
    group: 'general',
  });
  useShortcut('g b', () => void navigate({ to: '/' }), { label: t('shortcuts.goBoard'), group: 'general' });
  useShortcut('g t', () => void navigate({ to: '/tasks' }), {
    label: t('shortcuts.goTasks'),
    group: 'general',
  });
  useShortcut('g c', () => void navigate({ to: '/contacts' }), {
    label: t('shortcuts.goContacts'),
    group: 'general',
  });
  useShortcut('g r', () => void navigate({ to: '/reports' }), {
    label: t('shortcuts.goReports'),
    group: 'general',
  });
  useShortcut('g s', () => void navigate({ to: '/settings' }), {
    label: t('shortcuts.goSettings'),
    group: 'general',
  });
  useShortcut('shift+d', () => chooseTheme(isDark() ? 'light' : 'dark'), {
    label: t('shortcuts.theme'),
    group: 'general',
  });

  if (session.kind !== 'signedIn') return null;
  const rail = (isFolded: boolean) => (
    <Rail
      folded={isFolded}
      onFold={setFolded}
      onSearch={openPalette}
      onHelp={() => setOpened('help')}
      onNewBoard={() => setOpened('new-board')}
    />
  );
  return (
    <OpenRail value={() => setDrawer(true)}>
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-70 focus:rounded-control focus:bg-raised focus:px-3 focus:py-1.5 focus:shadow-float"
      >
        {t('ui.skip')}
      </a>
      <div className="flex h-full flex-col">
        <ConnectionBanner />
        <div className="flex min-h-0 flex-1">
          <div className="hidden md:block">{rail(folded)}</div>
          {drawer && (
            <div className="fixed inset-0 z-40 md:hidden">
              <button
                type="button"
                aria-label={t('ui.close')}
                className="fade-in absolute inset-0 bg-scrim"
                onClick={() => setDrawer(false)}
              />
              <div className="rise-in absolute inset-y-0 left-0 bg-canvas shadow-float">{rail(false)}</div>
            </div>
          )}
          <main
            id="content"
            tabIndex={-1}
            data-quiet-focus=""
            className={cx('flex min-w-0 flex-1 flex-col bg-surface outline-none')}
          >
            <Outlet />
          </main>
        </div>
      </div>
      {opened === 'commands' && !isPaletteReady && (
        <PaletteComes
          onText={(text) => {
            beforePalette.current.text = text;
          }}
        />
      )}
      <Suspense>
        {opened === 'commands' && (
          <Palette
            {...isOpen('commands')}
            before={beforePalette.current}
            onReady={() => setPaletteReady(true)}
            onHelp={() => setOpened('help')}
            onNewBoard={() => setOpened('new-board')}
          />
        )}
      </Suspense>
      <Suspense>
        {hasUnsentChanges && <UnsentChanges />}
        {opened === 'help' && <ShortcutsHelp {...isOpen('help')} />}
        {opened === 'new-board' && <NewBoard {...isOpen('new-board')} />}
      </Suspense>
    </OpenRail>
  );
}

/** Receives what is typed until the palette's own field has the focus; otherwise it would trigger the page's shortcuts. */
function PaletteComes({ onText }: { onText(text: string): void }) {
  return (
    <input
      ref={(input) => input?.focus()}
      aria-label={t('shortcuts.commands')}
      className="fixed top-[12vh] left-1/2 size-px opacity-0"
      onChange={(event) => onText(event.target.value)}
    />
  );
}
