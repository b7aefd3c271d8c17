import type { cells as english } from '../../en/instance/cells.ts';
import type { Translated } from '../../translated.ts';

export const cells: Translated<typeof english> = {
  'cells.text':
    'Os bancos de dados desta instância e as contas que são movidas entre eles. O comando “talkboard account move” inicia uma mudança.',
  'cells.row': 'Contas: {accounts} · peso {weight}',
  'cells.away': 'Inacessível',
  'cells.drained': 'Não recebe contas novas',
  'cells.moves': 'Mudanças',
  'cells.noMoves': 'Nenhuma conta foi movida ainda.',
  'cells.fromTo': 'de {from} para {to}',
  'cells.rows': '{copied} de {total} linhas',
  'cells.waited': 'As gravações esperaram {ms} ms',
  'cells.progress': 'Progresso da mudança de {name}',
  'cells.state.copying': 'Copiando',
  'cells.state.checking': 'Comparando',
  'cells.state.waiting': 'Esperando',
  'cells.state.closing': 'Trocando',
  'cells.state.done': 'Movida',
  'cells.state.abandoned': 'Não movida',
};
