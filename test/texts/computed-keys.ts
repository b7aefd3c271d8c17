/** Keys that are put together from a value: all that begin like this count as used, as long as the beginning itself is. */
export const computedKeys: readonly string[] = [
  'agents.baseUrlHint.',
  'agents.provider.',
  'agents.providerHint.',
  'agents.tool.',
  'agents.toolHint.',
  'audit.action.',
  'audit.target.',
  'channels.transcribe.',
  'channels.type.',
  'deliveries.filteredBy.',
  'deliveries.status.',
  'fields.type.',
  'inbox.context.outcome.',
  'limits.',
  'reports.bucket.',
  'reports.period.',
  'notifications.topic.',
  'notifications.way.',
  'palette.match.',
  'tokens.scope.',
  'widget.language.',
  'widget.side.',
  'widget.theme.',
];

/** What is the same in every language: names, examples of addresses and of markup. */
export const sameEverywhere: readonly (string | RegExp)[] = [
  /^https:\/\//,
  /^(content-type|application\/json|webhook-(id|timestamp|signature))$/,
  'HTTP ',
  'HTTP',
  ' ms',
  'ms',
];
