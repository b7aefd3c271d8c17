import type { calls as english } from '../../en/inbox/calls.ts';
import type { Translated } from '../../translated.ts';

export const calls: Translated<typeof english> = {
  'calls.waiting': 'Aguardando aprovação',
  'calls.asks': '{agent} pede para usar a ferramenta',
  'calls.expires': 'Nada acontece sem uma aprovação. Expira {time}.',
  'calls.approve': 'Aprovar',
  'calls.reject': 'Rejeitar',
  'calls.failed': 'A decisão não foi salva',
  'calls.state.running': 'Em andamento',
  'calls.state.done': 'Concluída',
  'calls.state.failed': 'Falhou',
  'calls.state.rejected': 'Rejeitada',
  'calls.state.cancelled': 'Cancelada',
  'calls.state.expired': 'Expirada',
  'calls.state.unknown': 'Resultado desconhecido',
  'calls.text.running': 'Aguardando uma resposta.',
  'calls.text.rejected': 'A ferramenta não foi chamada.',
  'calls.text.cancelled':
    'A ferramenta não foi chamada: antes disso, a IA foi pausada, a conversa foi transferida ou o cliente foi bloqueado.',
  'calls.text.expired': 'A ferramenta não foi chamada: ninguém decidiu em 24 horas.',
  'calls.text.unknown':
    'Não houve resposta, então pode ter acontecido. A chamada não é repetida. Verifique no sistema que a ferramenta chama.',
  'calls.approvedBy': 'aprovada por {name}',
  'calls.rejectedBy': 'por {name}',
  'calls.unapproved': 'não precisa de aprovação',
  'calls.arguments': 'Argumentos',
  'calls.noArguments': 'Sem argumentos',
  'calls.result': 'Resultado',
};
