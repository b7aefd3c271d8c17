/** Every view but the settings: no serious violation in either theme, no error, and nothing wider than a phone. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { violationsInBothThemes } from '../support/accessibility.ts';
import { type AutomationPlaces, automationViews, fillAutomation } from '../support/automation-views.ts';
import { type DashboardStage, go, settled, startDashboard } from '../support/dashboard.ts';
import { fillInbox } from '../support/demo-inbox.ts';
import { fillForPictures, type PicturePlaces } from '../support/demo-workspace.ts';
import { fillKnowledge, type KnowledgePlaces, knowledgeViews } from '../support/knowledge-workspace.ts';
import { type View, viewsOf } from '../support/views.ts';
import { loopbackAllowed } from '../support/webhooks.ts';

/** In the first line of the report, which a shortened one keeps. */
const none = (problems: readonly string[]) => assert.equal(problems.length, 0, problems.join('; '));

describe('the looks of the views', () => {
  let stage: DashboardStage;
  let places: PicturePlaces;
  let knowledge: KnowledgePlaces;
  let automation: AutomationPlaces;
  before(async () => {
    stage = await startDashboard(loopbackAllowed);
    places = await fillForPictures(stage.service);
    await fillInbox(stage.service);
    knowledge = await fillKnowledge(stage.service);
    automation = await fillAutomation(stage.service);
    await stage.service.call('POST', '/labels', { body: { name: 'Refund', color: 'orange' } });
  });
  after(() => stage.close());

  /** Dialogs of the view before stay open unless the page is loaded. */
  const visitAll = async (
    viewport: { width: number; height: number },
    check: (page: Page) => Promise<string[]>,
    views: readonly View[] = [
      ...viewsOf(places),
      ...knowledgeViews(knowledge),
      ...automationViews(automation),
    ],
  ): Promise<string[]> => {
    const guest = await stage.visit({ viewport, path: '/login' });
    const admin = await stage.open(stage.service.admin, { viewport });
    const found: string[] = [];
    let isClean = true;
    for (const view of views) {
      if (view.wideOnly && viewport.width < 768) continue;
      const { page, errors } = view.signedOut ? guest : admin;
      if (isClean) await go(page, view.path);
      else await page.goto(`${stage.base}/app${view.path}`);
      isClean = !view.act;
      await settled(page);
      const failed = await view.act?.(page).then(
        () => null,
        (error: Error) => error.message,
      );
      await settled(page);
      const problems = [...(failed ? [failed] : []), ...(await check(page)), ...errors()];
      found.push(...problems.map((problem) => `${view.name}: ${problem}`));
    }
    await admin.close();
    await guest.close();
    return found;
  };

  it('have no serious violation of accessibility in either theme, and no error', async () => {
    none(await visitAll({ width: 1440, height: 900 }, violationsInBothThemes));
  });

  const phone = { width: 360, height: 740 };
  const isNarrow = async (page: Page) =>
    (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) ? ['scrolls sideways'] : [];

  it('are not wider than a phone', async () => {
    none(await visitAll(phone, isNarrow));
  });

  it('of rules, hours and service levels are not wider than a phone in other languages', async () => {
    const { call, admin } = stage.service;
    // What is done in a view is named in English.
    const views = automationViews(automation).filter(({ act }) => !act);
    const found: string[] = [];
    for (const language of ['pt', 'es']) {
      await call('PATCH', '/auth/me', { token: admin.jwt, body: { language } });
      found.push(...(await visitAll(phone, isNarrow, views)).map((problem) => `${language}: ${problem}`));
    }
    await call('PATCH', '/auth/me', { token: admin.jwt, body: { language: 'en' } });
    none(found);
  });
});
