import type { start as english } from '../en/start.ts';
import type { Translated } from '../translated.ts';

export const start: Translated<typeof english> = {
  'start.title': 'Primeros pasos',
  'start.lead':
    'Cinco pasos, unos tres minutos. Cada uno se marca cuando lo completas, aquí o en otra parte del panel.',
  'start.progress': '{done} de {all} hechos',
  'start.dismiss': 'Ocultar',
  'start.dismissed': 'Oculto. Puedes encontrarlo de nuevo en Ayuda.',
  'start.dismissFailed': 'No se pudo ocultar',
  'start.allDone': 'Todo listo. Ya conoces lo básico.',
  'start.allDoneText':
    'Conecta un canal como WhatsApp, Telegram o correo, agrega el chat a tu sitio, invita a tu equipo o escribe conocimiento para el asistente.',
  'start.next.channels': 'Conectar un canal',
  'start.next.widget': 'Chat en tu sitio',
  'start.next.team': 'Invitar al equipo',
  'start.next.agents': 'Enseñar al asistente',
  'start.done': 'Hecho',
  'start.todo': 'Aún no hecho',

  'start.name': 'Tu nombre',
  'start.name.hint': 'Tu equipo lo ve junto a tus respuestas y notas.',
  'start.name.save': 'Guardar',
  'start.name.saved': 'Nombre guardado',
  'start.name.failed': 'No se pudo guardar tu nombre',
  'start.chat': 'Escríbete a ti mismo como cliente',
  'start.chat.text':
    'El chat de demostración es una página con tu widget. Un asistente incluido responde con su conocimiento; no necesita clave ni red.',
  'start.chat.open': 'Abrir el chat de demostración',
  'start.chat.try': 'Pregunta, por ejemplo',
  'start.chat.try1': '¿Qué es Talkboard?',
  'start.chat.try2': '¿Cómo funciona Talkboard?',
  'start.chat.try3': 'Quiero hablar con una persona',
  'start.chat.heard': '{name} escribió un mensaje.',
  'start.chat.missing': 'No hay ningún canal web. Crea uno primero; el chat lo necesita.',
  'start.chat.channels': 'Canales',

  'start.card': 'Mira aparecer la tarjeta en el tablero',
  'start.card.text': 'Cada conversación nueva crea una tarjeta. Aparece en el tablero mientras lo miras.',
  'start.card.open': 'Abrir el tablero',
  'start.card.waiting': 'Esperando la primera conversación.',

  'start.takeOver': 'Toma el relevo del asistente',
  'start.takeOver.text':
    'Abre la conversación, pulsa “Tomar el control” y responde tú. El asistente queda en pausa hasta que se la devuelvas.',
  'start.takeOver.open': 'Abrir la conversación',
  'start.takeOver.ai': 'El asistente está respondiendo.',
  'start.takeOver.unanswered': 'El asistente aún no ha respondido.',
  'start.takeOver.you': 'El asistente está en pausa. Ahora escribe una respuesta.',

  'start.token': 'Crea un token de API',
  'start.token.text': 'Tus propios programas lo usan para hacer lo que tú haces aquí.',
  'start.token.make': 'Crear un token',
  'start.token.name': 'Primer token',
  'start.token.failed': 'No se pudo crear el token',
  'start.token.copy': 'Copiar el token',
  'start.token.once': 'Se muestra una sola vez. Guárdalo como una contraseña.',
  'start.token.curl': 'En una terminal, esto crea una tarjeta en tu tablero:',
  'start.token.command': 'El comando',
  'start.token.title': 'Mi primer cliente',
  'start.token.all': 'Todos los tokens',
  'start.token.reference': 'Referencia de la API',

  'start.webhook': 'Recibe tu primer webhook',
  'start.webhook.text':
    'Los webhooks envían eventos firmados a otros sistemas. Con este receptor incluido puedes ver llegar uno. Está abierto durante una hora.',
  'start.webhook.open': 'Abrir un receptor y enviar una prueba',
  'start.webhook.again': 'Enviar otra prueba',
  'start.webhook.failed': 'No se pudo abrir el receptor',
  'start.webhook.address': 'URL',
  'start.webhook.copy': 'Copiar la URL',
  'start.webhook.waiting': 'Esperando la primera petición…',
  'start.webhook.hint': 'O mueve una tarjeta en un tablero y mira cómo llega aquí.',
  'start.webhook.until': 'Abierto hasta las {time}',
  'start.webhook.valid': 'Firma verificada',
  'start.webhook.invalid': 'Firma incorrecta',
  'start.webhook.missing': 'Sin firma',
  'start.webhook.unknown': 'Firma desconocida',
  'start.webhook.headers': 'Encabezados',
  'start.webhook.body': 'Cuerpo',
  'start.webhook.requests': 'Solicitudes recibidas',
  'start.webhook.all': 'Todos los webhooks',

  'start.demo': 'Explora un espacio de trabajo completo',
  'start.demo.text':
    'Un tostador con tres tableros, tres canales y 330 conversaciones de los últimos 90 días. No se activa ningún webhook; quítala cuando quieras.',
  'start.demo.fill': 'Llenar con una demostración',
  'start.demo.filled': 'La demostración se ha agregado: {records} tarjetas, {conversations} conversaciones',
  'start.demo.fillFailed': 'No se pudo crear la demostración',
  'start.demo.there': 'Este espacio contiene la demostración',
  'start.demo.thereText': 'Sus tableros, canales y agentes llevan “demo” en el nombre.',
  'start.demo.see': 'Abrir un tablero',
  'start.demo.remove': 'Quitar la demostración',
  'start.demo.removeTitle': '¿Quitar la demostración?',
  'start.demo.removeText':
    'Sus tableros, tarjetas, conversaciones, canales, agentes, personas, artículos y su centro de ayuda se eliminan para todos. Tus propios datos se conservan, también los artículos que escribieron ustedes.',
  'start.demo.used.one':
    'Alguien ha agregado o cambiado {count} mensaje, tarjeta o artículo. También se elimina.',
  'start.demo.used.other':
    'Se han agregado o cambiado {count} mensajes, tarjetas y artículos. También se eliminan.',
  'start.demo.removed': 'La demostración se ha quitado',
  'start.demo.removeFailed': 'No se pudo quitar la demostración',
};
