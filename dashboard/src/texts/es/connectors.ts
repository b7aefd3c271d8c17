import type { connectors as english } from '../en/connectors.ts';
import type { Translated } from '../translated.ts';

export const connectors: Translated<typeof english> = {
  'connectors.galleryText': 'Elige cómo te escriben los clientes.',
  'connectors.ready': 'Conectar un proveedor',
  'connectors.readyText': 'Talkboard habla con el proveedor. No hace falta ejecutar nada más.',
  'connectors.own': 'Usar tu propio programa',
  'connectors.ownText': 'Tu programa envía y recibe los mensajes por la API.',
  'connectors.plainText':
    'Tu programa envía los mensajes de los clientes a la API y recibe las respuestas en una URL de webhook.',
  'connectors.allKinds': 'Todos los tipos',
  'connectors.kind.telegram': 'Bot de Telegram',
  'connectors.kind.twilio': 'SMS con Twilio',
  'connectors.kind.evolution': 'Teléfono vinculado',
  'connectors.kind.whatsapp_cloud': 'WhatsApp Business',
  'connectors.kind.messenger': 'Messenger o Instagram',
  'connectors.kindText.telegram': 'Los clientes escriben a tu bot en Telegram.',
  'connectors.kindText.twilio': 'Mensajes de texto a tu número de Twilio.',
  'connectors.kindText.evolution':
    'La aplicación de chat de un teléfono, vinculada con un código QR por tu servidor Evolution API.',
  'connectors.kindText.whatsapp_cloud': 'Tu número en la WhatsApp Cloud API de Meta.',
  'connectors.kindText.messenger': 'Mensajes a tu página de Facebook o a tu cuenta de Instagram.',
  'connectors.guide': 'Qué hacer en el proveedor',
  'connectors.step.telegram.1':
    'Abre BotFather en Telegram y envía /newbot. Si el bot ya existe, envía /token.',
  'connectors.step.telegram.2': 'Elige un nombre y un nombre de usuario para el bot.',
  'connectors.step.telegram.3': 'Copia el token que envía BotFather y pégalo aquí.',
  'connectors.step.twilio.1':
    'Entra en la consola de Twilio. El Account SID y el Auth Token están en Account Info.',
  'connectors.step.twilio.2': 'Escribe tu número de Twilio, con el formato +15550001111.',
  'connectors.step.twilio.3':
    'Después de conectar, copia la dirección de entrada en la configuración del número en Twilio.',
  'connectors.step.evolution.1': 'Ejecuta un servidor Evolution API al que Talkboard pueda acceder.',
  'connectors.step.evolution.2':
    'Copia su clave. Es AUTHENTICATION_API_KEY en la configuración del servidor.',
  'connectors.step.evolution.3': 'Después de conectar, escanea el código QR con el teléfono.',
  'connectors.step.whatsapp_cloud.1':
    'En el panel de apps de Meta, crea una app para tu empresa y agrega WhatsApp. Los dos identificadores están en WhatsApp, Configuración de la API.',
  'connectors.step.whatsapp_cloud.2':
    'Crea un usuario del sistema para la app y un token de acceso que no caduque. La clave secreta de la app está en Configuración de la app, Básica.',
  'connectors.step.whatsapp_cloud.3':
    'Después de conectar, introduce la dirección de entrada y el token de verificación en WhatsApp, Configuración.',
  'connectors.step.messenger.1':
    'En el panel de apps de Meta, crea una app para tu empresa y agrega Messenger o Instagram.',
  'connectors.step.messenger.2':
    'Agrega allí tu página o cuenta, copia su identificador y genera un token de acceso. La clave secreta de la app está en Configuración de la app, Básica.',
  'connectors.step.messenger.3':
    'Después de conectar, introduce la dirección de entrada y el token de verificación en Webhooks.',
  'connectors.more': 'Más',
  'connectors.field.botToken': 'Token del bot',
  'connectors.field.mode': 'Recibir mensajes por',
  'connectors.field.accountSid': 'Account SID',
  'connectors.field.authToken': 'Auth token',
  'connectors.field.from': 'Número de Twilio',
  'connectors.field.messagingServiceSid': 'SID del servicio de mensajería',
  'connectors.field.apiBase': 'Dirección del servidor',
  'connectors.field.apiKey': 'Clave de API',
  'connectors.field.instanceName': 'Nombre de la instancia',
  'connectors.field.phoneNumberId': 'Identificador del número',
  'connectors.field.businessAccountId': 'Identificador de la cuenta comercial',
  'connectors.field.pageId': 'Identificador de la página o cuenta',
  'connectors.field.platform': 'Plataforma',
  'connectors.field.graphVersion': 'Versión de la Graph API',
  'connectors.field.accessToken': 'Token de acceso',
  'connectors.field.appSecret': 'Clave secreta de la app',
  'connectors.field.verifyToken': 'Token de verificación',
  'connectors.hint.telegram.botToken': 'Dígitos, dos puntos y 35 caracteres más.',
  'connectors.hint.telegram.mode': 'La consulta funciona sin dirección pública. Un webhook necesita una.',
  'connectors.hint.telegram.apiBase': 'Solo para un servidor Bot API propio.',
  'connectors.hint.twilio.accountSid': 'Empieza con AC.',
  'connectors.hint.twilio.from': 'Con el código de país. Déjalo vacío si usas un servicio de mensajería.',
  'connectors.hint.twilio.messagingServiceSid': 'Empieza con MG. Twilio elige el número de envío.',
  'connectors.hint.twilio.apiBase': 'Solo para un proxy o un servidor de pruebas.',
  'connectors.hint.evolution.apiBase': 'La dirección de tu servidor Evolution API.',
  'connectors.hint.evolution.instanceName':
    'Cada teléfono tiene la suya. Una instancia existente se usa como está.',
  'connectors.hint.whatsapp_cloud.phoneNumberId': 'El identificador del número en Meta, no el número.',
  'connectors.hint.whatsapp_cloud.businessAccountId': 'Las plantillas de mensajes se leen de esta cuenta.',
  'connectors.hint.whatsapp_cloud.accessToken':
    'Con los permisos whatsapp_business_messaging y whatsapp_business_management.',
  'connectors.hint.whatsapp_cloud.appSecret': 'Meta firma cada entrega con ella.',
  'connectors.hint.whatsapp_cloud.verifyToken':
    'Meta comprueba con él la dirección de entrada. Cópialo para el último paso o escribe otro.',
  'connectors.hint.whatsapp_cloud.graphVersion': 'Déjalo vacío para usar el valor predeterminado.',
  'connectors.hint.whatsapp_cloud.apiBase': 'Solo para un proxy o un servidor de pruebas.',
  'connectors.hint.messenger.platform': 'Instagram requiere una cuenta profesional.',
  'connectors.hint.messenger.pageId':
    'El de la página de Facebook o el de la cuenta de Instagram. Solo dígitos.',
  'connectors.hint.messenger.accessToken':
    'De la página o la cuenta, con permiso para administrar sus mensajes.',
  'connectors.hint.messenger.appSecret': 'Meta firma cada entrega con ella.',
  'connectors.hint.messenger.verifyToken':
    'Meta comprueba con él la dirección de entrada. Cópialo para el último paso o escribe otro.',
  'connectors.hint.messenger.graphVersion': 'Déjalo vacío para usar el valor predeterminado.',
  'connectors.hint.messenger.apiBase':
    'Para el inicio de sesión de Instagram, escribe https://graph.instagram.com.',
  'connectors.mode.polling': 'Consulta',
  'connectors.mode.webhook': 'Webhook',
  'connectors.mode.page': 'Página de Facebook',
  'connectors.mode.instagram': 'Instagram',
  'connectors.identifierHint': 'El nombre de este canal en la API.',
  'connectors.stored': 'Guardado',
  'connectors.storedHint':
    'Guardado. Déjalo vacío para mantenerlo o escribe un valor nuevo para reemplazarlo.',
  'connectors.connect': 'Conectar',
  'connectors.disconnect': 'Desconectar',
  'connectors.connectFailed': 'No se pudo conectar el canal',
  'connectors.disconnectFailed': 'No se pudo desconectar el canal',
  'connectors.connection': 'Conexión',
  'connectors.offer': 'Talkboard puede enviar y recibir por sí mismo los mensajes de este canal: {kind}.',
  'connectors.state.connecting': 'Conectando',
  'connectors.state.connected': 'Conectado',
  'connectors.state.waiting_for_scan': 'Esperando el teléfono',
  'connectors.state.error': 'Error',
  'connectors.state.disconnected': 'Desconectado',
  'connectors.disabled': 'Desactivado',
  'connectors.noTraffic': 'Aún no hay mensajes',
  'connectors.lastIn': 'Último recibido',
  'connectors.lastOut': 'Último enviado',
  'connectors.advice.off':
    'Los mensajes no se reciben ni se envían hasta que conectes el canal. Las respuestas esperan.',
  'connectors.advice.error':
    'Revisa las credenciales y reemplázalas si caducaron. Los mensajes esperan y se envían en cuanto la conexión funcione.',
  'connectors.advice.retries': 'Talkboard reintenta automáticamente. No se pierde ningún mensaje.',
  'connectors.address': 'Dirección de entrada',
  'connectors.copyAddress': 'Copiar la dirección',
  'connectors.tokenStored':
    'El token de verificación es el que escribiste al conectar el canal. Para usar otro, elige Cambiar las credenciales.',
  'connectors.tokenOnce': 'Cópialo ahora. No se vuelve a mostrar cuando salgas del panel.',
  'connectors.copyToken': 'Copiar el token de verificación',
  'connectors.addressHint.twilio':
    'En Twilio, abre el número y pega esta dirección en Messaging, “A message comes in”, con HTTP POST.',
  'connectors.addressHint.telegram':
    'Telegram envía los mensajes a esta dirección. Debe ser accesible desde internet.',
  'connectors.addressHint.whatsapp_cloud':
    'En el panel de apps de Meta, abre WhatsApp, Configuración. Introduce esta dirección como URL de devolución de llamada, con el token de verificación, y suscríbete al campo messages.',
  'connectors.addressHint.messenger':
    'En el panel de apps de Meta, abre los webhooks de Messenger o de Instagram. Introduce esta dirección como URL de devolución de llamada, con el token de verificación.',
  'connectors.check': 'Revisar la conexión',
  'connectors.edit': 'Cambiar las credenciales',
  'connectors.editText':
    'Las credenciales se guardan cifradas y nunca se muestran. Al guardar se conecta de nuevo.',
  'connectors.saveConnect': 'Guardar y conectar',
  'connectors.remove': 'Quitar la conexión',
  'connectors.removeTitle': '¿Quitar la conexión de {name}?',
  'connectors.removeText':
    'Las credenciales se eliminan y los mensajes en espera no se envían. El canal y sus conversaciones se conservan.',
  'connectors.removed': 'Se quitó la conexión',
  'connectors.removeFailed': 'No se pudo quitar la conexión',
  'connectors.enabled': 'Canal activado',
  'connectors.enabledHint': 'Un canal desactivado no recibe ni envía. Sus conversaciones se conservan.',
  'connectors.scan.title': 'Vincula tu teléfono',
  'connectors.scan.step.1': 'Abre la aplicación de chat en el teléfono.',
  'connectors.scan.step.2':
    'En la configuración, abre Dispositivos vinculados y elige vincular un dispositivo.',
  'connectors.scan.step.3': 'Apunta la cámara a este código. El código cambia cada cierto tiempo.',
  'connectors.scan.code': 'Código QR que vincula el teléfono',
  'connectors.scan.waiting': 'Esperando un código',
  'connectors.scan.pairing': 'O escribe este código de vinculación en el teléfono:',
  'connectors.scan.copyPairing': 'Copiar el código de vinculación',
  'connectors.scan.linked': 'El teléfono está vinculado.',
  'connectors.scan.done': 'Se vinculó el teléfono',
  'connectors.log': 'Tráfico',
  'connectors.log.text': 'Lo recibido y lo enviado, del más reciente al más antiguo.',
  'connectors.log.empty': 'Aún no hay tráfico',
  'connectors.log.emptyText': 'Aquí aparecen los mensajes recibidos o enviados, con el motivo de cada error.',
  'connectors.log.in': 'Recibido',
  'connectors.log.out': 'Enviado',
  'connectors.log.retried': 'Se está intentando de nuevo',
  'connectors.log.retryFailed': 'No se pudo intentar de nuevo',
  'connectors.log.state.done': 'Listo',
  'connectors.log.state.waiting': 'En espera',
  'connectors.log.state.dropped': 'Descartado',
  'connectors.log.state.failed': 'Con error',
};
