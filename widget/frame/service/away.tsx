import { useEffect, useState } from 'preact/hooks';
import { returnText, t } from '../texts.ts';
import type { Service } from './service.ts';

/** Beyond this, timers of browsers do not work. */
const longestTimerMs = 2_000_000_000;

interface AwayProps {
  service: Service;
  /** A person is in the chat in spite of the hours. */
  isAnswered: boolean;
  onChange(): void;
}

/** Outside the opening hours: when the team is back, and the channel's own words. */
export function Away({ service, isAnswered, onChange }: AwayProps) {
  const [, setVersion] = useState(0);
  const { isOpen, opensAt, changesAt } = service.hours;
  // biome-ignore lint/correctness/useExhaustiveDependencies: one timer for each change of the hours
  useEffect(() => {
    if (changesAt === null) return;
    const timer = setTimeout(
      () => {
        setVersion((version) => version + 1);
        onChange();
      },
      Math.min(changesAt - Date.now() + 500, longestTimerMs),
    );
    return () => clearTimeout(timer);
  }, [changesAt]);
  if (isOpen || isAnswered) return null;
  return (
    <div class="status away" role="status">
      <p>{opensAt === null ? t('away') : returnText(opensAt)}</p>
      {service.offers.awayMessage && <p>{service.offers.awayMessage}</p>}
    </div>
  );
}
