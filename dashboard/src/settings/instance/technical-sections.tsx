/** The settings for developers and for administrators of the instance. */
import { Archive, Database, Gauge, KeyRound, Server, Webhook } from 'lucide-react';
import { lazy } from 'react';
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
        view: lazy(() => import('../people/tokens-settings.tsx')),
      },
      {
        id: 'webhooks',
        label: () => t('settings.webhooks'),
        icon: <Webhook className={icon} />,
        for: 'webhooks.manage',
        view: lazy(() => import('../webhooks/webhooks-settings.tsx')),
        item: lazy(() => import('../webhooks/webhook-settings.tsx')),
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
        view: lazy(() => import('./accounts-settings.tsx')),
        item: lazy(() => import('./account-settings.tsx')),
      },
      {
        id: 'cells',
        label: () => t('settings.cells'),
        icon: <Database className={icon} />,
        for: 'instance',
        view: lazy(withTexts('cells', () => import('./cells-settings.tsx'))),
      },
      {
        id: 'backups',
        label: () => t('settings.backups'),
        icon: <Archive className={icon} />,
        for: 'instance',
        view: lazy(withTexts('backups', () => import('./backups-settings.tsx'))),
      },
      {
        id: 'system',
        label: () => t('settings.system'),
        icon: <Gauge className={icon} />,
        for: 'instance',
        view: lazy(withTexts('system', () => import('./system-settings.tsx'))),
      },
    ],
  },
];
