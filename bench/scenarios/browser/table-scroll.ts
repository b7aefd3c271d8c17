import { percentile } from '../../load/client.ts';
import type { Measure, Scenario } from '../../scenario.ts';
import { openDashboard } from './open-dashboard.ts';

const scrollTop = `document.querySelector('[role="grid"]').scrollTop`;

export const tableScroll: Scenario = {
  name: 'table-scroll',
  about: 'the dashboard in Chromium: the table of all records, scrolled with the wheel and by jumps',
  onRequest: true,
  async measure(stage) {
    const { page, close } = await openDashboard(stage);
    try {
      const table = (query: string) =>
        page.goto(`${stage.service.url}/app/boards/${stage.workspace.kanbanId}?layout=table${query}`);
      /** Not skeletons. */
      const rows = (timeout?: number) =>
        page
          .locator('[role="row"][aria-selected]')
          .nth(10)
          .waitFor({ timeout: timeout ?? 30_000 });
      // The search index is loaded by the first request.
      await table('');
      await rows(120_000);
      const began = performance.now();
      await table('&sort=title');
      await rows();
      const opened = performance.now() - began;
      await page.waitForLoadState('networkidle');

      const session = await page.context().newCDPSession(page);
      await session.send('Performance.enable', { timeDomain: 'threadTicks' });
      /** Of the page's main thread, in ms: it does not depend on what else the machine does. */
      const threadTime = async () => {
        const { metrics } = await session.send('Performance.getMetrics');
        return 1_000 * metrics.find(({ name }) => name === 'TaskDuration')!.value;
      };
      const wheel = async () => {
        await page.evaluate('window.watchFrames()');
        // 37,000 pixels a second: faster than any fling of a finger or a wheel.
        for (let i = 0; i < 240; i++) {
          await page.mouse.wheel(0, 600);
          await page.waitForTimeout(16);
        }
        return (await page.evaluate('window.stopFrames()')) as number[];
      };
      await page.getByRole('grid').hover();
      const worked = await threadTime();
      const scrolled = await wheel();
      const perStep = ((await threadTime()) - worked) / 240;
      const depth = Number(await page.evaluate(scrollTop));

      // Slow enough that every page is loaded and every row drawn.
      await page.evaluate('window.watchFrames()');
      for (let i = 0; i < 200; i++) {
        await page.mouse.wheel(0, 120);
        await page.waitForTimeout(16);
      }
      const read = (await page.evaluate('window.stopFrames()')) as number[];

      const jumps: number[] = [];
      await page.evaluate('window.watchFrames()');
      for (const share of [0.5, 0.9, 0.2, 0.75, 1, 0]) {
        const at = performance.now();
        await page.evaluate(
          `(() => { const grid = document.querySelector('[role="grid"]'); grid.scrollTop = grid.scrollHeight * ${share}; })()`,
        );
        // Each frame of the first 70 ms still shows the rows before the jump or skeletons.
        await page.waitForTimeout(50);
        await rows();
        jumps.push(performance.now() - at);
      }
      const jumped = (await page.evaluate('window.stopFrames()')) as number[];
      return [
        { name: 'rows after opening', value: opened, goal: null },
        { name: 'longest frame, wheel', value: Math.max(...scrolled), goal: { atMost: 100 } },
        { name: 'frame, wheel, p95', value: percentile(scrolled, 0.95), goal: null },
        { name: 'thread time per 600 pixels', value: perStep, goal: null },
        { name: 'pixels scrolled', value: depth, goal: { atLeast: 30_000 } },
        { name: 'longest frame, reading', value: Math.max(...read), goal: { atMost: 100 } },
        { name: 'longest frame, jumps', value: Math.max(...jumped), goal: { atMost: 100 } },
        { name: 'rows after a jump, worst', value: Math.max(...jumps), goal: null },
      ] satisfies Measure[];
    } finally {
      await close();
    }
  },
};
