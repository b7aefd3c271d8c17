import type { copilot as english } from '../../en/inbox/copilot.ts';
import type { Translated } from '../../translated.ts';

export const copilot: Translated<typeof english> = {
  'copilot.suggest': 'Sugerir una respuesta',
  'copilot.more': 'Reescribir o traducir',
  'copilot.rewrite': 'Reescribir',
  'copilot.style.shorter': 'Más corto',
  'copilot.style.friendlier': 'Más amable',
  'copilot.style.formal': 'Más formal',
  'copilot.style.fix': 'Corregir ortografía y gramática',
  'copilot.translate.typed': 'Traducir a',
  'copilot.making.suggest': 'Escribiendo una sugerencia…',
  'copilot.making.rewrite': 'Reescribiendo…',
  'copilot.making.translate': 'Traduciendo…',
  'copilot.marked.suggest': 'Sugerido por el copiloto. Revísalo antes de enviarlo.',
  'copilot.marked.rewrite': 'Reescrito por el copiloto. Revísalo antes de enviarlo.',
  'copilot.marked.translate': 'Traducido por el copiloto. Revísalo antes de enviarlo.',
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
  'copilot.translate.message': 'Traducir',
  'copilot.translate.hide': 'Ocultar la traducción',
  'copilot.translate.all': 'Traducir todos los mensajes',
  'copilot.translate.none': 'Ocultar las traducciones',
  'copilot.translation': 'En {language}',
  'copilot.summary': 'Resumen',
  'copilot.summary.making': 'Resumiendo…',
  'copilot.summary.again': 'Resumir de nuevo',
  'copilot.summary.outdated': 'Hay mensajes más recientes.',
  'copilot.ask': 'Pregunta al copiloto',
  'copilot.ask.answers': 'Respuestas del copiloto',
  'copilot.ask.label': 'Pregunta sobre esta conversación',
  'copilot.ask.hint':
    'Conoce esta conversación, el historial del cliente y el conocimiento. Solo tú ves las respuestas.',
  'copilot.ask.send': 'Preguntar',
  'copilot.ask.making': 'Buscando una respuesta…',
  'copilot.settings.text':
    'Ayuda a tu equipo en las conversaciones: sugiere respuestas y reescribe textos. Nunca envía nada.',
  'copilot.settings.agent': 'Agente',
  'copilot.settings.agentHint': 'El copiloto usa su modelo, sus instrucciones y su conocimiento.',
  'copilot.settings.offline':
    'Este agente no tiene modelo de IA. Sugiere pasajes del conocimiento y respuestas guardadas, pero no reescribe ni traduce.',
  'copilot.settings.off': 'Desactivado',
  'copilot.settings.tasks': 'En qué ayuda',
  'copilot.settings.needsModel': 'Oculto: el agente no tiene modelo de IA.',
  'copilot.task.suggest': 'Sugerir respuestas',
  'copilot.task.rewrite': 'Reescribir lo que se escribió',
  'copilot.task.translate': 'Traducir',
  'copilot.task.summarize': 'Resumir conversaciones',
  'copilot.task.ask': 'Responder preguntas',
  'copilot.taskHint.suggest': 'En la respuesta, con Ctrl+J.',
  'copilot.taskHint.rewrite': 'Más corto, más amable, más formal o sin errores.',
  'copilot.taskHint.translate': 'Lo que se escribió y los mensajes de la conversación.',
  'copilot.taskHint.summarize':
    'Al inicio de las conversaciones largas y de las que un agente derivó a una persona.',
  'copilot.taskHint.ask': 'Sobre la conversación, el historial del cliente y el conocimiento.',
};
