import type { start as english } from '../en/start.ts';
import type { Translated } from '../translated.ts';

export const start: Translated<typeof english> = {
  'start.title': 'Primeiros passos',
  'start.lead':
    'Cinco passos, cerca de três minutos. Cada um é marcado quando você o conclui, aqui ou em outra parte do painel.',
  'start.progress': '{done} de {all} concluídos',
  'start.dismiss': 'Ocultar',
  'start.dismissed': 'Oculto. Você encontra de novo na Ajuda.',
  'start.dismissFailed': 'Não foi possível ocultar',
  'start.allDone': 'Tudo pronto. Agora você conhece o básico.',
  'start.allDoneText':
    'Conecte um canal como WhatsApp, Telegram ou e-mail, adicione o chat ao seu site, convide a equipe ou escreva conhecimento para o assistente.',
  'start.next.channels': 'Conectar um canal',
  'start.next.widget': 'Chat no seu site',
  'start.next.team': 'Convidar a equipe',
  'start.next.agents': 'Ensinar o assistente',
  'start.done': 'Concluído',
  'start.todo': 'Ainda não concluído',

  'start.name': 'Seu nome',
  'start.name.hint': 'Sua equipe o vê ao lado das suas respostas e notas.',
  'start.name.save': 'Salvar',
  'start.name.saved': 'Nome salvo',
  'start.name.failed': 'Não foi possível salvar seu nome',
  'start.chat': 'Escreva para você mesmo como cliente',
  'start.chat.text':
    'O chat de demonstração é uma página com o seu widget. Um assistente incluído responde com o conhecimento dele; não precisa de chave nem de rede.',
  'start.chat.open': 'Abrir o chat de demonstração',
  'start.chat.try': 'Pergunte, por exemplo',
  'start.chat.try1': 'O que é o Talkboard?',
  'start.chat.try2': 'Como funciona o Talkboard?',
  'start.chat.try3': 'Quero falar com uma pessoa',
  'start.chat.heard': '{name} escreveu uma mensagem.',
  'start.chat.missing': 'Não há canal web. Crie um primeiro; o chat precisa dele.',
  'start.chat.channels': 'Canais',

  'start.card': 'Veja o cartão aparecer no quadro',
  'start.card.text': 'Cada conversa nova cria um cartão. Ele aparece no quadro enquanto você olha.',
  'start.card.open': 'Abrir o quadro',
  'start.card.waiting': 'Aguardando a primeira conversa.',

  'start.takeOver': 'Assuma a conversa do assistente',
  'start.takeOver.text':
    'Abra a conversa, clique em “Assumir” e responda você mesmo. O assistente fica pausado até você devolver.',
  'start.takeOver.open': 'Abrir a conversa',
  'start.takeOver.ai': 'O assistente está respondendo.',
  'start.takeOver.unanswered': 'O assistente ainda não respondeu.',
  'start.takeOver.you': 'O assistente está pausado. Agora escreva uma resposta.',

  'start.token': 'Crie um token de API',
  'start.token.text': 'Seus próprios programas o usam para fazer o que você faz aqui.',
  'start.token.make': 'Criar um token',
  'start.token.name': 'Primeiro token',
  'start.token.failed': 'Não foi possível criar o token',
  'start.token.copy': 'Copiar o token',
  'start.token.once': 'Mostrado só uma vez. Guarde-o como uma senha.',
  'start.token.curl': 'Em um terminal, isto cria um cartão no seu quadro:',
  'start.token.command': 'O comando',
  'start.token.title': 'Meu primeiro cliente',
  'start.token.all': 'Todos os tokens',
  'start.token.reference': 'Referência da API',

  'start.webhook': 'Receba o seu primeiro webhook',
  'start.webhook.text':
    'Webhooks enviam eventos assinados a outros sistemas. Com este receptor incluído você pode ver um chegar. Ele fica aberto por uma hora.',
  'start.webhook.open': 'Abrir um receptor e enviar um teste',
  'start.webhook.again': 'Enviar outro teste',
  'start.webhook.failed': 'Não foi possível abrir o receptor',
  'start.webhook.address': 'URL',
  'start.webhook.copy': 'Copiar o URL',
  'start.webhook.waiting': 'Aguardando a primeira requisição…',
  'start.webhook.hint': 'Ou mova um cartão em um quadro e veja chegar aqui.',
  'start.webhook.until': 'Aberto até {time}',
  'start.webhook.valid': 'Assinatura verificada',
  'start.webhook.invalid': 'Assinatura errada',
  'start.webhook.missing': 'Sem assinatura',
  'start.webhook.unknown': 'Assinatura desconhecida',
  'start.webhook.headers': 'Cabeçalhos',
  'start.webhook.body': 'Corpo',
  'start.webhook.requests': 'Requisições recebidas',
  'start.webhook.all': 'Todos os webhooks',

  'start.demo': 'Explore um espaço de trabalho completo',
  'start.demo.text':
    'Uma torrefação com três quadros, três canais e 330 conversas dos últimos 90 dias. Nenhum webhook é acionado; remova quando quiser.',
  'start.demo.fill': 'Preencher com uma demonstração',
  'start.demo.filled': 'A demonstração foi adicionada: {records} cartões, {conversations} conversas',
  'start.demo.fillFailed': 'Não foi possível criar a demonstração',
  'start.demo.there': 'Este espaço contém a demonstração',
  'start.demo.thereText': 'Seus quadros, canais e agentes têm “demo” no nome.',
  'start.demo.see': 'Abrir um quadro',
  'start.demo.remove': 'Remover a demonstração',
  'start.demo.removeTitle': 'Remover a demonstração?',
  'start.demo.removeText':
    'Quadros, cartões, conversas, canais, agentes, pessoas, artigos e a central de ajuda da demonstração são excluídos para todos. Seus próprios dados permanecem, também os artigos que vocês escreveram.',
  'start.demo.used.one':
    'Alguém acrescentou ou alterou {count} mensagem, cartão ou artigo. Também será excluído.',
  'start.demo.used.other':
    'Foram acrescentados ou alterados {count} mensagens, cartões e artigos. Também serão excluídos.',
  'start.demo.removed': 'A demonstração foi removida',
  'start.demo.removeFailed': 'Não foi possível remover a demonstração',
};
