import { type NotificationTopic, notificationTopics } from '../../../../contract/notifications.ts';
import type {
  NotificationSettings,
  NotificationSettingsUpdate,
  NotificationWays,
} from '../../../../contract/realtime.ts';
import type { Permission } from '../../../../contract/roles/permissions.ts';
import { useSignedIn } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { Checkbox } from '../../ui/controls/checkbox.tsx';
import { toast } from '../../ui/overlays/toast.tsx';

export interface SettingsPartProps {
  settings: NotificationSettings;
  onSave(shown: NotificationSettings, change: NotificationSettingsUpdate): Promise<void>;
}

const ways = ['page', 'push', 'sound'] as const;
/** Who has not the permission is never notified of it. */
const needed: { [topic in NotificationTopic]?: Permission } = {
  webhook_disabled: 'webhooks.manage',
  connector_failed: 'channels.manage',
  knowledge_review: 'knowledge.manage',
  agent_limit: 'agents.manage',
  rule_disabled: 'automation.manage',
};

/** Topics by kind of notification, each box saved at once. Sound requires the page notification. */
export function NotificationMatrix({ settings, onSave }: SettingsPartProps) {
  const { permissions } = useSignedIn().user;
  const shown = notificationTopics.filter((topic) => {
    const permission = needed[topic];
    return !permission || permissions.includes(permission);
  });
  const turn = (topic: NotificationTopic, change: Partial<NotificationWays>) => {
    const topics = { ...settings.topics, [topic]: { ...settings.topics[topic], ...change } };
    void onSave({ ...settings, topics }, { topics: { [topic]: change } }).catch((error) =>
      toast.failed(t('notifications.failed'), error, () => turn(topic, change)),
    );
  };
  const toggle = (topic: NotificationTopic, way: keyof NotificationWays, on: boolean) =>
    turn(topic, {
      [way]: on,
      ...(way === 'sound' && on && { page: true }),
      ...(way === 'page' && !on && { sound: false }),
    });
  return (
    <table className="w-full border-separate border-spacing-0 rounded-panel border border-line text-left">
      <thead>
        <tr className="text-sm text-muted">
          <th scope="col" className="py-2 pl-3 font-medium">
            {t('notifications.what')}
          </th>
          {ways.map((way) => (
            <th key={way} scope="col" className="w-16 py-2 text-center font-medium">
              {t(`notifications.way.${way}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {shown.map((topic) => (
          <tr key={topic}>
            <th scope="row" className="border-t border-line py-2 pr-2 pl-3 font-normal">
              <span className="block font-medium">{t(`notifications.topic.${topic}`)}</span>
              <span className="block text-sm text-pretty text-muted">
                {t(`notifications.topic.${topic}.text`)}
              </span>
            </th>
            {ways.map((way) => (
              <td key={way} className="border-t border-line">
                <span className="flex justify-center">
                  <Checkbox
                    label={t('notifications.cell', {
                      topic: t(`notifications.topic.${topic}`),
                      way: t(`notifications.way.${way}`),
                    })}
                    checked={settings.topics[topic][way]}
                    onChange={(on) => toggle(topic, way, on)}
                  />
                </span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
