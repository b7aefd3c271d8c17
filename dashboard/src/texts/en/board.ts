export const board = {
  'board.new.title': 'New board',
  'board.new.text':
    'It starts with three columns and the fields Phone and E-mail; both can be changed at any time.',
  'board.new.name': 'Name',
  'board.new.example': 'For example Sales or Onboarding',
  'board.new.failed': 'The board could not be created',
  'board.cards.one': '{count} card',
  'board.cards.other': '{count} cards',
} as const;
