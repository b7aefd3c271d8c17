import type { sla as english } from '../../en/automation/service-levels.ts';
import type { Translated } from '../../translated.ts';

export const sla: Translated<typeof english> = {
  'sla.text':
    'Em quanto tempo os clientes são respondidos e as conversas resolvidas. Vale o primeiro que corresponde à conversa.',
  'sla.new': 'Novo nível de serviço',
  'sla.edit': 'Editar nível de serviço',
  'sla.empty': 'Ainda não há níveis de serviço',
  'sla.emptyText': 'Eles mostram na caixa de entrada o que vence primeiro e avisam antes do atraso.',
  'sla.name': 'Nome',
  'sla.filter': 'Para conversas que atendem a (nenhuma: todas)',
  'sla.hours': 'Contando',
  'sla.allHours': 'Todas as horas',
  'sla.pauseSnoozed': 'Pausar enquanto a conversa está adiada',
  'sla.pauseWaiting': 'Pausar a resolução enquanto o cliente precisa responder',
  'sla.aiCounts': 'Respostas da IA contam como respostas',
  'sla.warn': 'Avisar antes',
  'sla.warnHint': 'O responsável é notificado; senão, a equipe. Vazio: sem aviso.',
  'sla.deleted': 'Nível de serviço “{name}” excluído',
  'sla.deleteFailed': 'Não foi possível excluir o nível de serviço',
  'sla.reorderFailed': 'Não foi possível salvar a ordem',
  'sla.everything': 'Todas as conversas',
  'sla.none': 'Vazio: sem esta meta.',
  'sla.target.firstResponseMinutes': 'Primeira resposta em até',
  'sla.target.nextResponseMinutes': 'Próxima resposta em até',
  'sla.target.resolutionMinutes': 'Resolução em até',
};
