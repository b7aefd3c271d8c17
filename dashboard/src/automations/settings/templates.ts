/** Rules to begin with. Their texts are in the language of the reader; what they refer to is what the workspace has. */

import { useQuery } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import { CalendarClock, MessageCircleHeart, Moon, Siren, SquareKanban, Star, TimerReset } from 'lucide-react';
import { useKanbans, useTeams } from '../../data/queries.ts';
import { useSignedIn } from '../../data/session.ts';
import { hoursQuery } from '../../settings/hours/hours-data.ts';
import { t } from '../../texts/texts.ts';
import { type RuleContent, readersZone } from '../rule-draft.ts';
import { type TemplateName, templateContent } from './template-contents.ts';

export const templateIcons: { [name in TemplateName]: LucideIcon } = {
  closed: Moon,
  follow: TimerReset,
  urgent: Siren,
  rating: Star,
  card: SquareKanban,
  due: CalendarClock,
  welcome: MessageCircleHeart,
};

/** Null: what it refers to is still being read. */
export function useTemplate(name: TemplateName | null): RuleContent | null {
  const { user } = useSignedIn();
  const boards = useKanbans();
  const teams = useTeams();
  const hours = useQuery(hoursQuery).data;
  if (name === null)
    return { name: '', trigger: { on: 'customer_message' }, conditions: null, steps: [], cooldownMinutes: 0 };
  if (!hours) return null;
  const first = { name: '{{first name}}' };
  const content = templateContent(
    name,
    { userId: user.id, timeZone: readersZone(), boards, teams, hours },
    {
      closed: t('automation.template.closed.text', first),
      follow: t('automation.template.follow.text', first),
      urgent: t('automation.template.urgent.words'),
      due: t('automation.template.due.text', { customer: '{{customer}}' }),
      welcome: t('automation.template.welcome.text', first),
    },
  );
  return { cooldownMinutes: 0, ...content, name: t(`automation.template.${name}`) };
}
