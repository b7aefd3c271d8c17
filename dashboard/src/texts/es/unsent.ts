import type { unsent as english } from '../en/unsent.ts';
import type { Translated } from '../translated.ts';

export const unsent: Translated<typeof english> = {
  'unsent.title': 'Cambios que no se enviaron',
  'unsent.text':
    'Se hicieron hace más de dos días y el servicio no los respondió. Envíelos solo si siguen siendo correctos.',
  'unsent.send': 'Enviar',
  'unsent.discard': 'Descartar',
  'unsent.signOut.title.one': '1 cambio aún no se envió',
  'unsent.signOut.title.other': '{count} cambios aún no se enviaron',
  'unsent.signOut.text':
    'Si los conserva, quedan en este navegador y se envían cuando vuelva a iniciar sesión aquí.',
  'unsent.signOut.failed': 'No se pudo enviar lo que está guardado',
  'unsent.signOut.send': 'Enviar y salir',
  'unsent.signOut.keep': 'Salir y conservar',
  'unsent.signOut.discard': 'Descartar y salir',
};
