/** Every section of the settings in one list: what it is called, who sees it, where its view is. A new one is a line here. */
import {
  Activity,
  Ban,
  Bell,
  Bot,
  Building2,
  Clock,
  Hourglass,
  KeySquare,
  MessageCircle,
  MessageSquareText,
  Radio,
  ShieldCheck,
  Sparkles,
  Tag,
  Timer,
  UserRound,
  Users,
  UsersRound,
  Workflow,
  Wrench,
  Zap,
} from 'lucide-react';
import { lazyView } from '../app/lazy-view.tsx';
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
        view: lazyView(() => import('./profile/profile-settings.tsx'), 'default'),
      },
      {
        id: 'security',
        label: () => t('settings.security'),
        icon: <ShieldCheck className={icon} />,
        for: 'everyone',
        view: lazyView(() => import('../security/security-settings.tsx'), 'default'),
      },
      {
        id: 'notifications',
        label: () => t('settings.notifications'),
        icon: <Bell className={icon} />,
        for: 'everyone',
        view: lazyView(
          withTexts('notifications', () => import('./profile/notifications-settings.tsx')),
          'default',
        ),
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
        view: lazyView(
          withTexts('connectors', () => import('./channels/channels-settings.tsx')),
          'default',
        ),
        item: lazyView(
          withTexts('connectors', () => import('./channels/channel-settings.tsx')),
          'default',
        ),
      },
      {
        id: 'widget',
        label: () => t('widget.title'),
        icon: <MessageCircle className={icon} />,
        for: 'channels.manage',
        view: lazyView(() => import('./widget/widget-settings.tsx'), 'default'),
      },
      {
        id: 'agents',
        label: () => t('settings.agents'),
        icon: <Bot className={icon} />,
        for: 'agents.manage',
        view: lazyView(() => import('./agents/agents-settings.tsx'), 'default'),
        item: lazyView(
          withTexts('tools', () => import('./agents/agent-settings.tsx')),
          'default',
        ),
      },
      {
        id: 'tools',
        label: () => t('settings.tools'),
        icon: <Wrench className={icon} />,
        for: 'agents.manage',
        view: lazyView(
          withTexts('tools', () => import('./tools/tools-settings.tsx')),
          'default',
        ),
        item: lazyView(
          withTexts('tools', () => import('./tools/tool-settings.tsx')),
          'default',
        ),
      },
      {
        id: 'copilot',
        label: () => t('settings.copilot'),
        icon: <Sparkles className={icon} />,
        for: 'agents.manage',
        view: lazyView(
          withTexts('copilot', () => import('./copilot/copilot-settings.tsx')),
          'default',
        ),
      },
      {
        id: 'saved-replies',
        label: () => t('settings.replies'),
        icon: <MessageSquareText className={icon} />,
        for: 'everyone',
        view: lazyView(() => import('./people/saved-replies-settings.tsx'), 'default'),
      },
      {
        id: 'macros',
        label: () => t('settings.macros'),
        icon: <Zap className={icon} />,
        for: 'everyone',
        view: lazyView(
          withTexts('macros', () => import('../macros/settings/macros-settings.tsx')),
          'default',
        ),
      },
      {
        id: 'automation',
        label: () => t('settings.automation'),
        icon: <Workflow className={icon} />,
        for: 'automation.manage',
        view: lazyView(
          withTexts(
            'macros',
            withTexts('automation', () => import('../automations/settings/rules-settings.tsx')),
          ),
          'default',
        ),
        item: lazyView(
          withTexts(
            'macros',
            withTexts('automation', () => import('../automations/settings/rule-settings.tsx')),
          ),
          'default',
        ),
      },
      {
        id: 'business-hours',
        label: () => t('settings.hours'),
        icon: <Clock className={icon} />,
        for: 'automation.manage',
        view: lazyView(
          withTexts('hours', () => import('./hours/hours-settings.tsx')),
          'default',
        ),
      },
      {
        id: 'service-levels',
        label: () => t('settings.serviceLevels'),
        icon: <Timer className={icon} />,
        for: 'automation.manage',
        view: lazyView(
          withTexts(
            'macros',
            withTexts('automation', () => import('./service-levels/service-levels-settings.tsx')),
          ),
          'default',
        ),
      },
      {
        id: 'labels',
        label: () => t('settings.labels'),
        icon: <Tag className={icon} />,
        for: 'labels.manage',
        view: lazyView(
          withTexts('labels', () => import('./people/labels-settings.tsx')),
          'default',
        ),
      },
      {
        id: 'blocked-contacts',
        label: () => t('settings.blocked'),
        icon: <Ban className={icon} />,
        for: 'contacts.block',
        view: lazyView(() => import('./people/blocked-settings.tsx'), 'default'),
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
        view: lazyView(() => import('./instance/workspace-settings.tsx'), 'default'),
      },
      {
        id: 'users',
        label: () => t('settings.users'),
        icon: <Users className={icon} />,
        for: 'users.manage',
        view: lazyView(() => import('./people/users-settings.tsx'), 'default'),
      },
      {
        id: 'roles',
        label: () => t('settings.roles'),
        icon: <KeySquare className={icon} />,
        for: 'users.manage',
        view: lazyView(() => import('./roles/roles-settings.tsx'), 'default'),
      },
      {
        id: 'teams',
        label: () => t('settings.teams'),
        icon: <UsersRound className={icon} />,
        for: 'users.manage',
        view: lazyView(() => import('./people/teams-settings.tsx'), 'default'),
      },
      {
        id: 'retention',
        label: () => t('settings.retention'),
        icon: <Hourglass className={icon} />,
        for: 'privacy.manage',
        view: lazyView(() => import('./instance/retention-settings.tsx'), 'default'),
      },
      {
        id: 'audit-log',
        label: () => t('settings.audit'),
        icon: <Activity className={icon} />,
        for: 'audit.view',
        view: lazyView(() => import('./instance/audit-settings.tsx'), 'default'),
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
