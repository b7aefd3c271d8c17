import { CalendarDays, Clock, MessageSquareReply, Sunrise } from 'lucide-react';
import { useState } from 'react';
import { t, tn } from '../../texts/texts.ts';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { snoozing } from './session-requests.ts';
import { type SnoozeName, snoozeTimes } from './snooze-times.ts';
import { ChosenTime, type TimeChoice, TimeChoices } from './time-choices.tsx';
import type { DoTriage } from './use-triage.ts';

const icons = { later: Clock, tomorrow: Sunrise, nextWeek: CalendarDays, customer: MessageSquareReply };
const labels: { [name in SnoozeName]: () => string } = {
  later: () => t('lifecycle.snooze.later'),
  tomorrow: () => t('lifecycle.snooze.tomorrow'),
  nextWeek: () => t('lifecycle.snooze.nextWeek'),
  customer: () => t('lifecycle.snooze.customer'),
};

export const timeChoices = (): TimeChoice[] =>
  snoozeTimes(new Date()).map(({ name, until }) => ({ label: labels[name](), icon: icons[name], at: until }));

/** Mounted once with the inbox; opened by the key, the header and the bar of selected conversations. */
export function SnoozeDialog({ act }: { act: DoTriage }) {
  const sessions = snoozing.use();
  return sessions.length === 0 ? null : <OpenDialog sessions={sessions} act={act} />;
}

function OpenDialog({ sessions, act }: { sessions: ReturnType<typeof snoozing.use>; act: DoTriage }) {
  const [choices] = useState(timeChoices);
  const snooze = (until: number | null) => {
    snoozing.end();
    act('snooze', sessions, until);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && snoozing.end()}
      title={tn('lifecycle.snooze.title', sessions.length)}
      description={t('lifecycle.snooze.text')}
    >
      <TimeChoices choices={choices} onChoose={snooze} />
      <ChosenTime action={t('lifecycle.snooze')} onChoose={snooze} />
    </Dialog>
  );
}
