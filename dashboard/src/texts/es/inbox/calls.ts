import type { calls as english } from '../../en/inbox/calls.ts';
import type { Translated } from '../../translated.ts';

export const calls: Translated<typeof english> = {
  'calls.waiting': 'Esperando aprobación',
  'calls.asks': '{agent} pide usar la herramienta',
  'calls.expires': 'Nada ocurre sin una aprobación. Vence {time}.',
  'calls.approve': 'Aprobar',
  'calls.reject': 'Rechazar',
  'calls.failed': 'No se guardó la decisión',
  'calls.state.running': 'En curso',
  'calls.state.done': 'Hecha',
  'calls.state.failed': 'Falló',
  'calls.state.rejected': 'Rechazada',
  'calls.state.cancelled': 'Cancelada',
  'calls.state.expired': 'Vencida',
  'calls.state.unknown': 'Resultado desconocido',
  'calls.text.running': 'Esperando una respuesta.',
  'calls.text.rejected': 'No se llamó a la herramienta.',
  'calls.text.cancelled':
    'No se llamó a la herramienta: antes se pausó la IA, se transfirió la conversación o se bloqueó al cliente.',
  'calls.text.expired': 'No se llamó a la herramienta: nadie decidió en 24 horas.',
  'calls.text.unknown':
    'No hubo respuesta, así que puede haber ocurrido. La llamada no se repite. Compruébalo en el sistema al que llama la herramienta.',
  'calls.approvedBy': 'aprobada por {name}',
  'calls.rejectedBy': 'por {name}',
  'calls.unapproved': 'no necesita aprobación',
  'calls.arguments': 'Argumentos',
  'calls.noArguments': 'Sin argumentos',
  'calls.result': 'Resultado',
};
