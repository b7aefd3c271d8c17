import type { widget as english } from '../en/widget.ts';
import type { Translated } from '../translated.ts';

export const widget: Translated<typeof english> = {
  'widget.title': 'Chat do site',
  'widget.text':
    'Um chat para o seu site: uma linha de HTML, atendido pelos mesmos agentes e pessoas que todo o resto.',
  'widget.channel': 'Canal',
  'widget.none.title': 'Ainda não há um canal para sites',
  'widget.none.text': 'Crie um canal do tipo “Site”: as conversas dele vêm do chat do site.',
  'widget.snippet': 'Coloque no seu site',
  'widget.snippetHint': 'Antes do fim do body, em cada página que deve ter o chat.',
  'widget.copy': 'Copiar',
  'widget.name': 'Título',
  'widget.nameHint': 'No topo do chat. Vazio: o nome do canal.',
  'widget.greeting': 'Saudação',
  'widget.greetingHint':
    'As primeiras palavras em um chat vazio. Vazio: uma saudação no idioma do visitante.',
  'widget.color': 'Cor',
  'widget.colorWrong': 'Uma cor tem a forma #5059d1.',
  'widget.side': 'Canto',
  'widget.side.left': 'Esquerdo',
  'widget.side.right': 'Direito',
  'widget.theme': 'Tema',
  'widget.theme.auto': 'Do visitante',
  'widget.theme.light': 'Claro',
  'widget.theme.dark': 'Escuro',
  'widget.language': 'Idioma',
  'widget.language.auto': 'Como o site',
  'widget.language.en': 'English',
  'widget.language.pt': 'Português',
  'widget.language.es': 'Español',
  'widget.origins': 'Sites que podem mostrá-lo',
  'widget.originsHint': 'Um por linha, como https://www.example.com.',
  'widget.originsOpen':
    'Qualquer site pode mostrar este chat. Indique os seus, um por linha, como https://www.example.com.',
  'widget.identity': 'Clientes autenticados',
  'widget.identityText':
    'Seu servidor assina quem é o cliente com este segredo; assim o chat o acompanha em todos os dispositivos. Um novo segredo encerra o anterior na hora.',
  'widget.identityNew': 'Novo segredo',
  'widget.identityOnce': 'Copie agora: ele não será mostrado de novo.',
  'widget.preview': 'Prévia ao vivo',
  'widget.failed': 'O chat do site não foi alterado',
};
