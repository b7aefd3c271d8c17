export const table = {
  'table.label': 'Table of {board}',
} as const;
