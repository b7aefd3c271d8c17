/** The addresses of the dashboard. Every view is loaded when it is first opened. */
import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { lazyView } from './app/lazy-view.tsx';
import { root } from './app/root-route.tsx';
import { Shell } from './app/shell.tsx';
import { redirectToStart } from './app/start-redirect.ts';
import { readBoardSearch } from './board/board-search.ts';
import { sessionState } from './data/session.ts';
import { readConversationSearch } from './inbox/search/conversation-search.ts';
import { publicRoutes } from './login/public-routes.ts';
import { readReportSearch } from './reports/report-search.ts';
import { withTexts } from './texts/texts.ts';
import { ErrorState } from './ui/display/states.tsx';

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: ({ location }) => {
    const session = sessionState();
    if (session.kind === 'signedIn') {
      if (session.signedIn.mustSetUpFactor) throw redirect({ to: '/set-up-factor' });
      return;
    }
    throw redirect({
      to: '/login',
      search: { next: location.pathname === '/' ? undefined : location.href },
    });
  },
  component: Shell,
});

const start = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: redirectToStart,
});

const board = createRoute({
  getParentRoute: () => shell,
  path: '/boards/$boardId',
  validateSearch: readBoardSearch,
  component: lazyView(() => import('./board/board-page.tsx'), 'BoardPage'),
});
const record = createRoute({
  getParentRoute: () => board,
  path: '/records/$recordId',
  component: lazyView(() => import('./record/record-panel.tsx'), 'RecordPanelRoute'),
});
const loadBoardSettings = withTexts(
  'boardSettings',
  () => import('./board/settings/board-settings-page.tsx'),
);
const boardSettings = createRoute({
  getParentRoute: () => shell,
  path: '/boards/$boardId/settings',
  component: lazyView(loadBoardSettings, 'BoardSettingsPage'),
});
/** Choosing a file; with an id, that import on its way from mapping to result. */
const loadImport = withTexts('import', () => import('./import/import-page.tsx'));
const boardImport = createRoute({
  getParentRoute: () => shell,
  path: '/boards/$boardId/import',
  component: lazyView(loadImport, 'ImportPage'),
});
const boardImportItem = createRoute({
  getParentRoute: () => shell,
  path: '/boards/$boardId/import/$importId',
  validateSearch: (search: { step?: unknown }): { step?: 'check' } => ({
    step: search.step === 'check' ? 'check' : undefined,
  }),
  component: lazyView(loadImport, 'ImportPage'),
});

/** A newcomer's first steps. */
const loadStart = withTexts('start', () => import('./start/start-page.tsx'));
const firstSteps = createRoute({
  getParentRoute: () => shell,
  path: '/start',
  component: lazyView(loadStart, 'StartPage'),
});

/** A record by its id alone, as in a push message: its board is looked up. */
const anyRecord = createRoute({
  getParentRoute: () => shell,
  path: '/records/$recordId',
  component: lazyView(() => import('./record/record-redirect.tsx'), 'RecordRedirect'),
});
const loadTasks = withTexts('tasks', () => import('./tasks/my-tasks-page.tsx'));
const tasks = createRoute({
  getParentRoute: () => shell,
  path: '/tasks',
  component: lazyView(loadTasks, 'MyTasksPage'),
});

const contacts = createRoute({
  getParentRoute: () => shell,
  path: '/contacts',
  component: lazyView(
    withTexts('contacts', () => import('./contacts/contacts-page.tsx')),
    'ContactsPage',
  ),
});
const contact = createRoute({
  getParentRoute: () => shell,
  path: '/contacts/$contactId',
  component: lazyView(
    withTexts('contacts', () => import('./contacts/contact-page.tsx')),
    'ContactPage',
  ),
});

const loadInbox = withTexts('inbox', () => import('./inbox/inbox-page.tsx'));
const inbox = createRoute({
  getParentRoute: () => shell,
  path: '/inbox',
  component: lazyView(loadInbox, 'InboxPage'),
});
const conversation = createRoute({
  getParentRoute: () => inbox,
  path: '/$sessionId',
  validateSearch: readConversationSearch,
  component: lazyView(
    withTexts('inbox', () => import('./inbox/conversation/conversation.tsx')),
    'ConversationRoute',
  ),
});

const loadKnowledge = withTexts('knowledge', () => import('./knowledge/knowledge-page.tsx'));
const knowledge = createRoute({
  getParentRoute: () => shell,
  path: '/knowledge',
  component: lazyView(loadKnowledge, 'KnowledgePage'),
});
/** A source, a run or a document. */
const knowledgeItem = createRoute({
  getParentRoute: () => shell,
  path: '/knowledge/$part/$itemId',
  component: lazyView(loadKnowledge, 'KnowledgeItem'),
});

const loadReports = withTexts('reports', () => import('./reports/reports-page.tsx'));
const reports = createRoute({
  getParentRoute: () => shell,
  path: '/reports',
  validateSearch: readReportSearch,
  component: lazyView(loadReports, 'ReportsPage'),
});

const whatsNew = createRoute({
  getParentRoute: () => shell,
  path: '/whats-new',
  component: lazyView(() => import('./releases/whats-new-page.tsx'), 'WhatsNewPage'),
});

const loadSettings = withTexts(
  'security',
  withTexts('settings', () => import('./settings/settings-page.tsx')),
);
const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  component: lazyView(loadSettings, 'SettingsPage'),
});
const loadSection = withTexts(
  'security',
  withTexts('settings', () => import('./settings/settings-section.tsx')),
);
const settingsSection = createRoute({
  getParentRoute: () => settings,
  path: '/$section',
  component: lazyView(loadSection, 'SettingsSection'),
});
/** One webhook, channel, agent, team or account. */
const settingsItem = createRoute({
  getParentRoute: () => settings,
  path: '/$section/$itemId',
  component: lazyView(loadSection, 'SettingsItem'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    ...publicRoutes,
    shell.addChildren([
      start,
      firstSteps,
      board.addChildren([record]),
      boardSettings,
      boardImport,
      boardImportItem,
      anyRecord,
      tasks,
      contacts,
      contact,
      inbox.addChildren([conversation]),
      knowledge,
      knowledgeItem,
      reports,
      whatsNew,
      settings.addChildren([settingsSection, settingsItem]),
    ]),
  ]),
  basepath: '/app',
  defaultPreload: 'intent',
  defaultPendingMs: 200,
  // In the place of the view: the navigation stays.
  defaultErrorComponent: ({ error, reset }) => (
    <ErrorState error={error} onRetry={reset} className="h-full" />
  ),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
