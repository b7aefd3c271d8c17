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
