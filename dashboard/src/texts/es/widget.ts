import type { widget as english } from '../en/widget.ts';
import type { Translated } from '../translated.ts';

export const widget: Translated<typeof english> = {
  'widget.title': 'Chat del sitio',
  'widget.text':
    'Un chat para tu sitio web: una línea de HTML, atendido por los mismos agentes y personas que todo lo demás.',
  'widget.channel': 'Canal',
  'widget.none.title': 'Todavía no hay un canal para sitios web',
  'widget.none.text': 'Crea un canal del tipo “Sitio web”: sus conversaciones vienen del chat del sitio.',
  'widget.snippet': 'Ponlo en tu sitio',
  'widget.snippetHint': 'Antes del final del body, en cada página que deba tener el chat.',
  'widget.copy': 'Copiar',
  'widget.name': 'Título',
  'widget.nameHint': 'En la parte superior del chat. Vacío: el nombre del canal.',
  'widget.greeting': 'Saludo',
  'widget.greetingHint':
    'Las primeras palabras en un chat vacío. Vacío: un saludo en el idioma del visitante.',
  'widget.color': 'Color',
  'widget.colorWrong': 'Un color tiene la forma #5059d1.',
  'widget.side': 'Esquina',
  'widget.side.left': 'Izquierda',
  'widget.side.right': 'Derecha',
  'widget.theme': 'Tema',
  'widget.theme.auto': 'Del visitante',
  'widget.theme.light': 'Claro',
  'widget.theme.dark': 'Oscuro',
  'widget.language': 'Idioma',
  'widget.language.auto': 'Como el sitio',
  'widget.language.en': 'English',
  'widget.language.pt': 'Português',
  'widget.language.es': 'Español',
  'widget.origins': 'Sitios que pueden mostrarlo',
  'widget.originsHint': 'Uno por línea, como https://www.example.com.',
  'widget.originsOpen':
    'Cualquier sitio puede mostrar este chat. Indica los tuyos, uno por línea, como https://www.example.com.',
  'widget.identity': 'Clientes con sesión iniciada',
  'widget.identityText':
    'Tu servidor firma quién es el cliente con este secreto; así el chat lo acompaña en todos sus dispositivos. Un secreto nuevo anula el anterior de inmediato.',
  'widget.identityNew': 'Nuevo secreto',
  'widget.identityOnce': 'Cópialo ahora: no se vuelve a mostrar.',
  'widget.preview': 'Vista previa en vivo',
  'widget.failed': 'El chat del sitio no se cambió',
};
