import { useEffect, useState } from 'react';
import { toast } from '../overlays/toast.tsx';

/** For settings that are saved field by field: which of them has just been saved, and a message when one was refused. */
export function useSaved(failed: string): {
  saved: string | null;
  save(field: string, send: () => Promise<unknown>): Promise<boolean>;
} {
  const [saved, setSaved] = useState<string | null>(null);
  useEffect(() => {
    if (saved === null) return;
    const timer = setTimeout(() => setSaved(null), 2_000);
    return () => clearTimeout(timer);
  }, [saved]);
  const save = async (field: string, send: () => Promise<unknown>): Promise<boolean> => {
    try {
      await send();
      setSaved(field);
      return true;
    } catch (error) {
      toast.failed(failed, error, () => void save(field, send));
      return false;
    }
  };
  return { saved, save };
}
