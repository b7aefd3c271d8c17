/** Every section of the settings in one list: what it is called, who sees it, where its view is. A new one is a line here. */
import {
  Activity,
  Ban,
  Bell,
  Bot,
  Building2,
  Hourglass,
  KeySquare,
  MessageCircle,
  MessageSquareText,
  Radio,
  ShieldCheck,
  Tag,
  UserRound,
  Users,
  UsersRound,
  Zap,
} from 'lucide-react';
import { lazy } from 'react';
import type { SignedIn } from '../data/session.ts';
import { t, withTexts } from '../texts/texts.ts';
import { technicalGroups } from './instance/technical-sections.tsx';
import type { SettingsGroup, SettingsSectionEntry } from './parts/section-entry.ts';

const icon = 'size-4';

const settingsGroups: readonly SettingsGroup[] = [
  {
    label: () => t('settings.group.you'),
    sections: [
      {
        id: 'profile',
        label: () => t('settings.profile'),
        icon: <UserRound className={icon} />,
        for: 'everyone',
        view: lazy(() => import('./profile/profile-settings.tsx')),
      },
      {
        id: 'security',
        label: () => t('settings.security'),
        icon: <ShieldCheck className={icon} />,
        for: 'everyone',
        view: lazy(() => import('../security/security-settings.tsx')),
      },
      {
        id: 'notifications',
        label: () => t('settings.notifications'),
        icon: <Bell className={icon} />,
        for: 'everyone',
        view: lazy(withTexts('notifications', () => import('./profile/notifications-settings.tsx'))),
      },
    ],
  },
  {
    label: () => t('settings.group.conversations'),
    sections: [
      {
        id: 'channels',
        label: () => t('settings.channels'),
        icon: <Radio className={icon} />,
        for: 'channels.manage',
        view: lazy(withTexts('connectors', () => import('./channels/channels-settings.tsx'))),
        item: lazy(withTexts('connectors', () => import('./channels/channel-settings.tsx'))),
      },
      {
        id: 'widget',
        label: () => t('widget.title'),
        icon: <MessageCircle className={icon} />,
        for: 'channels.manage',
        view: lazy(() => import('./widget/widget-settings.tsx')),
      },
      {
        id: 'agents',
        label: () => t('settings.agents'),
        icon: <Bot className={icon} />,
        for: 'agents.manage',
        view: lazy(() => import('./agents/agents-settings.tsx')),
        item: lazy(() => import('./agents/agent-settings.tsx')),
      },
      {
        id: 'saved-replies',
        label: () => t('settings.replies'),
        icon: <MessageSquareText className={icon} />,
        for: 'everyone',
        view: lazy(() => import('./people/saved-replies-settings.tsx')),
      },
      {
        id: 'macros',
        label: () => t('settings.macros'),
        icon: <Zap className={icon} />,
        for: 'everyone',
        view: lazy(withTexts('macros', () => import('../macros/settings/macros-settings.tsx'))),
      },
      {
        id: 'labels',
        label: () => t('settings.labels'),
        icon: <Tag className={icon} />,
        for: 'labels.manage',
        view: lazy(withTexts('labels', () => import('./people/labels-settings.tsx'))),
      },
      {
        id: 'blocked-contacts',
        label: () => t('settings.blocked'),
        icon: <Ban className={icon} />,
        for: 'contacts.block',
        view: lazy(() => import('./people/blocked-settings.tsx')),
      },
    ],
  },
  {
    label: () => t('settings.group.workspace'),
    sections: [
      {
        id: 'workspace',
        label: () => t('settings.workspace'),
        icon: <Building2 className={icon} />,
        for: 'account.manage',
        view: lazy(() => import('./instance/workspace-settings.tsx')),
      },
      {
        id: 'users',
        label: () => t('settings.users'),
        icon: <Users className={icon} />,
        for: 'users.manage',
        view: lazy(() => import('./people/users-settings.tsx')),
      },
      {
        id: 'roles',
        label: () => t('settings.roles'),
        icon: <KeySquare className={icon} />,
        for: 'users.manage',
        view: lazy(() => import('./roles/roles-settings.tsx')),
      },
      {
        id: 'teams',
        label: () => t('settings.teams'),
        icon: <UsersRound className={icon} />,
        for: 'users.manage',
        view: lazy(() => import('./people/teams-settings.tsx')),
      },
      {
        id: 'retention',
        label: () => t('settings.retention'),
        icon: <Hourglass className={icon} />,
        for: 'privacy.manage',
        view: lazy(() => import('./instance/retention-settings.tsx')),
      },
      {
        id: 'audit-log',
        label: () => t('settings.audit'),
        icon: <Activity className={icon} />,
        for: 'audit.view',
        view: lazy(() => import('./instance/audit-settings.tsx')),
      },
    ],
  },
  ...technicalGroups,
];

/** What this person may use; groups without anything are left out. */
export function groupsFor({ user }: Pick<SignedIn, 'user'>): SettingsGroup[] {
  const may = (section: SettingsSectionEntry) =>
    section.for === 'everyone' ||
    (section.for === 'instance' ? user.isInstanceAdmin === true : user.permissions.includes(section.for));
  return settingsGroups
    .map((group) => ({ ...group, sections: group.sections.filter(may) }))
    .filter((group) => group.sections.length > 0);
}
