/**
 * Deletions that can be undone for a while: what is deleted cannot be restored, so the requests are sent afterwards. Closing
 * the page or signing out ends the time to undo. Each request is sent once, and outlives the page.
 */
import { api } from '../../data/api.ts';
import { beforeSignOut, prepareToken } from '../../data/session.ts';
import { toast } from './toast.tsx';

interface Deletion {
  path: string;
  /** The service has deleted it. */
  done?(): void;
  /** Undone or rejected: it is shown again. */
  restore(): void;
}

/** As long as the message with Undo is shown. */
const undoMs = 8_000;

/** Those that are not sent yet; each sends all of its own at once. */
const waiting = new Set<() => Promise<unknown>>();
const sendAll = () => Promise.all([...waiting].map((send) => send()));
addEventListener('pagehide', () => void sendAll());
beforeSignOut(async () => void (await sendAll()));

export function deleteLater(
  deletions: readonly Deletion[],
  { said, failed }: { said: string; failed: string },
): void {
  const left = new Set(deletions);
  const send = async (deletion: Deletion) => {
    if (!left.delete(deletion)) return;
    try {
      await api('DELETE', deletion.path, { keepalive: true });
      deletion.done?.();
    } catch (error) {
      deletion.restore();
      toast.failed(failed, error);
    }
  };
  const endUndo = () => {
    clearTimeout(timer);
    toast.close(message);
  };
  const sendNow = () => {
    waiting.delete(sendNow);
    endUndo();
    return Promise.all(deletions.map(send));
  };
  const timer = setTimeout(async () => {
    endUndo();
    for (const deletion of deletions) await send(deletion);
    waiting.delete(sendNow);
  }, undoMs);
  const message = toast.undo(said, () => {
    if (!waiting.delete(sendNow)) return;
    clearTimeout(timer);
    for (const { restore } of left) restore();
    left.clear();
  });
  waiting.add(sendNow);
  prepareToken();
}
