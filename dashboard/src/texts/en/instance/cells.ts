/** The databases of an instance, for its administrator. */
export const cells = {
  'cells.text':
    'The databases of this instance, and the accounts that move between them. The command “talkboard account move” starts a move.',
  'cells.row': 'Accounts: {accounts} · weight {weight}',
  'cells.away': 'Not reachable',
  'cells.drained': 'Takes no new accounts',
  'cells.moves': 'Moves',
  'cells.noMoves': 'No account has been moved yet.',
  'cells.fromTo': 'from {from} to {to}',
  'cells.rows': '{copied} of {total} rows',
  'cells.waited': 'Writes waited for {ms} ms',
  'cells.progress': 'Progress of the move of {name}',
  'cells.state.copying': 'Copying',
  'cells.state.checking': 'Comparing',
  'cells.state.waiting': 'Waiting',
  'cells.state.closing': 'Switching',
  'cells.state.done': 'Moved',
  'cells.state.abandoned': 'Not moved',
} as const;
