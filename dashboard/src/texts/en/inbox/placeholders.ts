export const placeholders = {
  'placeholders.insert': 'Insert a placeholder',
  'placeholders.fields': 'Card fields',
  'placeholders.unknown.one': '{names} is not a known placeholder. It stays in the text as it is.',
  'placeholders.unknown.other': '{names} are not known placeholders. They stay in the text as they are.',
} as const;
