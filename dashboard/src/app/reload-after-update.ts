import { request } from '../data/http.ts';

const key = 'talkboard.reloaded';
let inBackground = 0;

/**
 * After an update the files of the previous release no longer exist: the page is reloaded, once. Only if the service
 * responds: without a network, a reload would lose the page.
 */
export function reloadAfterUpdate(): void {
  addEventListener('vite:preloadError', async () => {
    if (inBackground > 0) return;
    if (sessionStorage.getItem(key) === location.href || !(await doesAnswer())) return;
    sessionStorage.setItem(key, location.href);
    location.reload();
  });
}

/** What nobody has asked for must not reload the page. */
export async function withoutReload(load: () => Promise<unknown>): Promise<void> {
  inBackground++;
  try {
    await load();
  } finally {
    inBackground--;
  }
}

const doesAnswer = () =>
  request('/version', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
