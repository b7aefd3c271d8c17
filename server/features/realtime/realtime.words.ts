/** The texts of push messages, in the reader's language; the dashboard has its own texts for the list. */
import type { LanguageName } from '../../../contract/limits.ts';
import {
  assignedNotificationBody,
  attentionNotificationBody,
  autoAssignedNotificationBody,
  fileNotificationBody,
  personRequestedNotificationBody,
} from '../../../contract/notifications.ts';
import type { Notification } from '../../../contract/realtime.ts';

const words: {
  [language in LanguageName]: {
    [what in
      | 'handover'
      | 'personRequested'
      | 'attention'
      | 'snooze'
      | 'webhook'
      | 'connector'
      | 'knowledgeReview'
      | 'agentLimit'
      | 'ruleDisabled'
      | 'file'
      | 'reminder'
      | 'assigned'
      | 'autoAssigned'
      | 'taskAssigned'
      | 'slaWarning'
      | 'slaBreached'
      | 'test']: string;
  };
} = {
  en: {
    handover: 'The assistant asked for a person.',
    personRequested: personRequestedNotificationBody,
    attention: attentionNotificationBody,
    snooze: 'The snooze has ended.',
    assigned: assignedNotificationBody,
    autoAssigned: autoAssignedNotificationBody,
    webhook: 'A webhook was disabled',
    connector: 'A channel needs attention',
    knowledgeReview: 'A website waits for your review',
    agentLimit: 'An agent reached its limit',
    ruleDisabled: 'A rule was switched off',
    file: fileNotificationBody,
    reminder: 'Reminder',
    taskAssigned: 'New task for you',
    slaWarning: 'A service level is due soon.',
    slaBreached: 'A service level was missed.',
    test: 'Notifications reach this browser.',
  },
  pt: {
    handover: 'O assistente pediu a ajuda de uma pessoa.',
    personRequested: 'O cliente pediu para falar com uma pessoa.',
    attention: 'Esta conversa precisa de uma pessoa.',
    snooze: 'O adiamento terminou.',
    assigned: 'Atribuiu esta conversa a você.',
    autoAssigned: 'Esta conversa foi atribuída a você automaticamente.',
    webhook: 'Um webhook foi desativado',
    connector: 'Um canal precisa de atenção',
    knowledgeReview: 'Um site aguarda sua revisão',
    agentLimit: 'Um agente atingiu o limite',
    ruleDisabled: 'Uma regra foi desativada',
    file: 'Enviou um arquivo',
    reminder: 'Lembrete',
    taskAssigned: 'Nova tarefa para você',
    slaWarning: 'Um nível de serviço vence em breve.',
    slaBreached: 'Um nível de serviço não foi cumprido.',
    test: 'As notificações chegam a este navegador.',
  },
  es: {
    handover: 'El asistente pidió la ayuda de una persona.',
    personRequested: 'El cliente pidió hablar con una persona.',
    attention: 'Esta conversación necesita a una persona.',
    snooze: 'La posposición terminó.',
    assigned: 'Te asignó esta conversación.',
    autoAssigned: 'Esta conversación se te asignó automáticamente.',
    webhook: 'Se desactivó un webhook',
    connector: 'Un canal necesita atención',
    knowledgeReview: 'Un sitio web espera tu revisión',
    agentLimit: 'Un agente alcanzó su límite',
    ruleDisabled: 'Se desactivó una regla',
    file: 'Envió un archivo',
    reminder: 'Recordatorio',
    taskAssigned: 'Nueva tarea para ti',
    slaWarning: 'Un nivel de servicio vence pronto.',
    slaBreached: 'Un nivel de servicio no se cumplió.',
    test: 'Las notificaciones llegan a este navegador.',
  },
};

export const wordsIn = (language: LanguageName | null) => words[language ?? 'en'];

export function pushWords(
  { kind, title, body }: Pick<Notification, 'kind' | 'title' | 'body'>,
  language: LanguageName | null,
): { title: string; body: string } {
  const {
    handover,
    personRequested,
    attention,
    snooze,
    assigned,
    autoAssigned,
    webhook,
    connector,
    knowledgeReview,
    agentLimit,
    ruleDisabled,
    file,
    reminder,
    taskAssigned,
    slaWarning,
    slaBreached,
  } = wordsIn(language);
  if (kind === 'handover')
    return { title, body: body === personRequestedNotificationBody ? personRequested : handover };
  if (kind === 'snooze_ended') return { title, body: snooze };
  if (kind === 'sla_warning') return { title, body: slaWarning };
  if (kind === 'sla_breached') return { title, body: slaBreached };
  if (kind === 'attention') return { title, body: body.replace(attentionNotificationBody, attention) };
  if (kind === 'assigned')
    return { title, body: body === autoAssignedNotificationBody ? autoAssigned : assigned };
  if (kind === 'message' && body === fileNotificationBody) return { title, body: file };
  if (kind === 'task_reminder') return { title: `${reminder}: ${title}`, body };
  if (kind === 'task_assigned') return { title: `${taskAssigned}: ${title}`, body };
  if (kind === 'connector_failed') return { title: connector, body };
  if (kind === 'knowledge_review') return { title: knowledgeReview, body };
  if (kind === 'agent_limit') return { title: agentLimit, body };
  if (kind === 'rule_disabled') return { title: ruleDisabled, body };
  return { title: kind === 'webhook_disabled' ? webhook : title, body };
}
