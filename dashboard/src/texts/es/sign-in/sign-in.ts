import type { signIn as english } from '../../en/sign-in/sign-in.ts';
import type { Translated } from '../../translated.ts';

export const signIn: Translated<typeof english> = {
  'login.title': 'Entrar a Talkboard',
  'login.email': 'Correo electrónico',
  'login.password': 'Contraseña',
  'login.submit': 'Entrar',
  'login.passkey': 'Entrar con una llave de acceso',
  'login.passkeyFailed': 'No se pudo usar esta llave de acceso. Entra con tu contraseña.',
  'login.wrong': 'El correo electrónico o la contraseña no son correctos.',
  'login.limited': 'Demasiados intentos. Prueba de nuevo en unos minutos.',
  'login.ended': 'Tu sesión caducó. Entra de nuevo para continuar.',
  'login.firstHint':
    'La primera contraseña aparece en la terminal cuando el servicio se inicia por primera vez.',

  'login.with': 'Iniciar sesión con {name}',
  'login.or': 'o con una contraseña',
  'login.forgot': '¿Olvidaste la contraseña?',
  'login.finishing': 'Iniciando sesión…',
  'login.error.provider_unavailable':
    'El proveedor de acceso no responde. Inténtalo de nuevo en un momento o habla con un administrador.',
  'login.error.denied': 'El acceso se canceló en el proveedor.',
  'login.error.rejected': 'La respuesta del proveedor no se pudo aceptar. Inténtalo de nuevo.',
  'login.error.expired': 'Este acceso caducó o ya se usó. Inténtalo de nuevo.',
  'login.error.no_email':
    'El proveedor no envió una dirección de correo. Un administrador del proveedor puede cambiarlo.',
  'login.error.email_not_verified':
    'Tu dirección de correo no está verificada en el proveedor. Verifícala e inténtalo de nuevo.',
  'login.error.no_user': 'Aún no tienes acceso. Pide una invitación a un administrador.',
  'login.error.unknown_role':
    'El proveedor no te dio un rol que se conozca aquí. Habla con un administrador.',
  'login.error.unknown_account':
    'El proveedor indica un espacio de trabajo que no se conoce aquí. Habla con un administrador.',
  'login.error.other_account': 'Perteneces a otro espacio de trabajo, no al que indica el proveedor.',
  'login.error.already_linked':
    'Tu dirección de correo ya pertenece a otra persona del proveedor. Habla con un administrador.',
  'login.error.invitation_expired': 'Esta invitación caducó o ya se usó. Pide una nueva.',
  'login.error.other_email': 'Esta invitación es para otra dirección de correo, no la del proveedor.',
  'login.error.account_suspended': 'Esta cuenta está suspendida. Pregunta al administrador de la instancia.',
  'login.error.address_not_allowed':
    'No puedes iniciar sesión desde esta dirección de red. Pregunta a un administrador.',
  'login.error.unavailable': 'No se pudo iniciar sesión ahora. Inténtalo de nuevo en un momento.',

  'signIn.back': 'Volver al inicio de sesión',
  'signIn.forgot': '¿Olvidaste la contraseña?',
  'signIn.forgotText':
    'Escribe tu dirección de correo. Recibirás un enlace para definir una contraseña nueva.',
  'signIn.forgotAsk':
    'Pide a un administrador de tu espacio de trabajo un enlace para definir una contraseña nueva.',
  'signIn.forgotProvider': 'Aquí se inicia sesión con {name}. Cambia tu contraseña allí.',
  'signIn.forgotSent':
    'Si esta dirección tiene acceso aquí, un enlace está en camino. Vale una hora. Mira también el correo no deseado.',
  'signIn.sendLink': 'Enviar enlace',
  'signIn.reset': 'Definir una contraseña nueva',
  'signIn.resetText': 'Después se cierra tu sesión en todos los dispositivos.',
  'signIn.resetSubmit': 'Definir contraseña',
  'signIn.resetDone': 'Tu contraseña nueva está definida.',
  'signIn.newPassword': 'Contraseña nueva',
  'signIn.passwordHint': 'Al menos {min} caracteres.',
  'signIn.linkEnded': 'Este enlace caducó o ya se usó. Pide uno nuevo.',
  'signIn.loginLinkText': 'Este enlace inicia sesión una vez, sin contraseña.',
  'signIn.invitation': 'Invitación',
  'signIn.join': 'Unirse a {name}',
  'signIn.joinText': '{name} invitó a {email}.',
  'signIn.name': 'Tu nombre',
  'signIn.accept': 'Unirme',
};
