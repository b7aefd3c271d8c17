import type { invitations as english } from '../../en/sign-in/invitations.ts';
import type { Translated } from '../../translated.ts';

export const invitations: Translated<typeof english> = {
  'invitations.title': 'Invitaciones abiertas',
  'invitations.text': 'Personas que aún no se han unido.',
  'invitations.invite': 'Invitar',
  'invitations.inviteText': 'La persona recibe un enlace, válido por 7 días, y se une con él.',
  'invitations.sent': 'Se está enviando la invitación a {email}',
  'invitations.sendFailed': 'No se pudo enviar la invitación',
  'invitations.again': 'Enviar de nuevo',
  'invitations.withdraw': 'Retirar',
  'invitations.withdrawn': 'Se retiró la invitación para {email}',
  'invitations.withdrawFailed': 'No se pudo retirar la invitación',
  'invitations.expired': 'Caducada',
  'invitations.by': 'Invitación de {name}',
  'invitations.until': 'válida hasta el {date}',
  'invitations.linkTitle': 'Invitación para {email}',
  'invitations.linkText': 'Envía tú este enlace a la persona. Funciona una vez y vale 7 días.',
  'invitations.getLink': 'Obtener enlace',
  'invitations.getLinkFailed': 'No se pudo crear el enlace',
  'invitations.mail.sending': 'Enviando correo',
  'invitations.mail.delayed': 'Correo retrasado',
  'invitations.mail.failed': 'Correo no entregado',
  'invitations.mail.delayedText': 'El correo aún no se pudo enviar y se intentará de nuevo: {reason}',
  'invitations.mail.failedText': 'El correo no se entregó. Obtén el enlace y envíalo tú. {reason}',
  'invitations.copy': 'Copiar enlace',
  'invitations.reset': 'Crear enlace de contraseña',
  'invitations.resetOf': 'Enlace de contraseña para {name}',
  'invitations.resetText':
    'Con el enlace, la persona define una contraseña nueva. Hasta entonces vale la actual.',
  'invitations.createLink': 'Crear enlace',
  'invitations.resetLinkText': 'Envía este enlace a la persona. Funciona una vez y vale una hora.',
};
