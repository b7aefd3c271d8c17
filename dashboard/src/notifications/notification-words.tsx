/** The text of a notification in the user's language, and the page it opens. */
import type { RegisteredRouter } from '@tanstack/react-router';
import {
  AlarmClock,
  AtSign,
  BellRing,
  BookOpenCheck,
  Gauge,
  Hand,
  ListTodo,
  MessageSquare,
  StickyNote,
  Timer,
  TimerOff,
  Unplug,
  UserRoundCheck,
  Webhook,
  Workflow,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { toPlainText } from '../../../contract/markdown/markdown.ts';
import {
  attentionNotificationBody,
  autoAssignedNotificationBody,
  fileNotificationBody,
  type NotificationKind,
  personRequestedNotificationBody,
} from '../../../contract/notifications.ts';
import type { Notification } from '../../../contract/realtime.ts';
import { shownTitle } from '../texts/customer-name.ts';
import { t } from '../texts/texts.ts';

const icon = 'size-4';
export const notificationIcons: { [kind in NotificationKind]: ReactNode } = {
  message: <MessageSquare className={icon} />,
  handover: <Hand className={icon} />,
  attention: <BellRing className={icon} />,
  snooze_ended: <AlarmClock className={icon} />,
  mention: <StickyNote className={icon} />,
  assigned: <UserRoundCheck className={icon} />,
  sla_warning: <Timer className={icon} />,
  sla_breached: <TimerOff className={icon} />,
  comment_mention: <AtSign className={icon} />,
  task_assigned: <ListTodo className={icon} />,
  task_reminder: <AlarmClock className={icon} />,
  webhook_disabled: <Webhook className={icon} />,
  connector_failed: <Unplug className={icon} />,
  knowledge_review: <BookOpenCheck className={icon} />,
  agent_limit: <Gauge className={icon} />,
  rule: <Workflow className={icon} />,
  rule_disabled: <Workflow className={icon} />,
};

export function wordsOf({ kind, title: name, body }: Notification): { title: string; body: string } {
  const title = shownTitle(name);
  if (kind === 'handover') {
    const isAsked = body === personRequestedNotificationBody;
    return { title, body: t(isAsked ? 'notify.personRequested' : 'notify.handover') };
  }
  if (kind === 'snooze_ended') return { title, body: t('notify.snooze') };
  if (kind === 'sla_warning') return { title, body: t('notify.slaWarning') };
  if (kind === 'sla_breached') return { title, body: t('notify.slaBreached') };
  if (kind === 'attention') {
    return { title, body: body.replace(attentionNotificationBody, t('notify.attention')) };
  }
  if (kind === 'assigned') {
    return {
      title,
      body: body === autoAssignedNotificationBody ? t('notify.autoAssigned') : t('notify.assigned'),
    };
  }
  if (kind === 'message' && body === fileNotificationBody) return { title, body: t('notify.file') };
  if (kind === 'task_reminder')
    return { title: t('notify.reminder', { task: name }), body: shownTitle(body) };
  if (kind === 'task_assigned') return { title: t('notify.taskAssigned', { task: name }), body };
  if (kind === 'webhook_disabled') return { title: t('notify.webhook'), body };
  if (kind === 'connector_failed') return { title: t('notify.connector'), body };
  if (kind === 'knowledge_review') return { title: t('notify.knowledgeReview'), body };
  if (kind === 'agent_limit') return { title: t('notify.agentLimit'), body };
  if (kind === 'rule_disabled') return { title: t('notify.ruleDisabled'), body };
  return { title, body: toPlainText(body) };
}

export type Navigate = RegisteredRouter['navigate'];

export function openNotification(notification: Notification, navigate: Navigate): void {
  const { sessionId, webhookId, channelId, recordId, knowledgeSourceId, agentId } = notification;
  if (recordId !== null) void navigate({ to: '/records/$recordId', params: { recordId } });
  else if (sessionId !== null) void navigate({ to: '/inbox/$sessionId', params: { sessionId } });
  else if (webhookId !== null) {
    const params = { section: 'webhooks', itemId: webhookId };
    void navigate({ to: '/settings/$section/$itemId', params });
  } else if (channelId !== null) {
    const params = { section: 'channels', itemId: channelId };
    void navigate({ to: '/settings/$section/$itemId', params });
  } else if (knowledgeSourceId !== null) {
    const params = { part: 'sources', itemId: knowledgeSourceId };
    void navigate({ to: '/knowledge/$part/$itemId', params });
  } else if (agentId !== null) {
    const params = { section: 'agents', itemId: agentId };
    void navigate({ to: '/settings/$section/$itemId', params });
  }
}
