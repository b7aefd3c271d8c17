/** Shows a new notification and plays its sound. */
import type { Notification } from '../../../contract/realtime.ts';
import { BoundedMap } from '../data/bounded-map.ts';
import { t } from '../texts/texts.ts';
import { toast } from '../ui/overlays/toast.tsx';
import { markNotificationRead } from './mark-read.ts';
import { type Navigate, openNotification, wordsOf } from './notification-words.tsx';
import { playSound } from './sound.ts';

const shown = new BoundedMap<number>({ max: 100 });

export function notify(notification: Notification, navigate: Navigate): void {
  // Only one window plays the sound: the first to get the lock holds it until the others have tried.
  const { id, count, sound } = notification;
  if (sound) {
    const once = async (lock: Lock | null) => {
      if (!lock) return;
      playSound();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    };
    if (navigator.locks) {
      void navigator.locks.request(`talkboard.sound.${id}.${count}`, { ifAvailable: true }, once);
    } else playSound();
  }
  // In the inbox the message is visible anyway.
  const isSeen = notification.kind === 'message' && location.pathname.startsWith('/app/inbox');
  if (isSeen || document.visibilityState !== 'visible') return;
  const { title, body } = wordsOf(notification);
  const before = shown.get(id);
  if (before !== undefined) toast.close(before);
  const open = () => {
    void markNotificationRead(notification).catch(() => {});
    openNotification(notification, navigate);
  };
  shown.set(id, toast.tell(title, body, { label: t('notify.open'), run: open }));
}
