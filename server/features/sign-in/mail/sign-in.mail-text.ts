/** The e-mails of sign-in: plain text and simple HTML, everything of people escaped. */
import type { LanguageName } from '../../../../contract/limits.ts';

export interface WrittenMail {
  subject: string;
  text: string;
  html: string;
}

interface Words {
  subject: string;
  lines: string[];
  button: string;
  end: string;
}

const entities: { [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (one) => entities[one]!);
/** Names of people go into a subject. */
const oneLine = (text: string) => text.replace(/\p{Cc}+/gu, ' ').trim();

const invitations: { [language in LanguageName]: (by: string, account: string) => Words } = {
  en: (by, account) => ({
    subject: `${by} invites you to ${account}`,
    lines: [`${by} invites you to work in ${account} with Talkboard.`],
    button: 'Accept the invitation',
    end: 'The link is valid for 7 days and can be used once. If you did not expect it, ignore this e-mail.',
  }),
  pt: (by, account) => ({
    subject: `${by} convida você para ${account}`,
    lines: [`${by} convida você para trabalhar em ${account} com o Talkboard.`],
    button: 'Aceitar o convite',
    end: 'O link vale por 7 dias e pode ser usado uma vez. Se você não o esperava, ignore este e-mail.',
  }),
  es: (by, account) => ({
    subject: `${by} te invita a ${account}`,
    lines: [`${by} te invita a trabajar en ${account} con Talkboard.`],
    button: 'Aceptar la invitación',
    end: 'El enlace vale 7 días y se puede usar una vez. Si no lo esperabas, ignora este correo.',
  }),
};

const resets: { [language in LanguageName]: Words } = {
  en: {
    subject: 'Set a new password for Talkboard',
    lines: ['Someone asked for a new password for your Talkboard sign-in.'],
    button: 'Set a new password',
    end: 'The link is valid for one hour and can be used once. If it was not you, ignore this e-mail: your password stays as it is.',
  },
  pt: {
    subject: 'Defina uma nova senha do Talkboard',
    lines: ['Alguém pediu uma nova senha para o seu acesso ao Talkboard.'],
    button: 'Definir uma nova senha',
    end: 'O link vale por uma hora e pode ser usado uma vez. Se não foi você, ignore este e-mail: sua senha não muda.',
  },
  es: {
    subject: 'Define una contraseña nueva de Talkboard',
    lines: ['Alguien pidió una contraseña nueva para tu acceso a Talkboard.'],
    button: 'Definir una contraseña nueva',
    end: 'El enlace vale una hora y se puede usar una vez. Si no fuiste tú, ignora este correo: tu contraseña no cambia.',
  },
};

export function writeInvitation(
  language: LanguageName,
  { by, account, link }: { by: string; account: string; link: string },
): WrittenMail {
  return write(invitations[language](oneLine(by), oneLine(account)), link);
}

export function writePasswordReset(language: LanguageName, link: string): WrittenMail {
  return write(resets[language], link);
}

function write({ subject, lines, button, end }: Words, link: string): WrittenMail {
  const paragraphs = lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('');
  return {
    subject,
    text: [...lines, `${button}:\n${link}`, end].join('\n\n'),
    html:
      '<div style="font-family:sans-serif;font-size:15px;line-height:1.5">' +
      `${paragraphs}<p><a href="${escapeHtml(link)}">${escapeHtml(button)}</a></p>` +
      `<p style="color:#666">${escapeHtml(end)}</p></div>`,
  };
}
