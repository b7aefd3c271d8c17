import { isTemporary } from '../http/errors.ts';

/**
 * Writes items together. If the database refuses them, each is written alone, so that a bad one holds up no other;
 * `onRefused` gets those that are refused again. An error that passes is thrown: the caller tries all of them later.
 */
export async function writeSplit<Item>(
  items: readonly Item[],
  write: (some: readonly Item[]) => Promise<void>,
  onRefused: (item: Item, error: unknown) => Promise<void>,
): Promise<void> {
  if (items.length === 0) return;
  try {
    await write(items);
  } catch (error) {
    if (isTemporary(error)) throw error;
    if (items.length === 1) await onRefused(items[0]!, error);
    else for (const item of items) await writeSplit([item], write, onRefused);
  }
}
