/** Webhook deliveries of two versions: a backlog of each is sent to a receiver of this run, in turns. */
import { fillRecords } from '../corpus/fill.ts';
import { Random } from '../corpus/random.ts';
import type { CpuTimes } from '../cpu.ts';
import { median } from '../load/pairs.ts';
import { startCountingReceiver } from '../load/receiver.ts';
import { backlogOf, prepareBacklog, type Round } from '../load/webhook-backlog.ts';
import type { Stage } from '../stage.ts';

/** Of one kind of request, of deliveries or of replies. */
export interface Compared {
  /** The rate after as a share of the rate before, of each pair. */
  ratios: number[];
  talkboard: Rate;
  floor: Rate;
}

interface Rate {
  perSecond: number;
  /** Of one request, delivery or reply. */
  cpu: CpuTimes | null;
}

const records = 100;

/** Its two services have the background work that the other requests are measured without. They stop at its end. */
export async function compareDeliveries(stage: Stage, folder: string): Promise<Compared> {
  const { options } = stage;
  const size = backlogOf(options.records);
  const receiver = await startCountingReceiver();
  stage.onClose(() => receiver.close());
  const startSide = async (database: string, from?: string) => {
    const twin = await stage.startTwin(database, from === undefined ? {} : { folder: from });
    await fillRecords(twin.pool, twin.workspace, records, new Random(options.seed));
    const { workOff } = await prepareBacklog(stage, twin, receiver, size);
    return { twin, workOff, rounds: [] as Round[] };
  };
  const before = await startSide('deliveries_before', folder);
  const after = await startSide('deliveries_after');
  // The first round of each is warm-up.
  for (let pair = -1; pair < options.pairs; pair++) {
    for (const side of pair % 2 === 0 ? [after, before] : [before, after]) {
      const round = await side.workOff();
      if (pair >= 0) side.rounds.push(round);
    }
  }
  for (const { twin } of [before, after]) await twin.service.stop();
  return {
    ratios: after.rounds.map(({ rate }, pair) => rate / before.rounds[pair]!.rate),
    talkboard: figuresOf(after.rounds, size),
    floor: figuresOf(before.rounds, size),
  };
}

export function figuresOf(rounds: readonly Round[], size: number): Rate {
  const times = rounds.flatMap(({ cpu }) => cpu ?? []);
  const perItem = (part: 'side' | 'database') => median(times.map((one) => one[part])) / size;
  return {
    perSecond: median(rounds.map(({ rate }) => rate)),
    cpu: times.length === 0 ? null : { side: perItem('side'), database: perItem('database') },
  };
}
