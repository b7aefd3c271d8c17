export const record = {
  'record.title': 'Record',
} as const;
