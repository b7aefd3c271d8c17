import type { mail as english } from '../../en/inbox/mail.ts';
import type { Translated } from '../../translated.ts';

export const mail: Translated<typeof english> = {
  'mail.subject': 'Asunto',
  'mail.noSubject': '(sin asunto)',
  'mail.from': 'De',
  'mail.to': 'Para',
  'mail.cc': 'Cc',
  'mail.fromLine': 'De {from}',
  'mail.showDetails': 'Detalles',
  'mail.hideDetails': 'Ocultar detalles',
  'mail.showQuoted': 'Mostrar texto citado',
  'mail.hideQuoted': 'Ocultar texto citado',
  'mail.quoted': 'Texto citado',
  'mail.noQuoted': 'El texto citado ya no está disponible.',
  'mail.showHtml': 'Mostrar formato original',
  'mail.frame': 'El correo con su formato original',
  'mail.blocked.one':
    '{count} imagen remota no se muestra. Cargarla le indica al remitente que el correo se abrió, cuándo y desde dónde.',
  'mail.blocked.other':
    '{count} imágenes remotas no se muestran. Cargarlas le indica al remitente que el correo se abrió, cuándo y desde dónde.',
  'mail.showImages': 'Mostrar imágenes remotas',
  'mail.cut':
    'Este correo es demasiado grande para mostrarse completo. Descarga el original para ver el resto.',
  'mail.download': 'Descargar original',
  'mail.downloadFailed': 'No se pudo descargar el original',
  'mail.forward': 'Reenviar…',
  'mail.forward.title': 'Reenviar mensaje',
  'mail.forward.text': 'El mensaje se envía con sus archivos. Una nota en esta conversación lo registra.',
  'mail.forward.to': 'Destinatarios',
  'mail.forward.note': 'Nota sobre el mensaje (opcional)',
  'mail.forward.send': 'Reenviar',
  'mail.forward.done': 'Reenviado a {to}',
  'mail.addressesHint': 'Separa varias direcciones con comas.',
  'mail.wrongAddress': 'No es una dirección de correo: {address}',
  'mail.tooMany': 'Como máximo {count} direcciones.',
  'mail.subjectAndCc': 'Asunto y Cc',
  'mail.addOthers': 'Agregar {addresses}',
  'mail.signature': 'Firma de este canal, se agrega a cada correo',
  'mail.quotesBelow': 'El último correo del cliente se cita debajo de tu respuesta.',
};
