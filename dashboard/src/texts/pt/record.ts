import type { record as english } from '../en/record.ts';
import type { Translated } from '../translated.ts';

export const record: Translated<typeof english> = {
  'record.title': 'Cartão',
  'record.statusIs': 'Status: {status}',
  'record.newChat': 'Nova conversa',
  'record.openChat': 'Abrir conversa',
  'record.copyLink': 'Copiar link',
  'record.linkCopied': 'O link foi copiado',
  'record.openLink': 'Abrir o link',
  'record.delete': 'Excluir',
  'record.nobody': 'Ninguém',
  'record.gone': 'Ex-membro',
  'record.field.title': 'Título',
  'record.field.status': 'Status',
  'record.field.assignees': 'Responsáveis',
  'record.conversations': 'Conversas',
  'record.needsAttention': 'Precisa de atenção',
  'record.aiPaused': 'A IA está pausada',
  'record.activity': 'Atividade',
  'record.activity.created': 'criou este cartão',
  'record.activity.changed': 'alterou {field}',
  'record.activity.set': 'definiu {field} como',
  'record.activity.cleared': 'limpou {field}',
  'record.activity.task': 'adicionou a tarefa',
  'record.activity.taskDone': 'concluiu a tarefa',
  'record.activity.comment': 'comentou',
};
