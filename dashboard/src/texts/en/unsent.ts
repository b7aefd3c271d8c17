/** Changes of an earlier visit that were not sent. */
export const unsent = {
  'unsent.title': 'Changes that were not sent',
  'unsent.text':
    'They were made more than two days ago, and the service has not answered them. Send them only if they are still right.',
  'unsent.send': 'Send',
  'unsent.discard': 'Discard',
  'unsent.signOut.title.one': '1 change is not sent yet',
  'unsent.signOut.title.other': '{count} changes are not sent yet',
  'unsent.signOut.text':
    'If you keep them, they stay in this browser and are sent when you sign in here again.',
  'unsent.signOut.failed': 'What is stored could not be sent',
  'unsent.signOut.send': 'Send and sign out',
  'unsent.signOut.keep': 'Sign out and keep',
  'unsent.signOut.discard': 'Discard and sign out',
} as const;
