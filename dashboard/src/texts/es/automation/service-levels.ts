import type { sla as english } from '../../en/automation/service-levels.ts';
import type { Translated } from '../../translated.ts';

export const sla: Translated<typeof english> = {
  'sla.text':
    'En cuánto tiempo se responde a los clientes y se resuelven las conversaciones. Vale el primero que coincide con la conversación.',
  'sla.new': 'Nuevo nivel de servicio',
  'sla.edit': 'Editar nivel de servicio',
  'sla.empty': 'Todavía no hay niveles de servicio',
  'sla.emptyText': 'Muestran en la bandeja de entrada lo que vence primero y avisan antes del retraso.',
  'sla.name': 'Nombre',
  'sla.filter': 'Para conversaciones que cumplen (ninguna: todas)',
  'sla.hours': 'Contando',
  'sla.allHours': 'Todas las horas',
  'sla.pauseSnoozed': 'Pausar mientras la conversación está pospuesta',
  'sla.pauseWaiting': 'Pausar la resolución mientras el cliente debe responder',
  'sla.aiCounts': 'Las respuestas de la IA cuentan como respuestas',
  'sla.warn': 'Avisar antes',
  'sla.warnHint': 'Se notifica al responsable; si no, al equipo. Vacío: sin aviso.',
  'sla.deleted': 'Nivel de servicio “{name}” eliminado',
  'sla.deleteFailed': 'No se pudo eliminar el nivel de servicio',
  'sla.reorderFailed': 'No se pudo guardar el orden',
  'sla.everything': 'Todas las conversaciones',
  'sla.none': 'Vacío: sin este objetivo.',
  'sla.target.firstResponseMinutes': 'Primera respuesta en',
  'sla.target.nextResponseMinutes': 'Próxima respuesta en',
  'sla.target.resolutionMinutes': 'Resolución en',
};
