/** Moving cards by hand. */
export const order = {
  'order.moved': '{title}: place {position} of {count} in {status}',
  'order.keys.up': 'Move card up',
  'order.keys.down': 'Move card down',
} as const;
