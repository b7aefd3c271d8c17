import { WifiOff } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useLiveStatus } from '../data/live.ts';
import { t } from '../texts/texts.ts';
import { Spinner } from '../ui/controls/button.tsx';

const useOnline = () =>
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

/** Floats over the view, so that nothing jumps when the connection comes and goes. */
export function ConnectionBanner() {
  const online = useOnline();
  const status = useLiveStatus();
  const lost = useLasting(status === 'lost', 1_500);
  if (online && !lost) return null;
  return (
    <div className="pointer-events-none fixed inset-x-0 top-2 z-60 flex justify-center px-4">
      <p
        role="status"
        className="rise-in flex items-center gap-2 rounded-full bg-raised px-3 py-1 text-sm font-medium text-warning shadow-float"
      >
        {online ? <Spinner /> : <WifiOff className="size-3.5" />}
        {online ? t('live.reconnecting') : t('live.offline')}
      </p>
    </div>
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
