import { request } from '../data/http.ts';

const key = 'talkboard.reloaded';

/**
 * After an update the files of the previous release no longer exist: the page is reloaded, once. Only if the service
 * responds: without a network, a reload would lose the page.
 */
export function reloadAfterUpdate(): void {
  addEventListener('vite:preloadError', async () => {
    if (sessionStorage.getItem(key) === location.href || !(await doesAnswer())) return;
    sessionStorage.setItem(key, location.href);
    location.reload();
  });
}

const doesAnswer = () =>
  request('/version', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
