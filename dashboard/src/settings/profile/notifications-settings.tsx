import { useQuery } from '@tanstack/react-query';
import { BellRing, Volume2 } from 'lucide-react';
import type { NotificationSettings, NotificationSettingsUpdate } from '../../../../contract/realtime.ts';
import { api } from '../../data/api.ts';
import { queryClient } from '../../data/query-client.ts';
import { refresh } from '../../data/refresh.ts';
import { playSound } from '../../notifications/sound.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Skeleton } from '../../ui/display/states.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { SavedSwitch } from '../parts/saved-fields.tsx';
import { Answer, Part, Section } from '../parts/section.tsx';
import { NotificationMatrix } from './notification-matrix.tsx';
import { notificationSettingsQuery, pushQuery } from './notifications-data.ts';
import { type PushState, testPush, turnPushOff, turnPushOn } from './push.ts';
import { QuietHours } from './quiet-hours.tsx';

let last: Promise<unknown> = Promise.resolve();

/** One after the other, and only the last answer is shown. A change that is rejected is taken back; the caller reports it. */
async function save(shown: NotificationSettings, body: NotificationSettingsUpdate): Promise<void> {
  const { queryKey } = notificationSettingsQuery;
  queryClient.setQueryData(queryKey, shown);
  const send = () => api<NotificationSettings>('PATCH', '/notifications/settings', { body });
  const sent = last.then(send, send);
  last = sent;
  try {
    const answer = await sent;
    if (last === sent) queryClient.setQueryData(queryKey, answer);
  } catch (error) {
    await refresh(queryKey);
    throw error;
  }
}

export default function NotificationsSettings() {
  const settings = useQuery(notificationSettingsQuery);
  return (
    <Section title={t('settings.notifications')} description={t('notifications.text')}>
      <Part title={t('notifications.kinds')} text={t('notifications.kindsText')}>
        <Answer query={settings}>{(shown) => <NotificationMatrix settings={shown} onSave={save} />}</Answer>
      </Part>
      <Part title={t('notifications.quiet')} text={t('notifications.quietText')}>
        <Answer query={settings} loading={<Skeleton className="h-10 w-80" />}>
          {(shown) => <QuietHours settings={shown} onSave={save} />}
        </Answer>
      </Part>
      <ThisBrowser />
    </Section>
  );
}

function ThisBrowser() {
  const push = useQuery(pushQuery);
  const turn = async (on: boolean) => {
    const state = await (on ? turnPushOn() : turnPushOff());
    queryClient.setQueryData(pushQuery.queryKey, state);
    if (on && state !== 'on') toast.show(t('notifications.notAllowed'));
  };
  const test = async () => {
    try {
      await testPush();
      toast.done(t('notifications.tested'));
    } catch (error) {
      toast.failed(t('notifications.testFailed'), error);
    }
  };
  return (
    <Part title={t('notifications.device')}>
      <Answer query={push} loading={<Skeleton className="h-10 w-80" />}>
        {(state) => (
          <>
            <SavedSwitch
              label={t('notifications.push')}
              hint={hints[state]()}
              checked={state === 'on'}
              disabled={state === 'unavailable' || state === 'denied'}
              onSave={turn}
            />
            <div className="flex flex-wrap gap-2">
              <Button
                icon={<BellRing className="size-3.5" />}
                disabled={state !== 'on'}
                onClick={() => void test()}
              >
                {t('notifications.test')}
              </Button>
              <Button icon={<Volume2 className="size-3.5" />} onClick={playSound}>
                {t('notifications.hear')}
              </Button>
            </div>
          </>
        )}
      </Answer>
    </Part>
  );
}

const hints: { [state in PushState]: () => string } = {
  on: () => t('notifications.pushHint'),
  off: () => t('notifications.pushHint'),
  denied: () => t('notifications.pushDenied'),
  unavailable: () => t('notifications.pushUnavailable'),
};
