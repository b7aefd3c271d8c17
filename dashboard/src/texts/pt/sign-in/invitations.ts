import type { invitations as english } from '../../en/sign-in/invitations.ts';
import type { Translated } from '../../translated.ts';

export const invitations: Translated<typeof english> = {
  'invitations.title': 'Convites em aberto',
  'invitations.text': 'Pessoas que ainda não entraram.',
  'invitations.invite': 'Convidar',
  'invitations.inviteText': 'A pessoa recebe um link, válido por 7 dias, e entra com ele.',
  'invitations.sent': 'O convite está sendo enviado para {email}',
  'invitations.sendFailed': 'Não foi possível enviar o convite',
  'invitations.again': 'Enviar de novo',
  'invitations.withdraw': 'Retirar',
  'invitations.withdrawn': 'O convite para {email} foi retirado',
  'invitations.withdrawFailed': 'Não foi possível retirar o convite',
  'invitations.expired': 'Expirado',
  'invitations.by': 'Convite de {name}',
  'invitations.until': 'válido até {date}',
  'invitations.linkTitle': 'Convite para {email}',
  'invitations.linkText': 'Envie você mesmo este link à pessoa. Ele funciona uma vez e vale por 7 dias.',
  'invitations.getLink': 'Obter link',
  'invitations.getLinkFailed': 'Não foi possível criar o link',
  'invitations.mail.sending': 'Enviando e-mail',
  'invitations.mail.delayed': 'E-mail atrasado',
  'invitations.mail.failed': 'E-mail não entregue',
  'invitations.mail.delayedText': 'O e-mail ainda não pôde ser enviado e será tentado de novo: {reason}',
  'invitations.mail.failedText': 'O e-mail não foi entregue. Obtenha o link e envie-o você mesmo. {reason}',
  'invitations.copy': 'Copiar link',
  'invitations.reset': 'Criar link de senha',
  'invitations.resetOf': 'Link de senha para {name}',
  'invitations.resetText':
    'Com o link, a pessoa define uma nova senha. Até lá, a senha atual continua valendo.',
  'invitations.createLink': 'Criar link',
  'invitations.resetLinkText': 'Envie este link à pessoa. Ele funciona uma vez e vale por uma hora.',
};
