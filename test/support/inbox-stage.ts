/** The inbox in the dashboard, with agents that wait, so that nothing happens in its chats except what a test does. */
import type { Page } from 'playwright-core';
import { type BrowserStage, type DashboardStage, go, startDashboard, type Visitor } from './dashboard.ts';
import { inboxOf } from './inbox.ts';
import type { Json } from './service.ts';

let made = 0;

export interface InboxStage<Stage extends DashboardStage = DashboardStage> {
  stage: Stage;
  inbox: ReturnType<typeof inboxOf>;
  visitor: Visitor;
  page: Page;
  channel: Json;
  agent: Json;
  /** A conversation of a customer of this name, paused or not; its id. */
  begin(name: string, body?: object): Promise<string>;
  /** Loads the dashboard, too. */
  open(sessionId: string, who?: Page): Promise<void>;
  /**
   * As a link does, in a dashboard that is open: a sixth of the processor time. It keeps what it has read and the
   * messages it shows: a test that changed a list behind its back, or that undoes something, loads it.
   */
  goTo(sessionId: string, who?: Page): Promise<void>;
  messages(sessionId: string): Promise<Json[]>;
}

/** `start`: in a browser, or in the DOM (dom/dashboard.ts). */
export async function startInbox<Stage extends DashboardStage = BrowserStage>(
  start: () => Promise<Stage> = startDashboard as () => Promise<DashboardStage> as () => Promise<Stage>,
): Promise<InboxStage<Stage>> {
  const stage = await start();
  const { call, admin } = stage.service;
  const inbox = inboxOf(stage.service);
  const agent = (await call('GET', '/agents')).body.items[0];
  await call('PATCH', `/agents/${agent.id}`, { body: { batchWindowMs: 60_000 } });
  const channel = (await call('GET', '/channels')).body.items.find((one: Json) => one.identifier === 'api');
  await call('PATCH', `/users/${admin.userId}`, { token: admin.jwt, body: { name: 'Clara Nunes' } });
  const visitor = await stage.open(admin);
  const { page } = visitor;
  const titles = new Map<string, string>();
  return {
    stage,
    inbox,
    visitor,
    page,
    channel,
    agent,
    async begin(name, body = {}) {
      const sessionId = `talk-${++made}`;
      const said = {
        content: `Hello from ${name}`,
        sessionName: name,
        externalUserId: `+49170555${String(1000 + made)}`,
        ...body,
      };
      await inbox.customerSays(sessionId, said);
      titles.set(sessionId, said.sessionName);
      return sessionId;
    },
    async open(sessionId, who = page) {
      await who.goto(`${stage.base}/app/inbox/${encodeURIComponent(sessionId)}`);
      await who.getByRole('log').waitFor();
    },
    async goTo(sessionId, who = page) {
      await go(who, `/inbox/${encodeURIComponent(sessionId)}`);
      // The conversation before has a log, too.
      await who
        .getByRole('heading', { name: titles.get(sessionId) })
        .first()
        .waitFor();
      await who.getByRole('log').waitFor();
    },
    messages: async (sessionId) =>
      (await call('GET', `/sessions/${sessionId}/messages?order=asc&limit=100`)).body.items,
  };
}
