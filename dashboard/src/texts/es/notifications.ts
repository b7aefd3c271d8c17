import type { notifications as english } from '../en/notifications.ts';
import type { Translated } from '../translated.ts';

export const notifications: Translated<typeof english> = {
  'notify.open': 'Abrir',
  'notify.handover': 'El asistente pidió una persona.',
  'notify.attention': 'Esta conversación necesita a una persona.',
  'notify.file': 'Envió un archivo',
  'notify.webhook': 'Se desactivó un webhook',
  'notify.allRead': 'Marcar todo como leído',
  'notify.settings': 'Configuración de notificaciones',
  'notify.failed': 'No se pudieron marcar las notificaciones',
  'notify.empty': 'No hay notificaciones',
  'notify.emptyText':
    'Aquí aparecen los mensajes que te esperan, las menciones y las conversaciones que te pasan.',
  'notify.count': '{count} en total',
  'notify.new': 'sin leer',

  'notifications.text': 'Cómo se te avisa cuando no estás mirando.',
  'notifications.kinds': 'Sobre qué se te avisa',
  'notifications.kindsText':
    'Página: en la lista de la campana y en una esquina de la página. Push: en los navegadores que permitas abajo. Sonido: uno corto mientras haya una página abierta.',
  'notifications.what': 'Qué',
  'notifications.way.page': 'Página',
  'notifications.way.push': 'Push',
  'notifications.way.sound': 'Sonido',
  'notifications.cell': '{topic}: {way}',
  'notifications.failed': 'No se pudo guardar',
  'notifications.topic.message_mine': 'Mensajes en mis conversaciones',
  'notifications.topic.message_mine.text':
    'Un cliente escribe en una conversación asignada a ti, o cuya tarjeta está asignada a ti.',
  'notifications.topic.message_waiting': 'Mensajes que esperan a una persona',
  'notifications.topic.message_waiting.text':
    'La IA está en pausa, y ni la conversación ni la tarjeta tienen responsable.',
  'notifications.topic.message_any': 'Todos los demás mensajes',
  'notifications.topic.message_any.text': 'También mientras responde la IA o un colega.',
  'notifications.topic.handover': 'Conversaciones que pasa la IA',
  'notifications.topic.handover.text': 'La IA pide que una persona se haga cargo.',
  'notifications.topic.attention': 'Conversaciones que necesitan atención',
  'notifications.topic.attention.text': 'Una respuesta quedó retenida o no se pudo generar.',
  'notifications.topic.mention': 'Menciones',
  'notifications.topic.mention.text': 'Un colega te menciona en una nota.',
  'notifications.topic.assigned': 'Asignaciones',
  'notifications.topic.assigned.text':
    'Un colega te asigna una conversación, o se te asigna automáticamente.',
  'notify.assigned': 'Te asignó esta conversación.',
  'notify.autoAssigned': 'Esta conversación se te asignó automáticamente.',
  'notifications.topic.webhook_disabled': 'Webhooks desactivados',
  'notifications.topic.webhook_disabled.text':
    'Un endpoint falló durante tanto tiempo que ya no se le envía nada.',
  'notifications.quiet': 'Horas de silencio',
  'notifications.quietText': 'Sin push y sin sonido. Las notificaciones siguen apareciendo en la lista.',
  'notifications.quietOn': 'Silenciar en estas horas',
  'notifications.from': 'Desde',
  'notifications.to': 'Hasta',
  'notifications.zone': 'Zona horaria',
  'notifications.zoneHint': 'Allí son ahora las {time}.',
  'notifications.device': 'Este navegador',
  'notifications.push': 'Mensajes push en este navegador',
  'notifications.pushHint':
    'También sin ninguna ventana de Talkboard abierta. Cada navegador se configura por separado.',
  'notifications.pushDenied':
    'Este navegador bloquea las notificaciones. Permítelas para este sitio en la configuración del navegador.',
  'notifications.pushUnavailable':
    'Este navegador no puede recibirlos aquí: la página debe servirse por https y el navegador debe admitir push.',
  'notifications.notAllowed': 'El navegador no permitió las notificaciones, así que no cambió nada',
  'notifications.test': 'Enviar una notificación de prueba',
  'notifications.tested': 'Enviada. Debería aparecer en unos segundos.',
  'notifications.testFailed': 'No se pudo enviar la prueba',
  'notifications.hear': 'Reproducir el sonido',
};
