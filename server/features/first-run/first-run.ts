/**
 * A newcomer's first steps. Each is done when it has really happened, by anyone and anywhere; a step once found done
 * is recorded and stays done.
 */
import { type FirstRun, type FirstRunStep, firstRunSteps } from '../../../contract/first-run.ts';
import type { Db } from '../../platform/db/db.ts';
import { findDemo } from './demo/demo.sql.ts';
import {
  findFirstRun,
  findFirstToken,
  findFirstWebhook,
  findLatestChat,
  findTakeOver,
  findWebChannel,
  isEmpty,
  noteSteps,
} from './first-run.sql.ts';

export { fillDemo } from './demo/demo.fill.ts';
export { removeDemo } from './demo/demo.remove.ts';
export { setDismissed } from './first-run.sql.ts';

export async function readFirstRun(db: Db, accountId: string): Promise<FirstRun> {
  const stored = await findFirstRun(db, accountId);
  const demo = await findDemo(db, accountId);
  const demoChannelIds = demo?.channelIds ?? [];
  const latest = await findLatestChat(db, accountId, demoChannelIds);
  const finders: { [step in FirstRunStep]: () => Promise<number | null> | number | null } = {
    chat: () => latest?.chatAt ?? null,
    card: () => latest?.cardAt ?? null,
    takeOver: () => findTakeOver(db, accountId, demoChannelIds),
    token: () => findFirstToken(db, accountId),
    webhook: () => findFirstWebhook(db, accountId),
  };
  const news: { [step in FirstRunStep]?: number } = {};
  // Every page of the dashboard asks; hidden steps are evaluated only when they are shown again.
  const missing =
    stored.dismissedAt === null ? firstRunSteps.filter((one) => stored.steps[one] === undefined) : [];
  for (const step of missing) {
    const at = await finders[step]();
    if (at !== null) news[step] = at;
  }
  if (Object.keys(news).length > 0) await db.transaction((tx) => noteSteps(tx, accountId, news));
  const done = { ...news, ...stored.steps };
  const { chatAt: _chat, cardAt: _card, ...conversation } = latest ?? {};
  return {
    steps: firstRunSteps.map((step) => ({ step, doneAt: done[step] ?? null })),
    dismissedAt: stored.dismissedAt,
    isEmpty: await isEmpty(db, accountId),
    chat: await findWebChannel(db, accountId, demoChannelIds),
    conversation: latest && (conversation as FirstRun['conversation']),
    demo: demo && { filledAt: demo.filledAt, used: demo.used },
  };
}
