/** The settings for developers and for administrators of the instance. */
import { Archive, Database, Gauge, KeyRound, Server, Webhook } from 'lucide-react';
import { lazyView } from '../../app/lazy-view.tsx';
import { t, withTexts } from '../../texts/texts.ts';
import type { SettingsGroup } from '../parts/section-entry.ts';

const icon = 'size-4';

export const technicalGroups: readonly SettingsGroup[] = [
  {
    label: () => t('settings.group.developers'),
    sections: [
      {
        id: 'api-tokens',
        label: () => t('settings.tokens'),
        icon: <KeyRound className={icon} />,
        for: 'tokens.manage',
        view: lazyView(() => import('../people/tokens-settings.tsx'), 'default'),
      },
      {
        id: 'webhooks',
        label: () => t('settings.webhooks'),
        icon: <Webhook className={icon} />,
        for: 'webhooks.manage',
        view: lazyView(() => import('../webhooks/webhooks-settings.tsx'), 'default'),
        item: lazyView(() => import('../webhooks/webhook-settings.tsx'), 'default'),
      },
    ],
  },
  {
    label: () => t('settings.group.instance'),
    sections: [
      {
        id: 'accounts',
        label: () => t('settings.accounts'),
        icon: <Server className={icon} />,
        for: 'instance',
        view: lazyView(() => import('./accounts-settings.tsx'), 'default'),
        item: lazyView(() => import('./account-settings.tsx'), 'default'),
      },
      {
        id: 'cells',
        label: () => t('settings.cells'),
        icon: <Database className={icon} />,
        for: 'instance',
        view: lazyView(
          withTexts('cells', () => import('./cells-settings.tsx')),
          'default',
        ),
      },
      {
        id: 'backups',
        label: () => t('settings.backups'),
        icon: <Archive className={icon} />,
        for: 'instance',
        view: lazyView(
          withTexts('backups', () => import('./backups-settings.tsx')),
          'default',
        ),
      },
      {
        id: 'system',
        label: () => t('settings.system'),
        icon: <Gauge className={icon} />,
        for: 'instance',
        view: lazyView(
          withTexts('system', () => import('./system-settings.tsx')),
          'default',
        ),
      },
    ],
  },
];
