/** Push messages in this browser: the permission, the browser's subscription, and the service's knowledge of it. */
import type { Static } from 'typebox';
import type { PushKey, PushSubscribed } from '../../../../contract/realtime.ts';
import { recall, remember } from '../../app/remembered.ts';
import { api } from '../../data/api.ts';
import { ApiError } from '../../data/errors.ts';

/** `unavailable`: an old browser, or a page that is not served over https. */
export type PushState = 'unavailable' | 'denied' | 'off' | 'on';

const worker = '/app/push-worker.js';
const remembered = 'push-subscription';

export async function pushState(): Promise<PushState> {
  if (!('serviceWorker' in navigator) || !('PushManager' in window) || !('Notification' in window)) {
    return 'unavailable';
  }
  if (Notification.permission === 'denied') return 'denied';
  const registration = await navigator.serviceWorker.getRegistration('/app/');
  const subscription = await registration?.pushManager.getSubscription();
  return subscription && recall(remembered, '') ? 'on' : 'off';
}

export async function turnPushOn(): Promise<PushState> {
  if ((await Notification.requestPermission()) !== 'granted') return pushState();
  const { publicKey } = await api<Static<typeof PushKey>>('GET', '/push/key');
  await navigator.serviceWorker.register(worker, { scope: '/app/' });
  const { pushManager } = await navigator.serviceWorker.ready;
  const subscription = await pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  });
  const { endpoint, keys } = subscription.toJSON();
  const body = { endpoint, keys };
  const { id } = await api<Static<typeof PushSubscribed>>('POST', '/push/subscriptions', { body });
  remember(remembered, id);
  return 'on';
}

/** To this browser alone. */
export const testPush = () => api('POST', `/push/subscriptions/${recall(remembered, '')}/test`);

export async function turnPushOff(): Promise<PushState> {
  const id = recall(remembered, '');
  const registration = await navigator.serviceWorker.getRegistration('/app/');
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  remember(remembered, '');
  if (id) {
    await api('DELETE', `/push/subscriptions/${id}`).catch((error) => {
      // The service drops what its push service no longer knows.
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    });
  }
  return 'off';
}
