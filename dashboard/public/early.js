// Before the first paint, so that a dark page never begins white. app/theme.ts goes on from here.
{
  let wanted = 'system';
  try {
    wanted = localStorage.getItem('talkboard.theme') || 'system';
  } catch {
    // No storage: the system's theme.
  }
  const dark =
    wanted === 'dark' || (wanted === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
}

// Renews the session while the code of the page is loaded. data/session.ts takes the answer.
{
  let wasSignedIn = false;
  try {
    wasSignedIn = localStorage.getItem('talkboard.signed-in') !== null;
  } catch {
    // No storage: no session.
  }
  if (wasSignedIn) {
    const renew = () => fetch('/auth/refresh', { method: 'POST' });
    window.talkboardRenewal = navigator.locks ? navigator.locks.request('talkboard.renew', renew) : renew();
    // The page tries again and says it.
    window.talkboardRenewal.catch(() => {});
  }
}
