/** Changes of an earlier visit that were not sent. */
export const unsent = {
  'unsent.title': 'Changes that were not sent',
  'unsent.text':
    'They were made more than two days ago, and the service has not answered them. Send them only if they are still right.',
  'unsent.send': 'Send',
  'unsent.discard': 'Discard',
} as const;
