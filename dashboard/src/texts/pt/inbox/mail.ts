import type { mail as english } from '../../en/inbox/mail.ts';
import type { Translated } from '../../translated.ts';

export const mail: Translated<typeof english> = {
  'mail.subject': 'Assunto',
  'mail.noSubject': '(sem assunto)',
  'mail.from': 'De',
  'mail.to': 'Para',
  'mail.cc': 'Cc',
  'mail.fromLine': 'De {from}',
  'mail.showDetails': 'Detalhes',
  'mail.hideDetails': 'Ocultar detalhes',
  'mail.showQuoted': 'Mostrar texto citado',
  'mail.hideQuoted': 'Ocultar texto citado',
  'mail.quoted': 'Texto citado',
  'mail.noQuoted': 'O texto citado não está mais disponível.',
  'mail.showHtml': 'Mostrar formatação original',
  'mail.frame': 'O e-mail com a formatação original',
  'mail.blocked.one':
    '{count} imagem remota não é exibida. Carregá-la informa ao remetente que o e-mail foi aberto, quando e de onde.',
  'mail.blocked.other':
    '{count} imagens remotas não são exibidas. Carregá-las informa ao remetente que o e-mail foi aberto, quando e de onde.',
  'mail.showImages': 'Mostrar imagens remotas',
  'mail.cut':
    'Este e-mail é grande demais para ser exibido por completo. Baixe o original para ver o restante.',
  'mail.download': 'Baixar original',
  'mail.downloadFailed': 'Não foi possível baixar o original',
  'mail.forward': 'Encaminhar…',
  'mail.forward.title': 'Encaminhar mensagem',
  'mail.forward.text': 'A mensagem é enviada com seus arquivos. Uma nota nesta conversa registra o envio.',
  'mail.forward.to': 'Destinatários',
  'mail.forward.note': 'Nota acima da mensagem (opcional)',
  'mail.forward.send': 'Encaminhar',
  'mail.forward.done': 'Encaminhada para {to}',
  'mail.addressesHint': 'Separe vários endereços com vírgulas.',
  'mail.wrongAddress': 'Não é um endereço de e-mail: {address}',
  'mail.tooMany': 'No máximo {count} endereços.',
  'mail.subjectAndCc': 'Assunto e Cc',
  'mail.addOthers': 'Adicionar {addresses}',
  'mail.signature': 'Assinatura deste canal, adicionada a cada e-mail',
  'mail.quotesBelow': 'O último e-mail do cliente é citado abaixo da sua resposta.',
};
