import { useQuery } from '@tanstack/react-query';
import { AtSign, BellRing, MessageSquare, Webhook } from 'lucide-react';
import type { ReactNode } from 'react';
import { queryClient } from '../../data/query-client.ts';
import { useIsAdmin } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { Row, RowIcon, Rows } from '../parts/rows.tsx';
import { SavedSwitch } from '../parts/saved-fields.tsx';
import { Answer, Part, Section } from '../parts/section.tsx';
import { type PushState, pushState, turnPushOff, turnPushOn } from './push.ts';

const queryKey = ['push-state'];

export default function NotificationsSettings() {
  const push = useQuery({ queryKey, queryFn: pushState, staleTime: 0 });
  const isAdmin = useIsAdmin();
  const turn = async (on: boolean) => {
    const state = await (on ? turnPushOn() : turnPushOff());
    queryClient.setQueryData(queryKey, state);
    if (on && state !== 'on') toast.show(t('notifications.notAllowed'));
  };
  const kinds: { icon: ReactNode; title: string; text: string }[] = [
    {
      icon: <MessageSquare className="size-4" />,
      title: t('notifications.message'),
      text: t('notifications.messageText'),
    },
    {
      icon: <BellRing className="size-4" />,
      title: t('notifications.handover'),
      text: t('notifications.handoverText'),
    },
    {
      icon: <AtSign className="size-4" />,
      title: t('notifications.attention'),
      text: t('notifications.attentionText'),
    },
    ...(isAdmin
      ? [
          {
            icon: <Webhook className="size-4" />,
            title: t('notifications.webhook'),
            text: t('notifications.webhookText'),
          },
        ]
      : []),
  ];
  return (
    <Section title={t('settings.notifications')} description={t('notifications.text')}>
      <Answer query={push} loading={<Skeleton className="h-10 w-80" />}>
        {(state) => (
          <SavedSwitch
            label={t('notifications.push')}
            hint={hints[state]()}
            checked={state === 'on'}
            disabled={state === 'unavailable' || state === 'denied'}
            onSave={turn}
          />
        )}
      </Answer>
      <Part title={t('notifications.kinds')} text={t('notifications.kindsText')}>
        <Rows label={t('notifications.kinds')}>
          {kinds.map(({ icon, title, text }) => (
            <Row key={title} mark={<RowIcon>{icon}</RowIcon>} title={title} text={text} />
          ))}
        </Rows>
      </Part>
    </Section>
  );
}

const hints: { [state in PushState]: () => string } = {
  on: () => t('notifications.pushHint'),
  off: () => t('notifications.pushHint'),
  denied: () => t('notifications.pushDenied'),
  unavailable: () => t('notifications.pushUnavailable'),
};
