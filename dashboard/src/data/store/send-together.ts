/**
 * Changes that are started at the same time share requests: pass the returned function to each as `send`. `sendBatch`
 * gives the answers in the order of the items; an answer that is an Error rejects its change alone. `person` is who was
 * signed in when the function was made.
 */
import { currentPerson } from '../session.ts';

export function sendTogether<Item, Answer>(
  maxItems: number,
  sendBatch: (items: readonly Item[], person: string | null) => Promise<readonly (Answer | Error)[]>,
): (item: Item) => Promise<Answer> {
  interface Waiting {
    item: Item;
    resolve(answer: Answer): void;
    reject(error: unknown): void;
  }
  const person = currentPerson();
  let waiting: Waiting[] = [];
  const send = async (batch: readonly Waiting[]) => {
    try {
      const answers = await sendBatch(
        batch.map(({ item }) => item),
        person,
      );
      for (const [index, { resolve, reject }] of batch.entries()) {
        const answer = answers[index];
        if (answer instanceof Error) reject(answer);
        else resolve(answer as Answer);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  const sendAll = () => {
    const all = waiting;
    waiting = [];
    for (let at = 0; at < all.length; at += maxItems) void send(all.slice(at, at + maxItems));
  };
  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setTimeout(sendAll);
      waiting.push({ item, resolve, reject });
    });
}
