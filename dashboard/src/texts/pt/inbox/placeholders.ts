import type { placeholders as english } from '../../en/inbox/placeholders.ts';
import type { Translated } from '../../translated.ts';

export const placeholders: Translated<typeof english> = {
  'placeholders.insert': 'Inserir um marcador',
  'placeholders.fields': 'Campos do cartão',
  'placeholders.unknown.one': '{names} não é um marcador conhecido. Fica no texto como está.',
  'placeholders.unknown.other': '{names} não são marcadores conhecidos. Ficam no texto como estão.',
};
