/** What customers of the demo thought of resolved conversations on the website: most were content. */
import type { Tx } from '../../../platform/db/db.ts';
import { rate } from '../../sessions/sessions.ts';
import type { SettledConversation } from './demo.lifecycle.ts';
import type { Chance } from './demo.random.ts';

const share = 0.35;
const scores = [5, 5, 5, 5, 4, 4, 4, 3, 2, 1];
const comments: { [score: number]: string[] } = {
  5: ['', '', '', 'Quick and friendly.', 'Solved within minutes, thank you!'],
  4: ['', '', 'Good answer, but I had to ask twice.'],
  3: ['', 'It took a while.'],
  2: ['', 'The first answer did not help.'],
  1: ['The parcel is still not here.'],
};

export async function insertRatings(
  tx: Tx,
  accountId: string,
  conversations: readonly SettledConversation[],
  { chance, now }: { chance: Chance; now: number },
): Promise<void> {
  for (const { session, messages } of conversations) {
    const { externalUserId, status, statusChangedAt } = session;
    if (externalUserId !== null || status !== 'resolved' || statusChangedAt === null) continue;
    if (!chance.happens(share)) continue;
    const at = statusChangedAt + chance.whole(60_000, 3_600_000);
    const picked = chance.pick(scores);
    // A bad one of a conversation without a person would list its last message as a question without an answer.
    const score = messages.some(({ role }) => role === 'operator') ? picked : Math.max(3, picked);
    const comment = chance.pick(comments[score]!);
    if (at < now) await rate(tx, accountId, at, session, { score, comment });
  }
}
