import type { retention as english } from '../../en/instance/retention.ts';
import type { Translated } from '../../translated.ts';

export const retention: Translated<typeof english> = {
  'settings.retention': 'Retención de datos',
  'retention.text':
    'Cuánto tiempo guarda sus datos este espacio de trabajo. Los días se cuentan desde que cada elemento se guardó aquí. Lo más antiguo se elimina en segundo plano y no se puede recuperar. Deja un campo vacío para guardarlo todo.',
  'retention.messageDays': 'Mensajes y notas, en días',
  'retention.messageDays.hint':
    'Con sus archivos. Una conversación se elimina con su último mensaje. Como mínimo {min}.',
  'retention.fileDays': 'Archivos, en días',
  'retention.fileDays.hint': 'El mensaje queda y muestra que su archivo se eliminó. Como mínimo {min}.',
  'retention.eventDays': 'Eventos y entregas de webhooks, en días',
  'retention.eventDays.hint':
    'De {min} a {max}. Los eventos de mensajes nunca quedan más tiempo que los mensajes.',
  'retention.auditDays': 'Auditoría, en días',
  'retention.auditDays.hint': 'Como mínimo {min}.',
  'retention.replyLogDays': 'Registro de respuestas de la IA, en días',
  'retention.replyLogDays.hint': 'Como mínimo {min}. Vacío: mientras exista la conversación.',
  'retention.keep': 'Guardar todo',
  'retention.save': 'Guardar',
  'retention.saved': 'Se guardó la retención de datos',
  'retention.outOfRange': 'Un número entero de {min} a {max}',
  'retention.confirm.title': '¿Eliminar datos antiguos?',
  'retention.confirm.text': 'Con estos ajustes se elimina ahora lo siguiente. No se puede recuperar.',
  'retention.confirm.action': 'Guardar y eliminar',
  'retention.count.messages': 'Mensajes y notas',
  'retention.count.conversations': 'Conversaciones',
  'retention.count.files': 'Archivos',
  'retention.count.events': 'Eventos',
  'retention.count.auditEntries': 'Entradas de la auditoría',
  'retention.count.replyLogs': 'Entradas del registro de respuestas de la IA',
  'retention.count.more': '{count} o más',
  'retention.lastRun': 'Los datos antiguos se eliminaron por última vez {time}.',
  'accounts.suspended': 'Suspendida',
  'accounts.deleting': 'En eliminación',
  'accounts.access': 'Acceso',
  'accounts.suspend': 'Suspender',
  'accounts.suspend.title': 'Suspender esta cuenta',
  'accounts.suspend.text':
    'Nadie puede entrar ni usar la API, los chats de los sitios se detienen y no se envía nada. Los mensajes que entregan los proveedores se guardan y se procesan cuando se reanude la cuenta.',
  'accounts.suspend.reason': 'Motivo (opcional)',
  'accounts.suspend.done': '{name} está suspendida',
  'accounts.suspendedSince': 'Suspendida desde {time}',
  'accounts.resume': 'Reanudar',
  'accounts.resume.done': '{name} está activa de nuevo',
  'accounts.deletingText':
    'Esta cuenta se está eliminando. Desaparece de la lista cuando todo se haya eliminado.',
  'accounts.delete': 'Eliminar cuenta',
  'accounts.delete.text': 'Los usuarios, tableros, conversaciones y archivos se eliminan para siempre.',
  'accounts.delete.consequence':
    'Todo lo de esta cuenta se elimina para siempre: usuarios, tableros, registros, conversaciones y archivos. Las copias de seguridad anteriores aún la contienen.',
  'accounts.delete.done': '{name} se está eliminando',
  'accounts.delete.failed': 'No se pudo eliminar la cuenta',
  'accounts.changeFailed': 'No se pudo cambiar la cuenta',
};
