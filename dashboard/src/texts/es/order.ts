import type { order as english } from '../en/order.ts';
import type { Translated } from '../translated.ts';

export const order: Translated<typeof english> = {
  'order.moved': '{title}: posición {position} de {count} en {status}',
  'order.keys.up': 'Mover tarjeta hacia arriba',
  'order.keys.down': 'Mover tarjeta hacia abajo',
};
