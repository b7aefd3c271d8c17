/** What steps would do: they are performed by the rules of a run, and then taken back. */
import type { Db, Tx } from '../../platform/db/db.ts';
import type { Step } from './steps.fill.ts';
import { performStep, type StepOutcome } from './steps.perform.ts';
import type { Scene } from './steps.scene.ts';

class PreviewEnd extends Error {}

/** A transaction that is rolled back. */
export async function inPreview<T>(db: Db, run: (tx: Tx) => Promise<T>): Promise<T> {
  let result: { value: T } | undefined;
  try {
    await db.transaction(async (tx) => {
      result = { value: await run(tx) };
      throw new PreviewEnd();
    });
  } catch (error) {
    if (!(error instanceof PreviewEnd)) throw error;
  }
  return result!.value;
}

/** What `run` wrote is taken back, and the transaction goes on. */
async function rolledBack<T>(tx: Tx, run: () => Promise<T>): Promise<T> {
  let result: { value: T } | undefined;
  try {
    await tx.savepoint(async () => {
      result = { value: await run() };
      throw new PreviewEnd();
    });
  } catch (error) {
    if (!(error instanceof PreviewEnd)) throw error;
  }
  return result!.value;
}

/** One after the other: each sees what the ones before it would change. */
export async function previewSteps(tx: Tx, scene: Scene, steps: readonly Step[]): Promise<StepOutcome[]> {
  const outcomes = await rolledBack(tx, async () => {
    const inside = { ...scene };
    const done: StepOutcome[] = [];
    for (const step of steps) done.push(await performStep(tx, inside, step));
    return done;
  });
  // What only a step before it does is not so yet.
  for (const [index, step] of steps.entries()) {
    if (outcomes[index]!.state !== 'unchanged' || index === 0) continue;
    const alone = await rolledBack(tx, () => performStep(tx, { ...scene }, step));
    if (alone.state === 'done') outcomes[index] = { ...outcomes[index]!, state: 'done' };
  }
  return outcomes;
}
