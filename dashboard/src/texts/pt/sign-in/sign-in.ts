import type { signIn as english } from '../../en/sign-in/sign-in.ts';
import type { Translated } from '../../translated.ts';

export const signIn: Translated<typeof english> = {
  'login.title': 'Entrar no Talkboard',
  'login.email': 'E-mail',
  'login.password': 'Senha',
  'login.submit': 'Entrar',
  'login.passkey': 'Entrar com uma chave de acesso',
  'login.passkeyFailed': 'Não foi possível usar esta chave de acesso. Entre com sua senha.',
  'login.wrong': 'O e-mail ou a senha está errado.',
  'login.limited': 'Tentativas demais. Tente de novo em alguns minutos.',
  'login.ended': 'Sua sessão expirou. Entre de novo para continuar.',
  'login.firstHint': 'A primeira senha aparece no terminal quando o serviço é iniciado pela primeira vez.',

  'login.with': 'Entrar com {name}',
  'login.or': 'ou com uma senha',
  'login.forgot': 'Esqueceu a senha?',
  'login.finishing': 'Entrando…',
  'login.error.provider_unavailable':
    'O provedor de acesso não responde. Tente de novo em instantes ou fale com um administrador.',
  'login.error.denied': 'O acesso foi cancelado no provedor.',
  'login.error.rejected': 'A resposta do provedor não pôde ser aceita. Tente de novo.',
  'login.error.expired': 'Este acesso expirou ou já foi usado. Tente de novo.',
  'login.error.no_email':
    'O provedor não enviou um endereço de e-mail. Um administrador do provedor pode mudar isso.',
  'login.error.email_not_verified':
    'Seu endereço de e-mail não está verificado no provedor. Verifique-o e tente de novo.',
  'login.error.no_user': 'Você ainda não tem acesso. Peça um convite a um administrador.',
  'login.error.unknown_role':
    'O provedor não deu a você uma função conhecida aqui. Fale com um administrador.',
  'login.error.unknown_account':
    'O provedor indica um espaço de trabalho que não é conhecido aqui. Fale com um administrador.',
  'login.error.other_account': 'Você pertence a outro espaço de trabalho, não ao que o provedor indica.',
  'login.error.already_linked':
    'Seu endereço de e-mail já pertence a outra pessoa do provedor. Fale com um administrador.',
  'login.error.invitation_expired': 'Este convite expirou ou já foi usado. Peça um novo.',
  'login.error.other_email': 'Este convite é para outro endereço de e-mail, não o do provedor.',
  'login.error.account_suspended': 'Esta conta está suspensa. Fale com o administrador da instância.',
  'login.error.address_not_allowed':
    'Você não pode entrar a partir deste endereço de rede. Fale com um administrador.',
  'login.error.unavailable': 'Não foi possível entrar agora. Tente de novo em instantes.',

  'signIn.back': 'Voltar para o acesso',
  'signIn.forgot': 'Esqueceu a senha?',
  'signIn.forgotText': 'Digite seu endereço de e-mail. Você recebe um link para definir uma nova senha.',
  'signIn.forgotAsk':
    'Peça a um administrador do seu espaço de trabalho um link para definir uma nova senha.',
  'signIn.forgotProvider': 'Aqui o acesso é feito com {name}. Troque sua senha lá.',
  'signIn.forgotSent':
    'Se este endereço tem acesso aqui, um link está a caminho. Ele vale por uma hora. Confira também o spam.',
  'signIn.sendLink': 'Enviar link',
  'signIn.reset': 'Definir uma nova senha',
  'signIn.resetText': 'Depois disso, você sai de todos os dispositivos.',
  'signIn.resetSubmit': 'Definir senha',
  'signIn.resetDone': 'Sua nova senha foi definida.',
  'signIn.newPassword': 'Nova senha',
  'signIn.passwordHint': 'Pelo menos {min} caracteres.',
  'signIn.linkEnded': 'Este link expirou ou já foi usado. Peça um novo.',
  'signIn.loginLinkText': 'Este link dá acesso uma vez, sem senha.',
  'signIn.invitation': 'Convite',
  'signIn.join': 'Entrar em {name}',
  'signIn.joinText': '{name} convidou {email}.',
  'signIn.name': 'Seu nome',
  'signIn.accept': 'Aceitar',
};
