import { type Actor, may } from '../accounts/accounts.ts';

/** The boards whose conversations the caller may read; null: all. Knowledge alone gives no right to conversations. */
export async function readableBy(
  visibleTo: (actor: Actor) => Promise<string[] | null>,
  actor: Actor,
): Promise<string[] | null> {
  return may(actor, 'conversations.view') ? visibleTo(actor) : [];
}
