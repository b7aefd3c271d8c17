import type { unsent as english } from '../en/unsent.ts';
import type { Translated } from '../translated.ts';

export const unsent: Translated<typeof english> = {
  'unsent.title': 'Cambios que no se enviaron',
  'unsent.text':
    'Se hicieron hace más de dos días y el servicio no los respondió. Envíelos solo si siguen siendo correctos.',
  'unsent.send': 'Enviar',
  'unsent.discard': 'Descartar',
};
