import type { cells as english } from '../../en/instance/cells.ts';
import type { Translated } from '../../translated.ts';

export const cells: Translated<typeof english> = {
  'cells.text':
    'Las bases de datos de esta instancia y las cuentas que se mueven entre ellas. El comando “talkboard account move” inicia un traslado.',
  'cells.row': 'Cuentas: {accounts} · peso {weight}',
  'cells.away': 'Inaccesible',
  'cells.drained': 'No recibe cuentas nuevas',
  'cells.moves': 'Traslados',
  'cells.noMoves': 'Todavía no se ha trasladado ninguna cuenta.',
  'cells.fromTo': 'de {from} a {to}',
  'cells.rows': '{copied} de {total} filas',
  'cells.waited': 'Las escrituras esperaron {ms} ms',
  'cells.progress': 'Progreso del traslado de {name}',
  'cells.state.copying': 'Copiando',
  'cells.state.checking': 'Comparando',
  'cells.state.waiting': 'Esperando',
  'cells.state.closing': 'Cambiando',
  'cells.state.done': 'Trasladada',
  'cells.state.abandoned': 'No trasladada',
};
