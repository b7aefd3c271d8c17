import type { copilot as english } from '../../en/inbox/copilot.ts';
import type { Translated } from '../../translated.ts';

export const copilot: Translated<typeof english> = {
  'copilot.suggest': 'Sugerir uma resposta',
  'copilot.making': 'Escrevendo uma sugestão…',
  'copilot.marked': 'Sugerido pelo copiloto. Confira antes de enviar.',
  'copilot.stop': 'Parar',
  'copilot.outdated': 'O cliente escreveu, por isso a sugestão foi removida',
  'copilot.error.limited':
    'Você pediu ajuda ao copiloto 30 vezes em um minuto. Espere um pouco e tente de novo.',
  'copilot.error.noModel':
    'O agente do copiloto não tem modelo de IA. Um administrador pode escolher outro em Configurações > Copiloto.',
  'copilot.error.off':
    'O copiloto foi desativado. Um administrador pode ativá-lo em Configurações > Copiloto.',
  'copilot.error.nothing':
    'Nada serve para esta conversa: o conhecimento e as respostas salvas não têm a resposta.',
  'copilot.error.held': 'A sugestão repetia uma nota interna, por isso não é mostrada.',
  'copilot.error.model': 'O provedor de IA falhou: {reason}',
  'copilot.error.cutOff': 'A resposta foi interrompida. Tente de novo.',
  'copilot.settings.text': 'Ajuda sua equipe nas conversas: sugere respostas. Nunca envia nada.',
  'copilot.settings.agent': 'Agente',
  'copilot.settings.agentHint': 'O copiloto usa o modelo, as instruções e o conhecimento dele.',
  'copilot.settings.offline':
    'Este agente não tem modelo de IA. Sugere trechos do conhecimento e respostas salvas.',
  'copilot.settings.off': 'Desativado',
};
