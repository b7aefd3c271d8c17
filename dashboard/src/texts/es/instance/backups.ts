import type { backups as english } from '../../en/instance/backups.ts';
import type { Translated } from '../../translated.ts';

export const backups: Translated<typeof english> = {
  'backups.text':
    'Copias que el servicio hace de la base de datos y de todos los archivos. Cada una se restaura como prueba antes de darse por buena.',
  'backups.off': 'El servicio no hace copias de seguridad',
  'backups.offText':
    'Define BACKUP_TO y BACKUP_SCHEDULE en el entorno del servicio. docs/backups.md explica cómo.',
  'backups.now': 'Hacer una copia ahora',
  'backups.started': 'La copia ha empezado',
  'backups.notStarted': 'No se pudo empezar la copia',
  'backups.to': 'Se guardan en',
  'backups.next': 'La próxima',
  'backups.never': 'Solo cuando se pide',
  'backups.encryption': 'Cifrado',
  'backups.encrypted': 'Cifradas con una clave pública',
  'backups.plain': 'Sin cifrar',
  'backups.list': 'Últimas ejecuciones',
  'backups.stored': 'Copias guardadas',
  'backups.storedText':
    'Lo que hay ahora en este lugar, sin importar quién lo puso. Solo se pueden restaurar las buenas.',
  'backups.storedNone': 'Todavía no hay copias en este lugar.',
  'backups.notGood': 'No es buena',
  'backups.notGoodText': 'No se terminó, o su archivo se cambió después',
  'backups.missing': 'Falta el archivo',
  'backups.verifiedAt': 'Verificada {time}',
  'backups.neverVerified': 'Sin verificar',
  'backups.isEncrypted': 'Cifrada',
  'backups.none': 'Todavía no se ha hecho ninguna copia.',
  'backups.waiting': 'En espera',
  'backups.writing': 'Escribiendo',
  'backups.verifying': 'Verificando',
  'backups.good': 'Buena',
  'backups.verified': 'Verificada',
  'backups.failed': 'Fallida',
  'backups.removed': 'Eliminada',
  'backups.progress': 'Progreso de la copia',
  'backups.rows': 'Filas: {rows} · archivos: {files}',
  'backups.size': '{size} · filas: {rows} · archivos: {files}',
  'backups.unverified': 'Sin verificar: {reason}',
  'backups.lastFailed': 'La última copia falló',
};
