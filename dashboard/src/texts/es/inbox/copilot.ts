import type { copilot as english } from '../../en/inbox/copilot.ts';
import type { Translated } from '../../translated.ts';

export const copilot: Translated<typeof english> = {
  'copilot.suggest': 'Sugerir una respuesta',
  'copilot.making': 'Escribiendo una sugerencia…',
  'copilot.marked': 'Sugerido por el copiloto. Revísalo antes de enviarlo.',
  'copilot.stop': 'Detener',
  'copilot.outdated': 'El cliente escribió, así que se quitó la sugerencia',
  'copilot.error.limited':
    'Pediste ayuda al copiloto 30 veces en un minuto. Espera un momento e inténtalo de nuevo.',
  'copilot.error.noModel':
    'El agente del copiloto no tiene modelo de IA. Un administrador puede elegir otro en Configuración > Copiloto.',
  'copilot.error.off':
    'El copiloto se desactivó. Un administrador puede activarlo en Configuración > Copiloto.',
  'copilot.error.nothing':
    'Nada sirve para esta conversación: el conocimiento y las respuestas guardadas no tienen la respuesta.',
  'copilot.error.held': 'La sugerencia repetía una nota interna, así que no se muestra.',
  'copilot.error.model': 'El proveedor de IA falló: {reason}',
  'copilot.error.cutOff': 'La respuesta se cortó. Inténtalo de nuevo.',
  'copilot.settings.text': 'Ayuda a tu equipo en las conversaciones: sugiere respuestas. Nunca envía nada.',
  'copilot.settings.agent': 'Agente',
  'copilot.settings.agentHint': 'El copiloto usa su modelo, sus instrucciones y su conocimiento.',
  'copilot.settings.offline':
    'Este agente no tiene modelo de IA. Sugiere pasajes del conocimiento y respuestas guardadas.',
  'copilot.settings.off': 'Desactivado',
};
