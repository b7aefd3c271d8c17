import type { unsent as english } from '../en/unsent.ts';
import type { Translated } from '../translated.ts';

export const unsent: Translated<typeof english> = {
  'unsent.title': 'Alterações que não foram enviadas',
  'unsent.text':
    'Foram feitas há mais de dois dias, e o serviço não respondeu a elas. Envie-as somente se ainda estiverem corretas.',
  'unsent.send': 'Enviar',
  'unsent.discard': 'Descartar',
  'unsent.signOut.title.one': '1 alteração ainda não foi enviada',
  'unsent.signOut.title.other': '{count} alterações ainda não foram enviadas',
  'unsent.signOut.text':
    'Se você as mantiver, elas ficam neste navegador e são enviadas quando você entrar aqui de novo.',
  'unsent.signOut.failed': 'Não foi possível enviar o que está guardado',
  'unsent.signOut.send': 'Enviar e sair',
  'unsent.signOut.keep': 'Sair e manter',
  'unsent.signOut.discard': 'Descartar e sair',
};
