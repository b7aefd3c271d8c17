import { percentile } from '../../load/client.ts';
import type { Measure, Scenario } from '../../scenario.ts';
import type { Stage } from '../../stage.ts';
import { openDashboard } from './open-dashboard.ts';

const cards = 10_000;
const columns = ['new', 'contacted', 'offer', 'won'];
const opens = 5;

/** In the page, before its first script: when the first card appears. */
const watch = `
  window.firstCardAt = null;
  new MutationObserver((_, observer) => {
    if (!document.querySelector('[data-card]')) return;
    observer.disconnect();
    requestAnimationFrame(() => { window.firstCardAt = performance.now(); });
  }).observe(document, { childList: true, subtree: true });`;

export const board: Scenario = {
  name: 'board',
  about: `the dashboard in Chromium: a board of ${cards} cards, opened, scrolled and dragged over`,
  async measure(stage) {
    const slug = await fillBoard(stage);
    const { page, close } = await openDashboard(stage, watch);
    try {
      const firsts: number[] = [];
      for (let i = 0; i < opens; i++) {
        await page.goto(`${stage.service.url}/app/boards/${slug}`);
        await page.locator('[data-card]').first().waitFor();
        // The frame that shows it follows.
        await page.waitForTimeout(100);
        firsts.push(Number(await page.evaluate('window.firstCardAt')));
      }
      await page.waitForLoadState('networkidle');

      const list = page.locator('[data-column="new"]');
      await list.hover();
      await page.evaluate('window.watchFrames()');
      // 37,000 pixels a second: faster than any fling of a finger or a wheel.
      for (let i = 0; i < 240; i++) {
        await page.mouse.wheel(0, 600);
        await page.waitForTimeout(16);
      }
      const scrolled = (await page.evaluate('window.stopFrames()')) as number[];
      const depth = Number(await page.evaluate(`document.querySelector('[data-column="new"]').scrollTop`));

      const from = (await page.locator('[data-column="contacted"] [data-card]').first().boundingBox())!;
      await page.mouse.move(from.x + 60, from.y + 20);
      await page.mouse.down();
      await page.evaluate('window.watchFrames()');
      for (const [x, y] of [
        [700, 300],
        [1100, 500],
        [500, 700],
        [1250, 860],
        [900, 400],
      ] as const) {
        await page.mouse.move(x, y, { steps: 25 });
      }
      await page.mouse.up();
      await page.waitForTimeout(300);
      const dragged = (await page.evaluate('window.stopFrames()')) as number[];
      return [
        { name: 'first card after opening, median', value: median(firsts), goal: { atMost: 1_500 } },
        { name: 'longest frame while scrolling', value: Math.max(...scrolled), goal: { atMost: 100 } },
        { name: 'frame while scrolling, p95', value: percentile(scrolled, 0.95), goal: null },
        { name: 'pixels scrolled', value: depth, goal: { atLeast: 30_000 } },
        { name: 'longest frame while dragging', value: Math.max(...dragged), goal: { atMost: 100 } },
      ] satisfies Measure[];
    } finally {
      await close();
    }
  },
};

async function fillBoard({ service, workspace }: Stage): Promise<string> {
  const call = async (path: string, body: object) => {
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${workspace.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const made = (await call('/kanbans', {
    name: 'Ten thousand',
    statuses: columns.map((value) => ({ value, label: value, color: '#5660d6' })),
    fields: [
      { name: 'Value', type: 'currency' },
      { name: 'Source', type: 'select', options: ['Fair', 'Website', 'Walk-in'] },
      { name: 'Due', type: 'date' },
    ],
  })) as { id: string; slug: string; fields: { id: string; name: string }[] };
  const fieldId = (name: string) => made.fields.find((field) => field.name === name)!.id;
  for (let first = 0; first < cards; first += 100) {
    const items = Array.from({ length: 100 }, (_, index) => ({
      title: `Customer ${first + index} of a name that takes a line`,
      status: columns[(first + index) % columns.length],
      customFields: {
        [fieldId('Value')]: 100 + index,
        [fieldId('Source')]: 'Website',
        ...(index % 3 === 0 && { [fieldId('Due')]: '2027-01-01' }),
      },
    }));
    await call(`/crm/records/batch?kanbanId=${made.id}`, { items });
  }
  return made.slug;
}

const median = (values: number[]) => percentile(values, 0.5);
