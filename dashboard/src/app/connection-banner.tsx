import { WifiOff } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useLiveStatus } from '../data/live.ts';
import { t } from '../texts/texts.ts';
import { Spinner } from '../ui/controls/button.tsx';

export const useOnline = () =>
  useSyncExternalStore(
    (listener) => {
      addEventListener('online', listener);
      addEventListener('offline', listener);
      return () => {
        removeEventListener('online', listener);
        removeEventListener('offline', listener);
      };
    },
    () => navigator.onLine,
  );

/** Above the view, which gets smaller: it covers nothing. */
export function ConnectionBanner() {
  const online = useOnline();
  const status = useLiveStatus();
  const lost = useLasting(status === 'lost', 1_500);
  if (online && !lost) return null;
  return (
    <p
      role="status"
      className="flex shrink-0 items-center justify-center gap-2 border-b border-line bg-raised px-4 py-1 text-sm font-medium text-warning"
    >
      {online ? <Spinner /> : <WifiOff className="size-3.5 shrink-0" />}
      {online ? t('live.reconnecting') : t('live.offline')}
    </p>
  );
}

/** Short interruptions are not reported. */
function useLasting(value: boolean, ms: number): boolean {
  const [lasting, setLasting] = useState(false);
  useEffect(() => {
    if (!value) return setLasting(false);
    const timer = setTimeout(() => setLasting(true), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return lasting;
}
