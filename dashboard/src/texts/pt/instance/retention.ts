import type { retention as english } from '../../en/instance/retention.ts';
import type { Translated } from '../../translated.ts';

export const retention: Translated<typeof english> = {
  'settings.retention': 'Retenção de dados',
  'retention.text':
    'Por quanto tempo este espaço de trabalho guarda seus dados. Os dias contam a partir de quando cada item foi guardado aqui. O que é mais antigo é removido em segundo plano e não pode ser recuperado. Deixe um campo vazio para guardar tudo.',
  'retention.messageDays': 'Mensagens e notas, em dias',
  'retention.messageDays.hint':
    'Com seus arquivos. Uma conversa é removida com sua última mensagem. No mínimo {min}.',
  'retention.fileDays': 'Arquivos, em dias',
  'retention.fileDays.hint': 'A mensagem fica e mostra que o arquivo foi removido. No mínimo {min}.',
  'retention.eventDays': 'Eventos e entregas de webhooks, em dias',
  'retention.eventDays.hint':
    'De {min} a {max}. Eventos de mensagens nunca ficam mais tempo que as mensagens.',
  'retention.auditDays': 'Auditoria, em dias',
  'retention.auditDays.hint': 'No mínimo {min}.',
  'retention.replyLogDays': 'Registro de respostas da IA, em dias',
  'retention.replyLogDays.hint': 'No mínimo {min}. Vazio: enquanto a conversa existir.',
  'retention.keep': 'Guardar',
  'retention.save': 'Salvar',
  'retention.saved': 'A retenção de dados foi salva',
  'retention.outOfRange': 'Um número inteiro de {min} a {max}',
  'retention.confirm.title': 'Remover dados antigos?',
  'retention.confirm.text': 'Com estas configurações, o seguinte é removido agora. Não pode ser recuperado.',
  'retention.confirm.action': 'Salvar e remover',
  'retention.count.messages': 'Mensagens e notas',
  'retention.count.conversations': 'Conversas',
  'retention.count.files': 'Arquivos',
  'retention.count.events': 'Eventos',
  'retention.count.auditEntries': 'Registros da auditoria',
  'retention.count.replyLogs': 'Registros de respostas da IA',
  'retention.count.more': '{count} ou mais',
  'retention.lastRun': 'Dados antigos foram removidos pela última vez {time}.',
  'accounts.suspended': 'Suspensa',
  'accounts.deleting': 'Em exclusão',
  'accounts.access': 'Acesso',
  'accounts.suspend': 'Suspender',
  'accounts.suspend.title': 'Suspender esta conta',
  'accounts.suspend.text':
    'Ninguém pode entrar nem usar a API, os chats dos sites param e nada é enviado. Mensagens que os provedores entregam são guardadas e processadas quando a conta for retomada.',
  'accounts.suspend.reason': 'Motivo (opcional)',
  'accounts.suspend.done': '{name} está suspensa',
  'accounts.suspendedSince': 'Suspensa desde {time}',
  'accounts.resume': 'Retomar',
  'accounts.resume.done': '{name} está ativa de novo',
  'accounts.deletingText':
    'Esta conta está sendo excluída. Ela some da lista quando tudo tiver sido removido.',
  'accounts.delete': 'Excluir conta',
  'accounts.delete.text': 'Usuários, quadros, conversas e arquivos são removidos para sempre.',
  'accounts.delete.consequence':
    'Tudo nesta conta é removido para sempre: usuários, quadros, registros, conversas e arquivos. Backups feitos antes ainda a contêm.',
  'accounts.delete.done': '{name} está sendo excluída',
  'accounts.delete.failed': 'Não foi possível excluir a conta',
  'accounts.changeFailed': 'Não foi possível alterar a conta',
};
