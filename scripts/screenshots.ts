/** `npm run screenshots [words…]`: every view in both themes and at phone width, from demo data, into screenshots/. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { automationViews, fillAutomation } from '../test/support/automation-views.ts';
import { settled, startDashboard } from '../test/support/dashboard.ts';
import { startTestServer } from '../test/support/database.ts';
import { fillInbox } from '../test/support/demo-inbox.ts';
import { fillForPictures } from '../test/support/demo-workspace.ts';
import { fillKnowledge, knowledgeViews } from '../test/support/knowledge-workspace.ts';
import { root } from '../test/support/program.ts';
import { fillSettings, settingsViews } from '../test/support/settings-workspace.ts';
import { viewsOf } from '../test/support/views.ts';
import { loopbackAllowed } from '../test/support/webhooks.ts';

const looks = [
  { name: 'light', theme: 'light', viewport: { width: 1440, height: 900 } },
  { name: 'dark', theme: 'dark', viewport: { width: 1440, height: 900 } },
  { name: 'phone', theme: 'light', viewport: { width: 390, height: 844 } },
] as const;

const closing: (() => Promise<void>)[] = [];
const wanted = process.argv.slice(2);
const server = await startTestServer();
process.env.TEST_POSTGRES = JSON.stringify(server.connection);
const stage = await startDashboard(loopbackAllowed);
try {
  const places = await fillForPictures(stage.service);
  await fillInbox(stage.service);
  const settings = await fillSettings(stage.service);
  closing.push(settings.close);
  const knowledge = await fillKnowledge(stage.service);
  const automation = await fillAutomation(stage.service);
  const views = [
    ...viewsOf(places),
    ...knowledgeViews(knowledge),
    ...automationViews(automation),
    ...settingsViews(settings),
  ];
  for (const look of looks) {
    const folder = join(root, 'screenshots', look.name);
    mkdirSync(folder, { recursive: true });
    const options = { theme: look.theme, viewport: look.viewport, hasTouch: look.name === 'phone' };
    const guest = await stage.visit({ ...options, path: '/login' });
    const admin = await stage.open(stage.service.admin, options);
    for (const view of views) {
      if (wanted.length > 0 && !wanted.some((word) => view.name.includes(word) || word === look.name))
        continue;
      if (look.name === 'phone' && 'wideOnly' in view) continue;
      const { page, errors } = 'signedOut' in view ? guest : admin;
      await page.goto(`${stage.base}/app${view.path}`);
      await settled(page);
      await view.act?.(page);
      await settled(page);
      await page.waitForTimeout(250);
      await page.screenshot({ path: join(folder, `${view.name}.png`) });
      for (const error of errors()) console.log(`${look.name} ${view.name}: ${error}`);
    }
    await admin.close();
    await guest.close();
    console.log(`screenshots/${look.name}`);
  }
} finally {
  for (const close of closing) await close();
  await stage.close();
  await server.stop();
}
