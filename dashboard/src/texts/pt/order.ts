import type { order as english } from '../en/order.ts';
import type { Translated } from '../translated.ts';

export const order: Translated<typeof english> = {
  'order.moved': '{title}: posição {position} de {count} em {status}',
  'order.keys.up': 'Mover cartão para cima',
  'order.keys.down': 'Mover cartão para baixo',
};
