export const inbox = {
  'inbox.title': 'Inbox',
} as const;
