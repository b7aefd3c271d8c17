import type { why as english } from '../../en/inbox/why.ts';
import type { Translated } from '../../translated.ts';

export const why: Translated<typeof english> = {
  'why.gone':
    'No se guarda nada sobre esta respuesta. Los registros de respuestas se eliminan tras el plazo definido en Privacidad.',
  'why.offline': 'Agente integrado',
  'why.noModel': 'No se consultó ningún modelo',
  'why.version': 'versión {version}',
  'why.latency': '{seconds} s',
  'why.ms': '{ms} ms',
  'why.tokens': '{input} tokens de entrada, {output} de salida',
  'why.used': 'Basada en',
  'why.usedNothing': 'No se citó ninguna fuente.',
  'why.saw': 'Podía responder a partir de',
  'why.sawNothing': 'No se encontró ningún pasaje.',
  'why.untitled': 'Sin título',
  'why.tools': 'Herramientas que usó',
  'why.refused': 'Rechazada',
  'why.guard': 'Comprobaciones antes del envío',
  'why.passed': 'Nada la retuvo.',
  'why.rule.note': 'Retenida: repite una nota interna.',
  'why.rule.hidden_field': 'Retenida: repite un campo oculto para la IA.',
  'why.rule.blocked_pattern': 'Retenida: dice lo que el agente nunca debe decir.',
  'why.rule.window': 'Retenida: el canal ya no aceptaba texto libre.',
  'why.handover': 'Derivada a una persona',
  'why.handover.requested': 'El cliente o el agente pidió una persona.',
  'why.handover.no_knowledge':
    'El agente responde solo con el conocimiento y no encontró la respuesta en él.',
  'why.handover.limit': 'Se alcanzó un límite de respuestas de la IA.',
};
