import { request } from '../data/http.ts';

const key = 'talkboard.reloaded';

/**
 * After an update the files of the previous release no longer exist: the page is loaded anew, once. Only if the service
 * answers: without a network the page that is there is better than none.
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
