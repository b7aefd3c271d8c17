import type { widget as english } from '../en/widget.ts';
import type { Translated } from '../translated.ts';

export const widget: Translated<typeof english> = {
  'widget.title': 'Chat del sitio',
  'widget.text':
    'Un chat para tu sitio web, con una línea de HTML. Tus agentes y tu equipo lo atienden como cualquier otro canal.',
  'widget.channel': 'Canal',
  'widget.none.title': 'Todavía no hay un canal para sitios web',
  'widget.none.text': 'Crea un canal del tipo “Sitio web”. Sus conversaciones vienen del chat del sitio.',
  'widget.snippet': 'Añádelo a tu sitio',
  'widget.snippetHint': 'Pégalo al final del body, en cada página que deba tener el chat.',
  'widget.copy': 'Copiar',
  'widget.name': 'Título',
  'widget.nameHint': 'Se muestra en la parte superior del chat. Si está vacío, el nombre del canal.',
  'widget.greeting': 'Saludo',
  'widget.greetingHint':
    'El primer mensaje en un chat vacío. Si está vacío, un saludo en el idioma del visitante.',
  'widget.color': 'Color',
  'widget.colorWrong': 'Escribe un color como #5059d1.',
  'widget.side': 'Esquina',
  'widget.side.left': 'Izquierda',
  'widget.side.right': 'Derecha',
  'widget.theme': 'Tema',
  'widget.theme.auto': 'Igual que el dispositivo del visitante',
  'widget.theme.light': 'Claro',
  'widget.theme.dark': 'Oscuro',
  'widget.language': 'Idioma',
  'widget.language.auto': 'Igual que el sitio',
  'widget.language.en': 'English',
  'widget.language.pt': 'Português',
  'widget.language.es': 'Español',
  'widget.origins': 'Sitios permitidos',
  'widget.originsHint': 'Uno por línea, como https://www.example.com.',
  'widget.originsOpen':
    'Cualquier sitio puede mostrar este chat. Indica tus sitios, uno por línea, como https://www.example.com.',
  'widget.identity': 'Clientes con sesión iniciada',
  'widget.identityText':
    'Tu servidor firma la identidad del cliente con este secreto, para que el chat lo acompañe en todos sus dispositivos. Un secreto nuevo reemplaza al anterior de inmediato.',
  'widget.identityNew': 'Nuevo secreto',
  'widget.identityOnce': 'Cópialo ahora. No se vuelve a mostrar.',
  'widget.preview': 'Vista previa en vivo',
  'widget.failed': 'No se pudo cambiar el chat del sitio',
};
