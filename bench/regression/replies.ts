/** Replies of the offline agent without sources, of two versions: from the first message to the last reply at the webhook. */
import { openClient } from '../load/client.ts';
import { openReplies } from '../load/replies.ts';
import { meterRound, type Round } from '../load/webhook-backlog.ts';
import type { Stage } from '../stage.ts';
import { type Compared, figuresOf } from './deliveries.ts';

/** For each second of a burst. */
const perSecond = 200;

/** Its two services have the background work that makes replies. They stop at its end. */
export async function compareReplies(stage: Stage, folder: string): Promise<Compared> {
  const { options } = stage;
  const size = Math.max(100, Math.round(perSecond * options.seconds));
  const startSide = async (database: string, from?: string) => {
    const twin = await stage.startTwin(database, from === undefined ? {} : { folder: from });
    const client = openClient(twin.service.url, twin.workspace.token);
    const { body: agent } = await client.call('POST', '/agents', {
      name: 'Without sources',
      provider: 'offline',
      knowledge: [{ title: 'Opening hours', text: 'We are open from nine to five.' }],
      // A version without sources ignores it.
      knowledgeSourceIds: [],
    });
    await client.close();
    const replies = await openReplies(
      twin.service,
      twin.workspace.token,
      agent.id,
      () => 'What are your opening hours?',
    );
    stage.onClose(() => replies.close());
    return { twin, replies, rounds: [] as Round[] };
  };
  const before = await startSide('replies_before', folder);
  const after = await startSide('replies_after');
  // The first round of each is warm-up.
  for (let pair = -1; pair < options.pairs; pair++) {
    for (const side of pair % 2 === 0 ? [after, before] : [before, after]) {
      const round = await meterRound(stage, side.twin.service.pid, () => side.replies.rateOf(size));
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
