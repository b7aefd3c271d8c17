import { Link } from '@tanstack/react-router';
import { t } from '../texts/texts.ts';
import { plainLink } from './chat-steps.tsx';

/** What is worth doing next, in place of the lead. */
export function AllDone() {
  const next = [
    { section: 'channels', label: t('start.next.channels') },
    { section: 'widget', label: t('start.next.widget') },
    { section: 'users', label: t('start.next.team') },
    { section: 'agents', label: t('start.next.agents') },
  ];
  return (
    <section role="status" className="flex flex-col gap-3">
      <div>
        <h2 className="text-md font-semibold">{t('start.allDone')}</h2>
        <p className="text-pretty text-muted">{t('start.allDoneText')}</p>
      </div>
      <div className="flex flex-wrap gap-2">
        {next.map(({ section, label }) => (
          <Link key={section} to="/settings/$section" params={{ section }} className={plainLink}>
            {label}
          </Link>
        ))}
      </div>
    </section>
  );
}
