import type { widget as english } from '../en/widget.ts';
import type { Translated } from '../translated.ts';

export const widget: Translated<typeof english> = {
  'widget.title': 'Chat do site',
  'widget.text':
    'Um chat para o seu site, com uma linha de HTML. Seus agentes e sua equipe o atendem como qualquer outro canal.',
  'widget.channel': 'Canal',
  'widget.none.title': 'Ainda não há um canal para sites',
  'widget.none.text': 'Crie um canal do tipo “Site”. As conversas dele vêm do chat do site.',
  'widget.snippet': 'Adicione ao seu site',
  'widget.snippetHint': 'Cole no fim do body, em cada página que deve ter o chat.',
  'widget.copy': 'Copiar',
  'widget.name': 'Título',
  'widget.nameHint': 'Aparece no topo do chat. Se vazio, o nome do canal.',
  'widget.greeting': 'Saudação',
  'widget.greetingHint':
    'A primeira mensagem em um chat vazio. Se vazio, uma saudação no idioma do visitante.',
  'widget.color': 'Cor',
  'widget.colorWrong': 'Digite uma cor como #5059d1.',
  'widget.side': 'Canto',
  'widget.side.left': 'Esquerdo',
  'widget.side.right': 'Direito',
  'widget.theme': 'Tema',
  'widget.theme.auto': 'Igual ao dispositivo do visitante',
  'widget.theme.light': 'Claro',
  'widget.theme.dark': 'Escuro',
  'widget.language': 'Idioma',
  'widget.language.auto': 'Igual ao do site',
  'widget.language.en': 'English',
  'widget.language.pt': 'Português',
  'widget.language.es': 'Español',
  'widget.origins': 'Sites permitidos',
  'widget.originsHint': 'Um por linha, como https://www.example.com.',
  'widget.originsOpen':
    'Qualquer site pode mostrar este chat. Liste os seus sites, um por linha, como https://www.example.com.',
  'widget.identity': 'Clientes autenticados',
  'widget.identityText':
    'Seu servidor assina a identidade do cliente com este segredo, para que o chat o acompanhe em todos os dispositivos. Um novo segredo substitui o anterior imediatamente.',
  'widget.identityNew': 'Novo segredo',
  'widget.identityOnce': 'Copie agora. Ele não será mostrado de novo.',
  'widget.preview': 'Prévia ao vivo',
  'widget.failed': 'Não foi possível alterar o chat do site',
};
