import type { why as english } from '../../en/inbox/why.ts';
import type { Translated } from '../../translated.ts';

export const why: Translated<typeof english> = {
  'why.gone':
    'Nada está guardado sobre esta resposta. Os registros de respostas são removidos após o prazo definido em Privacidade.',
  'why.offline': 'Agente integrado',
  'why.noModel': 'Nenhum modelo foi consultado',
  'why.version': 'versão {version}',
  'why.latency': '{seconds} s',
  'why.ms': '{ms} ms',
  'why.tokens': '{input} tokens de entrada, {output} de saída',
  'why.used': 'Com base em',
  'why.usedNothing': 'Nenhuma fonte foi citada.',
  'why.saw': 'Podia responder a partir de',
  'why.sawNothing': 'Nenhum trecho foi encontrado.',
  'why.untitled': 'Sem título',
  'why.tools': 'Ferramentas usadas',
  'why.refused': 'Recusada',
  'why.guard': 'Verificações antes do envio',
  'why.passed': 'Nada a reteve.',
  'why.rule.note': 'Retida: repete uma nota interna.',
  'why.rule.hidden_field': 'Retida: repete um campo oculto da IA.',
  'why.rule.blocked_pattern': 'Retida: diz o que o agente nunca deve dizer.',
  'why.rule.window': 'Retida: o canal já não aceitava texto livre.',
  'why.handover': 'Transferida a uma pessoa',
  'why.handover.requested': 'O cliente ou o agente pediu uma pessoa.',
  'why.handover.no_knowledge': 'O agente só responde com o conhecimento e não achou a resposta nele.',
  'why.handover.limit': 'Um limite de respostas da IA foi atingido.',
};
