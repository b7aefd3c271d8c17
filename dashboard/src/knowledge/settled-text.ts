import { useEffect, useState } from 'react';

const debounceMs = 200;

/** What was typed, once the typing has paused. */
export function useSettledText(text: string): string {
  const [settled, setSettled] = useState(text.trim());
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text.trim()), debounceMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
