import type { record as english } from '../en/record.ts';
import type { Translated } from '../translated.ts';

export const record: Translated<typeof english> = {
  'record.title': 'Tarjeta',
  'record.statusIs': 'Estado: {status}',
  'record.newChat': 'Nueva conversación',
  'record.openChat': 'Abrir chat',
  'record.copyLink': 'Copiar enlace',
  'record.linkCopied': 'Se copió el enlace',
  'record.openLink': 'Abrir el enlace',
  'record.delete': 'Eliminar',
  'record.nobody': 'Nadie',
  'record.gone': 'Antiguo miembro',
  'record.field.title': 'Título',
  'record.field.status': 'Estado',
  'record.field.assignees': 'Responsables',
  'record.conversations': 'Conversaciones',
  'record.needsAttention': 'Requiere atención',
  'record.aiPaused': 'La IA está en pausa',
  'record.activity': 'Actividad',
  'record.activity.created': 'creó esta tarjeta',
  'record.activity.changed': 'cambió {field}',
  'record.activity.set': 'definió {field} como',
  'record.activity.cleared': 'vació {field}',
  'record.activity.task': 'agregó la tarea',
  'record.activity.taskDone': 'completó la tarea',
  'record.activity.comment': 'comentó',
};
