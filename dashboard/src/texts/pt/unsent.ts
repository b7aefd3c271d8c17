import type { unsent as english } from '../en/unsent.ts';
import type { Translated } from '../translated.ts';

export const unsent: Translated<typeof english> = {
  'unsent.title': 'Alterações que não foram enviadas',
  'unsent.text':
    'Foram feitas há mais de dois dias, e o serviço não respondeu a elas. Envie-as somente se ainda estiverem corretas.',
  'unsent.send': 'Enviar',
  'unsent.discard': 'Descartar',
};
