/** The copilot: help for the person who writes. */
export const copilot = {
  'copilot.suggest': 'Suggest a reply',
  'copilot.making': 'Writing a suggestion…',
  'copilot.marked': 'Suggested by the copilot. Check it before you send it.',
  'copilot.stop': 'Stop',
  'copilot.outdated': 'The customer wrote, so the suggestion was removed',
  'copilot.error.limited': 'You asked the copilot 30 times within a minute. Wait a moment and try again.',
  'copilot.error.noModel':
    'The copilot’s agent has no AI model. An administrator can choose another agent in Settings > Copilot.',
  'copilot.error.off':
    'The copilot was switched off. An administrator can switch it on in Settings > Copilot.',
  'copilot.error.nothing': 'Nothing fits this conversation: the knowledge and saved replies have no answer.',
  'copilot.error.held': 'The suggestion repeated an internal note, so it is not shown.',
  'copilot.error.model': 'The AI provider failed: {reason}',
  'copilot.error.cutOff': 'The answer was cut off. Try again.',
  'copilot.settings.text': 'Helps your team in conversations: it suggests replies. It never sends anything.',
  'copilot.settings.agent': 'Agent',
  'copilot.settings.agentHint': 'The copilot uses its model, instructions and knowledge.',
  'copilot.settings.offline':
    'This agent has no AI model. It suggests passages of the knowledge and saved replies.',
  'copilot.settings.off': 'Off',
} as const;
