/**
 * The dashboard on a whole service, in a DOM in this process, for about a third of a browser's processor time.
 * For what a view does. How it looks, where things are, and what axe finds needs test/support/dashboard.ts.
 */
import type { BrowserContext } from 'playwright-core';
import { buildDashboardNode } from '../../../scripts/build-dashboard-node.ts';
import { type DashboardStage, openStage, type StageOptions } from '../dashboard.ts';
import { type ContextOptions, DomContext } from './page.ts';
import { keepCompiled } from './scripts.ts';

/**
 * With the types of Playwright, so that tests and what they use serve both; a method that the DOM does not offer is not
 * there.
 */
export async function startDashboard(
  env: Record<string, string> = {},
  options: StageOptions = {},
): Promise<DashboardStage> {
  await buildDashboardNode();
  const contexts: DomContext[] = [];
  return openStage(env, '127.0.0.1', options, (service, base) => ({
    async newContext(settings) {
      const context = new DomContext(service.app, base, settings as ContextOptions);
      contexts.push(context);
      return context as unknown as BrowserContext;
    },
    close: async () => {
      for (const context of contexts) await context.close();
      keepCompiled();
    },
  }));
}
